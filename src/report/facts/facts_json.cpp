#include "report/facts/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text/visible_text.h"

namespace simplexboost {
namespace {

constexpr std::size_t kLongestShown = 120;  // bytes

}  // namespace

std::string page_name(std::string_view name) {
  return name.empty() ? "(empty)" : short_text(name, kLongestShown);
}

std::string source_name(const Dataset& data) {
  return data.source.empty() ? "rows in memory" : page_name(data.source);
}

Json page_names(const std::vector<std::string>& names) {
  Json result = Json::array();
  for (const std::string& name : names) result.push_back(page_name(name));
  return result;
}

Json short_number(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::round(value) && std::fabs(value) < 1e9) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Json interval_json(const Interval& interval) {
  Json result = Json::array();
  for (const double value : {interval.value, interval.low, interval.high})
    result.push_back(short_number(value));
  return result;
}

std::vector<std::size_t> shown_features(const Model& model, std::size_t most) {
  std::vector<std::size_t> features;
  for (const FeatureImportance& one : model.importance()) {
    if (features.size() == most || one.splits == 0) break;
    features.push_back(one.feature);
  }
  return features;
}

std::string value_text(const Column& column, std::size_t row) {
  double value = 0;
  column.copy(row, row + 1, &value);
  if (std::isnan(value)) return "missing";
  if (column.schema.type != FeatureType::kCategorical) return fmt::format("{:.4g}", value);
  const auto code = static_cast<std::size_t>(value);
  return value >= 0 && code < column.schema.categories.size()
             ? short_text(column.schema.categories[code], 40)
             : "another";
}

Json row_json(const RowFacts& facts, const Dataset& data, std::size_t row,
              const std::vector<std::size_t>& features) {
  Json result{{"row", row + 1},
              {"truth", facts.truth[row]},
              {"said", facts.predicted[row]},
              {"second", facts.second[row]},
              {"margin", short_number(static_cast<double>(facts.margin[row]))}};
  if (facts.proba) {
    result["p"] = short_number(static_cast<double>(facts.truth_proba[row]), 3);
    result["top"] = short_number(static_cast<double>(facts.top_proba[row]), 3);
  }
  Json& values = result["values"] = Json::array();
  for (const std::size_t feature : features)
    values.push_back(value_text(data.columns[feature], row));
  return result;
}

}  // namespace simplexboost
