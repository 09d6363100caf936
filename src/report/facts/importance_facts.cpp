#include "report/facts/importance_facts.h"

#include <cmath>

#include "report/facts/facts_json.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostImportances = 50'000'000;  // features x classes

}  // namespace

Json importance_facts(const Model& model, std::size_t most) {
  const std::vector<FeatureImportance> all = model.importance();
  const bool gain = !all.empty() && all.front().gain > 0;
  const auto value = [&](const FeatureImportance& one) {
    return gain ? one.gain : static_cast<double>(one.splits);
  };
  double total = 0;
  for (const FeatureImportance& one : all) total += value(one);
  const std::vector<std::size_t> features = shown_features(model, most);
  Json names = Json::array();
  Json shares = Json::array();
  for (std::size_t i = 0; i < features.size(); ++i) {
    names.push_back(page_name(model.schema().features[features[i]].name));
    shares.push_back(short_number(total > 0 ? value(all[i]) / total : 0, 3));
  }
  Json result{{"features", std::move(names)}, {"shares", std::move(shares)}, {"gain", gain}};
  const std::size_t classes = model.schema().classes.size();
  if (all.size() * classes > kMostImportances) return result;
  const std::vector<double> table = model.class_importance(gain);
  std::vector<double> totals(classes);
  for (std::size_t i = 0; i < table.size(); ++i) totals[i % classes] += table[i];
  Json& lines = result["classes"] = Json::array();
  for (const std::size_t feature : features) {
    Json line = Json::array();
    for (std::size_t k = 0; k < classes; ++k)
      line.push_back(
          std::lround(totals[k] > 0 ? 100 * table[feature * classes + k] / totals[k] : 0));
    lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace simplexboost
