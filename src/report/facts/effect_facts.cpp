#include "report/facts/effect_facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "report/facts/facts_json.h"
#include "report/facts/row_facts.h"
#include "simplexboost/effects.h"

namespace simplexboost {
namespace {

constexpr std::size_t kEffectFeatures = 6;
constexpr std::size_t kEffectPoints = 12;
constexpr std::size_t kEffectRows = 200;
constexpr std::size_t kEffectNumbers = 20'000;  // rows x classes
constexpr std::size_t kEffectClasses = 40;

// The classes whose lines change most, ascending.
std::vector<std::size_t> changing_classes(const Effect& effect) {
  const std::size_t classes = effect.classes.size();
  std::vector<double> range(classes);
  for (std::size_t k = 0; k < classes && !effect.values.empty(); ++k) {
    double low = effect.values[k];
    double high = low;
    for (std::size_t at = k; at < effect.values.size(); at += classes) {
      low = std::min(low, effect.values[at]);
      high = std::max(high, effect.values[at]);
    }
    range[k] = high - low;
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

// Missing values have no place on the axis.
Effect known_values(Effect effect) {
  if (!effect.grid.empty() && std::isnan(effect.grid.back())) effect.grid.pop_back();
  effect.values.resize(effect.grid.size() * effect.classes.size());
  return effect;
}

Json feature_effect(const Model& model, const Dataset& some, std::size_t feature, int threads) {
  EffectOptions how;
  how.threads = threads;
  how.points = how.categories = kEffectPoints;
  how.rows = 0;
  how.scores = !model.has_proba();
  const Effect effect = known_values(partial_dependence(model, some, feature, how));
  const Column& column = some.columns[feature];
  const std::size_t all = effect.classes.size();
  Json classes = Json::array();
  Json values = Json::array();
  for (const std::size_t k : changing_classes(effect)) {
    classes.push_back(k);
    Json line = Json::array();
    for (std::size_t g = 0; g < effect.grid.size(); ++g)
      line.push_back(short_number(effect.values[g * all + k], 3));
    values.push_back(std::move(line));
  }
  return {{"name", page_name(column.schema.name)},
          {"grid", grid_json(column, effect.grid)},
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
