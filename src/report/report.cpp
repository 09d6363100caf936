#include "simplexboost/report.h"

#include <algorithm>

#include "report/facts/calibration_facts.h"
#include "report/facts/class_facts.h"
#include "report/facts/class_order.h"
#include "report/facts/contributions.h"
#include "report/facts/effect_facts.h"
#include "report/facts/facts_json.h"
#include "report/facts/importance_facts.h"
#include "report/facts/map_facts.h"
#include "report/facts/row_facts.h"
#include "report/facts/row_lists.h"
#include "report/facts/training_facts.h"
#include "report/page.h"
#include "report/verdict.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr std::size_t kSampleRows = 6000;
constexpr std::size_t kRowFeatures = 8;
constexpr std::size_t kImportantFeatures = 20;
constexpr std::size_t kListedRows = 30;

Json rows_json(const RowFacts& facts, const Dataset& data, const std::vector<std::size_t>& rows,
               const std::vector<std::size_t>& features) {
  Json result = Json::array();
  for (const std::size_t row : rows) result.push_back(row_json(facts, data, row, features));
  return result;
}

Json feature_names(const Model& model, const std::vector<std::size_t>& features) {
  Json names = Json::array();
  for (const std::size_t feature : features)
    names.push_back(page_name(model.schema().features[feature].name));
  return names;
}

// What is said of the rows one by one, in lists.
void add_row_lists(const RowFacts& facts, const Model& model, const Dataset& data,
                   const Confusion& confusion, const ReportOptions& options, Json& page) {
  const std::vector<std::size_t> features = shown_features(model, kRowFeatures);
  page["row_features"] = feature_names(model, features);
  page["pairs"] = worst_pairs(facts, confusion, data, features);
  const std::vector<std::size_t> hardest = hardest_rows(facts, kListedRows);
  page["hardest"] = rows_json(facts, data, hardest, features);
  add_contributions(model, data, facts, hardest, options, page["hardest"]);
  const Suspects suspects = suspect_rows(model, facts, data, kListedRows, options);
  Json list = Json::array();
  for (std::size_t i = 0; i < suspects.rows.size(); ++i) {
    Json row = row_json(facts, data, suspects.rows[i], features);
    row["wrong"] = short_number(suspects.wrong[i], 3);
    list.push_back(std::move(row));
  }
  page["suspects"] = Json{{"count", suspects.count}, {"rows", std::move(list)}};
}

}  // namespace

std::string report_html(const Model& model, const Dataset& data, const ReportOptions& options) {
  const RowFacts facts = gather_rows(model, data, options);
  const Verdict verdict = judge(facts, data, options);
  const RowSample sample = sample_rows(model, data, kSampleRows, options);
  const Tempering tempering = temper(sample, facts, data, options.threads);
  const Confusion confusion = confusion_of(facts);
  const std::vector<float> likeness = class_likeness(facts.mass, facts.classes);
  const ClassOrder order = order_classes(likeness, facts.classes);

  Json page{
      {"kind", "report"},
      {"card", card_facts(model, data, options)},
      {"classes", page_names(model.schema().classes)},
      {"verdict", verdict_json(verdict, facts, model, options)},
      {"warnings", warnings_json({model, data, facts, verdict, tempering, confusion, options})},
      {"order", Json(order.order)},
      {"groups", Json(order.groups)},
      {"table", class_table(facts, confusion)},
      {"confusion", confusion_facts(facts, confusion)},
      {"calibration", tempering.facts},
      {"worst_calibrated", worst_calibrated(facts)},
      {"margins", margin_facts(model, facts, options)},
      {"curves", curve_facts(model, data, options)},
      {"map", map_facts(model, facts, sample, likeness, order.order, confusion)},
      {"importance", importance_facts(model, kImportantFeatures)},
      {"effects", effect_facts(model, data, options)}};
  add_row_lists(facts, model, data, confusion, options, page);
  return make_page(page, {"simplexboost report: " + source_name(data),
                          {"page.js", "charts.js", "curves.js", "tables.js", "confusion.js",
                           "effects.js", "map.js", "report.js"}});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
