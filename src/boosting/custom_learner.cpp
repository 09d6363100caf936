#include "boosting/custom_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "model/predictor.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

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

bool shares(std::span<const float> row) {
  constexpr float kRounding = 1e-4F;
  const float sum = std::accumulate(row.begin(), row.end(), 0.0F);
  return std::all_of(row.begin(), row.end(), [](float v) { return v >= 0 && v <= 1; }) &&
         std::fabs(sum - 1) < kRounding;
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
                                           LearnerFamily family, int threads)
    : data_(context.data), family_(family), threads_(threads), learner_(make(context)) {
  if (!learner_) throw ParameterError("make_learner: it made no learner");
  hypothesis_.schema.features = data_.schema().features;
  hypothesis_.schema.named = false;
}

// A user's learner finds arrays, not a function that computes parts of them.
FitTarget CustomLearnerAdapter::with_arrays(FitTarget target) {
  if (target.value_pulls && !target.value_curvature) {
    const std::size_t size = target.rows * target.value_width;
    value_curvature_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const float pull = std::fabs(target.value_pulls[i]);
      value_curvature_[i] = pull * (1 - target.value_bend * pull);
    }
    target.value_curvature = value_curvature_.data();
  }
  if (!target.value_rows) return target;
  std::vector<std::uint32_t> rows(target.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  value_pulls_.resize(target.rows * target.value_width);
  value_curvature_.resize(value_pulls_.size());
  parallel_blocks(threads_, rows.size(), 256, [&](std::size_t begin, std::size_t end) {
    const std::size_t at = begin * target.value_width;
    target.value_rows(std::span(rows).subspan(begin, end - begin), value_pulls_.data() + at,
                      value_curvature_.data() + at);
  });
  target.value_pulls = value_pulls_.data();
  target.value_curvature = value_curvature_.data();
  target.value_rows = nullptr;
  return target;
}

RowVectors CustomLearnerAdapter::fit(const FitTarget& target, const Sample& sample) {
  Forest& forest = hypothesis_.forest;
  forest = learner_->fit(with_arrays(target), sample);
  forest.outputs = static_cast<std::uint32_t>(target.width);
  forest.round_end = {static_cast<std::uint32_t>(forest.trees.size())};
  if (forest.node_gain.empty()) forest.node_gain.assign(forest.nodes.size(), 0);
  hypothesis_.bias.assign(target.width, 0);
  hypothesis_.schema.classes.resize(target.width);
  for (std::size_t k = 0; k < target.width; ++k) hypothesis_.schema.classes[k] = std::to_string(k);
  try {
    check_ensemble(hypothesis_);
  } catch (const ModelError& error) {
    throw ModelError(std::string("the custom learner's hypothesis: ") + error.what());
  }
  values_ = values_of(hypothesis_, data_, threads_);
  check_values();
  output_ = target.output;
  return {nullptr, values_.values.data(), values_.columns, output_};
}

void CustomLearnerAdapter::check_values() const {
  const Demand demand = demand_of(family_);
  if (!demand.met) return;
  for (std::size_t i = 0; i < values_.rows; ++i) {
    if (demand.met({values_.row(i), values_.columns})) continue;
    throw ModelError(
        fmt::format("the custom learner's hypothesis is wrong for row {}: this algorithm needs {}",
                    i, demand.words));
  }
}

void CustomLearnerAdapter::append_to(Forest& forest, double factor) const {
  const std::size_t trees = forest.trees.size();
  append_forest(forest, hypothesis_.forest, factor);
  for (std::size_t t = trees; t < forest.trees.size(); ++t) {
    TreeSpan& tree = forest.trees[t];
    tree.output += static_cast<std::uint32_t>(output_);
    if (tree.counter != kNoOutput) tree.counter += static_cast<std::uint32_t>(output_);
  }
}

RowVectors CustomLearnerAdapter::apply(const LearnerData& data) {
  values_elsewhere_ = values_of(hypothesis_, data.raw, threads_);
  return {nullptr, values_elsewhere_.values.data(), values_elsewhere_.columns, output_};
}

}  // namespace simplexboost
