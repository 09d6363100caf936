#include "boosting/setup/custom_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/simd/lane_math.h"
#include "model/file/serialization.h"
#include "model/predict/predictor.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kCustomLearnerRowBlock = 256;

Matrix values_of(const Ensemble& hypothesis, const Dataset& data, int threads) {
  const Predictor predictor(hypothesis);
  Matrix values = predictor.start(data.rows);
  predictor.add_rounds(data, 0, 1, threads, values);
  return values;
}

bool one_class(std::span<const float> row) {
  const auto ones = std::count(row.begin(), row.end(), 1.0F);
  return ones == 1 && std::count(row.begin(), row.end(), 0.0F) + 1 == std::ssize(row);
}

bool votes(std::span<const float> row) {
  return std::all_of(row.begin(), row.end(), [](float v) { return v == 1 || v == -1; });
}

bool subset(std::span<const float> row) {
  return std::all_of(row.begin(), row.end(), [](float v) { return v == 1 || v == 0; });
}

bool within_1(std::span<const float> row) {
  return std::all_of(row.begin(), row.end(), [](float v) { return v >= 0 && v <= 1; });
}

bool shares(std::span<const float> row) {
  constexpr float kRounding = 1e-4F;
  const float sum = std::accumulate(row.begin(), row.end(), 0.0F);
  return within_1(row) && std::fabs(sum - 1) < kRounding;
}

// What an algorithm asks of a hypothesis's values on a row.
struct Demand {
  bool (*met)(std::span<const float>);  // null: any values
  const char* words;
};

Demand demand_of(LearnerFamily family) {
  switch (family) {
    case LearnerFamily::kClassifier:
    case LearnerFamily::kPick:
    case LearnerFamily::kDirect: return {one_class, "1 for one class and 0 for the others"};
    case LearnerFamily::kPlausibility: return {within_1, "a number from 0 to 1 for every class"};
    case LearnerFamily::kSubset: return {subset, "0 or 1 for every class"};
    case LearnerFamily::kShare:
    case LearnerFamily::kProportion: return {shares, "shares of the classes that sum to 1"};
    case LearnerFamily::kReal:
    case LearnerFamily::kPair: return {nullptr, ""};
    default: return {votes, "-1 or +1 for every class"};
  }
}

}  // namespace

CustomLearnerAdapter::CustomLearnerAdapter(const MakeLearner& make, const LearnerContext& context,
                                           LearnerFamily family, const RowSpace& space)
    : data_(context.data), family_(family), space_(space), all_(context.data, space) {
  if (all_.here()) learner_ = make({all_.data(), context.parameters});
  if (all_.here() && !learner_) throw ParameterError("make_learner: it made no learner");
  hypothesis_.schema.features = data_.schema().features;
  hypothesis_.schema.named = false;
}

// A user's learner sees what fills the leaves as the curvatures of its pulls: a leaf with the sum
// of its pulls over that of these has the values of a learner of ours.
FitTarget CustomLearnerAdapter::with_curvature(const RoundTarget& target) {
  FitTarget shown = target;
  if (!target.leaves || target.leaves->width() != target.width) return shown;
  const LeafTarget& leaves = *target.leaves;
  const std::size_t width = target.width;
  curvature_.resize(target.rows * width);
  space_.for_blocks(kCustomLearnerRowBlock, [&](std::size_t begin, std::size_t end) {
    AlignedVector<float> scratch;
    std::vector<std::uint32_t> rows(end - begin);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
    const LeafNumbers numbers = leaves.numbers(rows, scratch).from(begin, width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float weight = target.leaf_weights ? target.leaf_weights[begin + i] : 1;
      for (std::size_t j = i * width; j < (i + 1) * width; ++j) {
        const float h = numbers.curvature
                            ? numbers.curvature[j]
                            : plain::pull_curvature(numbers.pulls[j], leaves.curvature_factor());
        curvature_[begin * width + j] = leaves.damping() * weight * h;
      }
    }
  });
  shown.curvature = present(curvature_);
  return shown;
}

void CustomLearnerAdapter::take_forest(Forest forest, std::size_t outputs) {
  forest.outputs = static_cast<std::uint32_t>(outputs);
  forest.round_end = {static_cast<std::uint32_t>(forest.trees.size())};
  if (forest.node_gain.empty()) forest.node_gain.assign(forest.nodes.size(), 0);
  hypothesis_.forest = std::move(forest);
  hypothesis_.bias.assign(outputs, 0);
  hypothesis_.schema.classes.resize(outputs);
  for (std::size_t k = 0; k < outputs; ++k) hypothesis_.schema.classes[k] = std::to_string(k);
  try {
    check_ensemble(hypothesis_);
  } catch (const ModelError& error) {
    throw ModelError(std::string("the custom learner's hypothesis: ") + error.what());
  }
}

void CustomLearnerAdapter::tell_others() {
  if (!space_.parted()) return;
  std::string text = all_.here() ? serialize(hypothesis_) : std::string();
  const std::span<const std::byte> here = std::as_bytes(std::span(text));
  std::vector<std::byte> bytes(here.begin(), here.end());
  broadcast_all(space_.ranks(), bytes, 0);
  if (!all_.here()) hypothesis_ = deserialize(bytes);
}

RowVectors CustomLearnerAdapter::fit(const RoundTarget& target, const Sample& sample) {
  all_.look(with_curvature(target), sample, [&](const FitTarget& shown, const Sample& drawn) {
    take_forest(learner_->fit(shown, drawn), target.width);
  });
  tell_others();
  values_ = values_of(hypothesis_, data_, space_.threads());
  check_values();
  output_ = target.to.output;
  return {nullptr, values_.values.data(), values_.columns, output_};
}

void CustomLearnerAdapter::check_values() const {
  const Demand demand = demand_of(family_);
  if (!demand.met) return;
  for (std::size_t i = 0; i < values_.rows; ++i) {
    if (demand.met({values_.row(i), values_.columns})) continue;
    throw ModelError(
        fmt::format("the custom learner's hypothesis is wrong for row {}: this algorithm needs {}",
                    space_.first() + i, demand.words));
  }
}

void CustomLearnerAdapter::append_to(Forest& forest, double factor) const {
  const std::size_t trees = forest.trees.size();
  append_forest(forest, hypothesis_.forest, factor);
  for (std::size_t t = trees; t < forest.trees.size(); ++t) {
    TreeSpan& tree = forest.trees[t];
    tree.output += static_cast<std::uint32_t>(output_);
    if (tree.minus_output != kNoOutput) tree.minus_output += static_cast<std::uint32_t>(output_);
  }
}

RowVectors CustomLearnerAdapter::apply(const LearnerData& data) {
  values_elsewhere_ = values_of(hypothesis_, data.raw, space_.threads());
  return {nullptr, values_elsewhere_.values.data(), values_elsewhere_.columns, output_};
}

}  // namespace simplexboost
