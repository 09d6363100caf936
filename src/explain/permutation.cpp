#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "metric/metric_table.h"
#include "model/model_access.h"
#include "simplexboost/effects.h"
#include "simplexboost/error.h"
#include "simplexboost/evaluate.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr std::size_t kMostRepeats = 10'000;

// The quantile 0.975 of Student's t.
double student(std::size_t freedom) {
  constexpr std::array kFew{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                            2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  if (freedom <= kFew.size()) return kFew[freedom - 1];
  const double z = 1.959964;
  const auto n = static_cast<double>(freedom);
  return z + (z * z * z + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

// The column with its rows in another order.
Column shuffled(const Column& column, std::size_t rows, Random& random) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  random.shuffle(values);
  if (column.schema.type == FeatureType::kNumeric)
    return Column::numeric(column.schema.name, std::move(values));
  std::vector<std::int32_t> codes;
  codes.reserve(rows);
  for (const double x : values) codes.push_back(std::isnan(x) ? -1 : static_cast<std::int32_t>(x));
  return Column::categorical(column.schema.name, std::move(codes), column.schema.categories);
}

// Features that the model looks at: shuffling another one changes nothing.
std::vector<bool> used_features(const Model& model) {
  const Forest& forest = model.forest();
  std::vector<bool> used(model.schema().features.size(), !forest.filters.empty());
  for (const Node& node : forest.nodes) used[node.feature] = true;
  for (const LinearFeature& linear : forest.linear_features) used[linear.feature] = true;
  return used;
}

void set_interval(FeatureLoss& loss) {
  const auto count = static_cast<double>(loss.repeats.size());
  loss.mean = std::accumulate(loss.repeats.begin(), loss.repeats.end(), 0.0) / count;
  double squares = 0;
  for (const double one : loss.repeats) squares += (one - loss.mean) * (one - loss.mean);
  const double reach = student(loss.repeats.size() - 1) * std::sqrt(squares / (count - 1));
  loss.low = loss.mean - reach;
  loss.high = loss.mean + reach;
}

}  // namespace

PermutationImportance permutation_importance(const Model& model, const Dataset& data,
                                             const PermutationOptions& options) {
  check_columns(model.schema(), data);
  if (options.repeats < 2 || options.repeats > kMostRepeats)
    throw ParameterError(fmt::format("permutation importance takes 2 to {} repeats, not {}",
                                     kMostRepeats, options.repeats));
  if (data.rows == 0) throw DataError({data.source}, "no rows to shuffle");
  PermutationImportance result;
  result.metric = !options.metric.empty() ? options.metric
                  : model.has_proba()     ? "log-loss"
                                          : "error";
  const Metric metric = find_metric(result.metric, model.schema().multi_label);
  const EvaluateOptions how{{result.metric}, {options.threads, 0}};
  const auto judge = [&](const Dataset& rows) {
    return evaluate(model, rows, how).metrics[0].value;
  };
  result.value = judge(data);
  std::vector<std::size_t> features = options.features;
  if (features.empty()) {
    features.resize(data.columns.size());
    std::iota(features.begin(), features.end(), std::size_t{0});
  }
  for (const std::size_t feature : features) {
    if (feature >= data.columns.size())
      throw ParameterError(
          fmt::format("the model has no feature {}: it has {}", feature, data.columns.size()));
    result.features.push_back({feature, 0, 0, 0, {}});
  }
  const double sign = metric.higher_is_better() ? -1 : 1;
  const std::size_t count = options.rows == 0 ? data.rows : std::min(options.rows, data.rows);
  const std::vector<bool> used = used_features(model);
  std::vector<std::uint32_t> drawn(count);
  for (std::size_t r = 0; r < options.repeats; ++r) {
    Random random(options.seed, 2 * r);
    for (std::uint32_t& row : drawn) row = static_cast<std::uint32_t>(random.below(data.rows));
    std::sort(drawn.begin(), drawn.end());
    Dataset rows = select_rows(data, drawn);
    const double as_is = judge(rows);
    for (FeatureLoss& loss : result.features) {
      loss.repeats.push_back(0);
      if (!used[loss.feature]) continue;
      // By its number, so that a feature's figure does not depend on which others are asked for.
      Random order(options.seed + loss.feature, 2 * r + 1);
      Column column = shuffled(rows.columns[loss.feature], rows.rows, order);
      std::swap(column, rows.columns[loss.feature]);
      loss.repeats.back() = sign * (judge(rows) - as_is);
      std::swap(column, rows.columns[loss.feature]);
    }
  }
  for (FeatureLoss& loss : result.features) set_interval(loss);
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
