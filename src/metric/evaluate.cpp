#include "simplexboost/evaluate.h"

#include "base/text/nearest_name.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "simplexboost/error.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

double EvaluationReport::metric(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const MetricValue& one : metrics) {
    if (one.name == name) return one.value;
    names.push_back(one.name);
  }
  throw ParameterError(unknown_name_message("metric of the report", name, names));
}

EvaluationReport evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options) {
  const bool sets = model.schema().multi_label;
  std::vector<Metric> metrics;
  for (const std::string& name : options.metrics) metrics.push_back(find_metric(name, sets));
  if (metrics.empty()) metrics = usual_metrics(sets);
  const Evaluation tally =
      tally_model(model, data, options.predict, parts_of(metrics) | kTallyConfusion);
  EvaluationReport report;
  report.rows = tally.rows;
  report.wrong_rows = tally.wrong_rows;
  report.unknown_rows = tally.unknown_rows;
  report.weight = tally.total();
  for (std::size_t i = 0; i < metrics.size(); ++i)
    report.metrics.push_back({options.metrics.empty() ? metrics[i].name() : options.metrics[i],
                              metrics[i].value(tally), metrics[i].higher_is_better()});
  report.classes = tally.counts.per_class();
  if (!sets) report.confusion = tally.confusion.cells();
  return report;
}

bool higher_is_better(std::string_view metric, bool multi_label) {
  return find_metric(metric, multi_label).higher_is_better();
}

std::vector<std::string> metric_names(bool multi_label) {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics(multi_label)) names.push_back(metric.name());
  return names;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
