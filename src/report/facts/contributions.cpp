#include "report/facts/contributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/facts/facts_json.h"
#include "simplexboost/error.h"
#include "simplexboost/explain.h"

namespace simplexboost {
namespace {

constexpr std::ptrdiff_t kShownContributions = 5;

// Of one row; the largest first.
Json contributions(const ShapValues& values, const Model& model) {
  std::vector<std::size_t> order(values.features);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(values.values[a]) > std::fabs(values.values[b]);
  });
  Json why = Json::array();
  for (const std::size_t feature : order) {
    const double by = values.values[feature];
    if (why.end() - why.begin() == kShownContributions || by == 0) break;
    why.push_back({{"feature", page_name(model.schema().features[feature].name)},
                   {"by", short_number(by, 3)}});
  }
  return why;
}

}  // namespace

void add_contributions(const Model& model, const Dataset& data, const RowFacts& facts,
                       const std::vector<std::size_t>& rows, const ReportOptions& options,
                       Json& list) {
  if (options.probabilities || rows.empty()) return;
  std::optional<Explainer> explainer;
  try {
    explainer.emplace(model, ExplainOptions{options.threads, 0, nullptr});
  } catch (const ModelError&) {
    return;  // a model of an older version, which does not know the covers of its nodes
  }
  Json explained = Json::array();
  std::size_t i = 0;
  for (Json row : list) {
    ShapRequest request;
    request.contrast = Contrast{facts.predicted[rows[i]], facts.truth[rows[i]]};
    row["why"] = contributions(explainer->values(data, rows[i], rows[i] + 1, request), model);
    explained.push_back(std::move(row));
    ++i;
  }
  list = std::move(explained);
}

}  // namespace simplexboost
