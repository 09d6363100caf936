#include "report/effect_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "report/facts_json.h"
#include "report/row_facts.h"

namespace simplexboost {
namespace {

constexpr std::size_t kEffectFeatures = 6;
constexpr std::size_t kEffectPoints = 12;
constexpr std::size_t kEffectRows = 200;
constexpr std::size_t kEffectNumbers = 20'000;  // rows x classes
constexpr std::size_t kEffectClasses = 40;

// Values of a feature to look at: quantiles of numbers, the commonest categories; known ones only.
std::vector<double> effect_grid(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  std::vector<double> grid;
  if (values.empty()) return grid;
  if (column.schema.type == FeatureType::kCategorical) {
    std::map<double, std::size_t> counts;
    for (const double value : values) ++counts[value];
    for (const auto& [value, count] : counts) grid.push_back(value);
    std::stable_sort(grid.begin(), grid.end(),
                     [&](double a, double b) { return counts[a] > counts[b]; });
    if (grid.size() > kEffectPoints) grid.resize(kEffectPoints);
    return grid;
  }
  for (std::size_t i = 0; i < kEffectPoints; ++i)
    grid.push_back(values[i * (values.size() - 1) / (kEffectPoints - 1)]);
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

// The same value in all rows.
Column constant_column(const Column& like, double value, std::size_t rows) {
  if (like.schema.type != FeatureType::kCategorical)
    return Column::numeric(like.schema.name, std::vector<double>(rows, value));
  return Column::categorical(like.schema.name,
                             std::vector<std::int32_t>(rows, static_cast<std::int32_t>(value)),
                             like.schema.categories);
}

std::vector<double> mean_line(const Matrix& matrix) {
  std::vector<double> mean(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i)
    for (std::size_t k = 0; k < matrix.columns; ++k)
      mean[k] += static_cast<double>(matrix.row(i)[k]) / static_cast<double>(matrix.rows);
  return mean;
}

// The classes whose lines change most, ascending.
std::vector<std::size_t> changing_classes(const std::vector<std::vector<double>>& lines) {
  std::vector<double> range(lines.empty() ? 0 : lines[0].size());
  for (std::size_t k = 0; k < range.size(); ++k) {
    const auto less = [&](const auto& a, const auto& b) { return a[k] < b[k]; };
    const auto [low, high] = std::minmax_element(lines.begin(), lines.end(), less);
    range[k] = (*high)[k] - (*low)[k];
  }
  std::vector<std::size_t> order(range.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return range[a] > range[b]; });
  if (order.size() > kEffectClasses) order.resize(kEffectClasses);
  std::sort(order.begin(), order.end());
  return order;
}

Json grid_json(const Column& column, const std::vector<double>& grid) {
  Json result = Json::array();
  for (const double value : grid) {
    if (column.schema.type == FeatureType::kCategorical)
      result.push_back(page_name(column.schema.categories[static_cast<std::size_t>(value)]));
    else
      result.push_back(short_number(value));
  }
  return result;
}

Json feature_effect(const Model& model, Dataset some, std::size_t feature, int threads) {
  const Column column = some.columns[feature];
  const std::vector<double> grid = effect_grid(column, some.rows);
  std::vector<std::vector<double>> lines;
  for (const double value : grid) {
    some.columns[feature] = constant_column(column, value, some.rows);
    lines.push_back(mean_line(model.has_proba() ? model.predict_proba(some, {threads, 0})
                                                : model.predict_scores(some, {threads, 0})));
  }
  Json classes = Json::array();
  Json values = Json::array();
  for (const std::size_t k : changing_classes(lines)) {
    classes.push_back(k);
    Json line = Json::array();
    for (const std::vector<double>& point : lines) line.push_back(short_number(point[k], 3));
    values.push_back(std::move(line));
  }
  return {{"name", page_name(column.schema.name)},
          {"grid", grid_json(column, grid)},
          {"categorical", column.schema.type == FeatureType::kCategorical},
          {"classes", std::move(classes)},
          {"values", std::move(values)}};
}

}  // namespace

Json effect_facts(const Model& model, const Dataset& data, const ReportOptions& options) {
  const std::size_t classes = model.schema().classes.size();
  const std::size_t most =
      std::min(kEffectRows, std::max<std::size_t>(kEffectNumbers / classes, 20));
  const Dataset some = select_rows(data, draw_rows(data.rows, most, options.seed));
  Json result = Json::array();
  for (const std::size_t feature : shown_features(model, kEffectFeatures))
    result.push_back(feature_effect(model, some, feature, options.threads));
  return result;
}

}  // namespace simplexboost
