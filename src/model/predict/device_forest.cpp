#include "model/predict/device_forest.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/threads/parallel.h"
#include "model/predict/forest_kernels.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 20;
constexpr std::size_t kLeastRows = 64;
constexpr std::size_t kMemoryShare = 2;  // of what is free, for rows

}  // namespace

DeviceForest::DeviceForest(std::shared_ptr<Device> device, const Ensemble& ensemble,
                           const Predictor& predictor)
    : device_(std::move(device)),
      ensemble_(ensemble),
      predictor_(predictor),
      rows_(*device_),
      nodes_(*device_, "trees"),
      trees_(*device_, "trees"),
      set_words_(*device_, "trees"),
      values_(*device_, "the values of leaves"),
      entry_ends_(*device_, "the values of leaves"),
      entry_outputs_(*device_, "the values of leaves"),
      entry_values_(*device_, "the values of leaves"),
      bias_(*device_, "scores"),
      codewords_(*device_, "codewords"),
      half_diagonal_(*device_, "codewords"),
      half_below_(*device_, "codewords"),
      outputs_(*device_, "scores"),
      scores_(*device_, "scores"),
      told_(*device_, "predictions") {
  const Forest& forest = ensemble.forest;
  assert(forest.filters.empty() && forest.linear_features.empty());
  const PackedForest& packed = predictor.packed();
  nodes_.upload(packed.nodes);
  trees_.upload(packed.trees);
  set_words_.upload(forest.set_words);
  values_.upload(forest.leaf_values.copy(0, forest.leaf_values.size()));
  entry_ends_.upload(forest.entry_ends);
  entry_outputs_.upload(forest.entry_outputs);
  entry_values_.upload(forest.entry_values);
  bias_.upload(ensemble.bias);
  codewords_.upload(predictor.half_codewords());
  half_diagonal_.upload(predictor.half_diagonal());
  half_below_.upload(predictor.half_below());
}

bool DeviceForest::tells(Prediction what) const {
  if (what == Prediction::kOutputs) return true;
  if (predictor_.pooled() || ensemble_.adjusted()) return false;
  return what == Prediction::kScores || what == Prediction::kClasses ||
         ensemble_.link == Link::kSoftmax;
}

std::size_t DeviceForest::columns(Prediction what) const {
  return what == Prediction::kOutputs   ? ensemble_.forest.outputs
         : what == Prediction::kClasses ? 1
                                        : ensemble_.classes();
}

std::size_t DeviceForest::number_size(Prediction what) {
  return what == Prediction::kDoubleProba ? sizeof(double) : sizeof(float);
}

std::size_t DeviceForest::rows_at_once(const Dataset& data, Prediction what) const {
  const std::size_t bytes = DeviceRows::row_bytes(*device_, data, predictor_.packed().features) +
                            (ensemble_.forest.outputs + ensemble_.classes()) * sizeof(float) +
                            columns(what) * number_size(what);
  return std::clamp(device_->free_memory() / kMemoryShare / bytes, kLeastRows, kMostRows);
}

template <class Done>
void DeviceForest::for_blocks(const Dataset& data, std::size_t rounds, int threads, Prediction what,
                              std::byte* out, const Done& done) {
  const std::lock_guard lock(mutex_);
  const std::size_t trees = ensemble_.forest.trees_of(rounds);
  const std::size_t row_size = columns(what) * number_size(what);
  std::size_t at_once = rows_at_once(data, what);
  for (std::size_t first = 0; first < data.rows;) {
    const std::size_t last = std::min(data.rows, first + at_once);
    try {
      if (!out) told_.resize((last - first) * row_size);
      std::byte* const to = out ? out + first * row_size : told_.data();
      tell(data, first, last, trees, resolve_threads(threads), what, to);
      done(first, last - first, to);
    } catch (const NoRoom&) {
      // Others may have taken what was free: fewer rows at a time, until it is no use.
      if (at_once <= kLeastRows) throw;
      at_once = std::max(at_once / 4, kLeastRows);
      continue;
    }
    first = last;
  }
}

void DeviceForest::predict(const Dataset& data, std::size_t rounds, int threads, Prediction what,
                           const Use& use) {
  std::vector<std::byte> here;
  for_blocks(data, rounds, threads, what, nullptr,
             [&](std::size_t first, std::size_t rows, const std::byte*) {
               here.resize(rows * columns(what) * number_size(what));
               told_.download(0, here);
               use(first, rows, here.data());
             });
}

void DeviceForest::predict_there(const Dataset& data, std::size_t rounds, int threads,
                                 Prediction what, std::byte* out) {
  for_blocks(data, rounds, threads, what, out,
             [&](std::size_t, std::size_t, const std::byte*) { device_->wait(); });
}

void DeviceForest::add_trees(const DeviceColumn* columns, std::size_t rows, std::size_t trees,
                             float* out) {
  const DeviceTrees forest{nodes_.data(),        trees_.data(),      set_words_.data(),
                           values_.data(),       entry_ends_.data(), entry_outputs_.data(),
                           entry_values_.data(), bias_.data(),       ensemble_.forest.outputs};
  device_->run(AddTrees{forest, columns, rows, static_cast<std::uint32_t>(trees), out},
               blocks_for(rows, AddTrees::kThreads));
}

void DeviceForest::tell(const Dataset& data, std::size_t begin, std::size_t end, std::size_t trees,
                        int threads, Prediction what, std::byte* out) {
  const std::size_t rows = end - begin;
  const std::uint32_t width = ensemble_.forest.outputs;
  const auto classes = static_cast<std::uint32_t>(ensemble_.classes());
  const DeviceColumn* const columns =
      rows_.bring(data, predictor_.packed().features, begin, end, threads);
  const bool mapped = codewords_.size() > 0 || ensemble_.simplex;
  auto* const result = reinterpret_cast<float*>(out);
  const bool last = what == Prediction::kOutputs || (what == Prediction::kScores && !mapped);
  if (!last) outputs_.resize(rows * width);
  float* const outputs = last ? result : outputs_.data();
  add_trees(columns, rows, trees, outputs);
  if (what == Prediction::kOutputs) return;
  const float* scores = outputs;
  if (mapped) {
    if (what != Prediction::kScores) scores_.resize(rows * classes);
    float* const to = what == Prediction::kScores ? result : scores_.data();
    const ClassScores kernel{outputs,
                             rows,
                             width,
                             classes,
                             codewords_.size() > 0 ? codewords_.data() : nullptr,
                             half_diagonal_.data(),
                             half_below_.data(),
                             to};
    device_->run(kernel, blocks_for(kernel.numbers(), ClassScores::kThreads));
    scores = to;
  }
  constexpr unsigned kThreads = PickClasses::kThreads;
  const auto tell_as = [&]<class Real>(Real* probabilities) {
    device_->run(
        TellProbabilities<Real>{scores, rows, classes, ensemble_.link_scale, probabilities},
        blocks_for(rows, TellProbabilities<Real>::kThreads));
  };
  if (what == Prediction::kProba) tell_as(result);
  if (what == Prediction::kDoubleProba) tell_as(reinterpret_cast<double*>(out));
  if (what == Prediction::kClasses)
    device_->run(PickClasses{scores, rows, classes, reinterpret_cast<std::int32_t*>(out)},
                 blocks_for(rows, kThreads));
}

}  // namespace simplexboost
