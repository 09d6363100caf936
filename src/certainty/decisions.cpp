#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/memory.h"
#include "model/model_access.h"
#include "model/predict/link.h"
#include "model/predict/prediction_sets.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void require_one_label(const Model& model, const char* what) {
  if (model.schema().multi_label)
    throw ModelError(
        fmt::format("{} are for one label a row; this model predicts sets of labels", what));
}

// Probabilities of the rows block by block, in any order, on several threads.
using ProbabilityUse = std::function<void(std::size_t first, const Matrix& proba)>;
void for_probabilities(const Model& model, const Dataset& data, const PredictOptions& options,
                       const ProbabilityUse& use) {
  const Ensemble& ensemble = ensemble_of(model);
  require_probabilities(ensemble);
  const std::size_t rounds = check_predicted(model, data, options.rounds);
  predictor_of(model).score_blocks(data, rounds, options.threads,
                                   [&](std::size_t first, const Matrix& scores) {
                                     Matrix proba = scores;
                                     for (std::size_t i = 0; i < proba.rows; ++i)
                                       to_probabilities(ensemble, {proba.row(i), proba.columns});
                                     use(first, proba);
                                   });
}

void check_sets(const Model& model, const SetOptions& options) {
  require_one_label(model, "sets of classes");
  if (!(options.coverage > 0 && options.coverage < 1))
    throw ParameterError(
        fmt::format("coverage: {} is no probability above 0 and below 1; 0.9 is a usual one",
                    options.coverage));
  const SetScores& sets = ensemble_of(model).sets;
  if (sets.empty())
    throw ModelError(
        "the model does not know how sure it is on rows that it has not seen; train it without "
        "--rounds (or with --quality best), or calibrate it on other rows (simplexboost "
        "calibrate)");
}

// The set of one row, likeliest class first.
void add_set(const RankedClasses& ranked, std::span<const double> limits, bool never_empty,
             std::vector<std::int32_t>& set) {
  set.clear();
  for (std::size_t r = 0; r < ranked.classes.size(); ++r)
    if (ranked.scores[r] <= limits[limits.size() == 1 ? 0 : ranked.classes[r]])
      set.push_back(static_cast<std::int32_t>(ranked.classes[r]));
  if (set.empty() && never_empty) set.push_back(static_cast<std::int32_t>(ranked.classes[0]));
}

std::vector<double> limits_of(const SetScores& sets, const SetOptions& options) {
  if (!options.per_class) return {set_threshold(sets.all, options.coverage)};
  std::vector<double> limits;
  for (const SetTable& table : sets.classes)
    limits.push_back(table.score.empty() ? std::numeric_limits<double>::infinity()
                                         : set_threshold(table, options.coverage));
  return limits;
}

void check_costs(std::span<const float> costs, std::size_t classes) {
  if (costs.size() != classes * classes)
    throw ParameterError(fmt::format("costs: {} numbers for {} classes; give {} x {} of them",
                                     costs.size(), classes, classes, classes));
  for (const float cost : costs)
    if (!(cost >= 0 && cost <= std::numeric_limits<float>::max()))
      throw ParameterError(fmt::format("costs: {} is no cost; give a number from 0 to 3e38", cost));
}

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

TopClasses predict_top(const Model& model, const Dataset& data, std::size_t count,
                       const PredictOptions& options) {
  const std::size_t classes = model.schema().classes.size();
  if (count == 0 || count > classes)
    throw ParameterError(
        fmt::format("top: give a number of classes from 1 to {}, not {}", classes, count));
  require_memory("the likeliest classes", data.rows, count, 2 * sizeof(float));
  TopClasses top{data.rows, count, std::vector<std::int32_t>(data.rows * count),
                 std::vector<float>(data.rows * count)};
  for_probabilities(model, data, options, [&](std::size_t first, const Matrix& proba) {
    std::vector<std::int32_t> order(classes);
    for (std::size_t i = 0; i < proba.rows; ++i) {
      const float* const p = proba.row(i);
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(
          order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
          [&](std::int32_t a, std::int32_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; });
      for (std::size_t j = 0; j < count; ++j) {
        top.classes[(first + i) * count + j] = order[j];
        top.probabilities[(first + i) * count + j] = p[order[j]];
      }
    }
  });
  return top;
}

bool has_sets(const Model& model) { return !ensemble_of(model).sets.empty(); }

ClassSets predict_sets(const Model& model, const Dataset& data, const SetOptions& set_options,
                       const PredictOptions& options) {
  check_sets(model, set_options);
  const SetScores& sets = ensemble_of(model).sets;
  const std::vector<double> limits = limits_of(sets, set_options);
  std::vector<std::vector<std::int32_t>> of_rows(data.rows);
  for_probabilities(model, data, options, [&](std::size_t first, const Matrix& proba) {
    RankedClasses ranked;
    for (std::size_t i = 0; i < proba.rows; ++i) {
      ranked.rank({proba.row(i), proba.columns}, sets.penalty, sets.free_ranks);
      add_set(ranked, limits, set_options.never_empty, of_rows[first + i]);
    }
  });
  ClassSets result;
  result.offsets.push_back(0);
  for (const std::vector<std::int32_t>& set : of_rows) {
    result.classes.insert(result.classes.end(), set.begin(), set.end());
    result.offsets.push_back(result.classes.size());
  }
  return result;
}

CostlyDecision predict_least_cost(const Model& model, const Dataset& data,
                                  std::span<const float> costs, std::optional<double> abstain_above,
                                  const PredictOptions& options) {
  require_one_label(model, "costs");
  const std::size_t classes = model.schema().classes.size();
  check_costs(costs, classes);
  if (abstain_above && std::isnan(*abstain_above))
    throw ParameterError("abstain-above: nan is no cost; give a number");
  CostlyDecision result{std::vector<std::int32_t>(data.rows), std::vector<float>(data.rows)};
  for_probabilities(model, data, options, [&](std::size_t first, const Matrix& proba) {
    std::vector<double> expected(classes);
    for (std::size_t i = 0; i < proba.rows; ++i) {
      std::fill(expected.begin(), expected.end(), 0.0);
      for (std::size_t truth = 0; truth < classes; ++truth) {
        const auto p = static_cast<double>(proba.row(i)[truth]);
        for (std::size_t k = 0; k < classes; ++k)
          expected[k] += p * static_cast<double>(costs[truth * classes + k]);
      }
      const auto best = std::min_element(expected.begin(), expected.end());
      const bool open = abstain_above && *best > *abstain_above;
      result.classes[first + i] = open ? -1 : static_cast<std::int32_t>(best - expected.begin());
      result.costs[first + i] = static_cast<float>(*best);
    }
  });
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
