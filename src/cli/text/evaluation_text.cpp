#include "cli/text/evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text/json.h"
#include "cli/options/arguments.h"
#include "cli/text/layout.h"
#include "cli/text/output.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

using Table = std::vector<std::vector<std::string>>;

constexpr std::size_t kTableClasses = 20;  // more do not fit on a screen
constexpr std::size_t kListed = 20;
constexpr std::size_t kNameWidth = 24;

std::string name_of(const std::vector<std::string>& classes, std::int32_t code) {
  return fit(classes[static_cast<std::size_t>(code)], kNameWidth);
}

std::string small_table(const Confusion& confusion, const std::vector<std::string>& classes) {
  Table rows{{""}};
  for (const std::string& name : classes) {
    rows[0].push_back(fit(name, classes.size() > kTableClasses / 2 ? 8 : kNameWidth));
  }
  const std::vector<std::vector<double>> cells = confusion.table();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(fit(classes[k], kNameWidth));
    for (const double cell : cells[k]) row.push_back(cell == 0 ? "." : format_count(cell));
  }
  return "Confusion (rows: true class, columns: predicted class)\n" + format_table(rows, {0}, 2);
}

// Each class's figure by which the worst are picked out: recall, or F1 of a label.
std::vector<std::size_t> classes_to_show(const Evaluation& evaluation) {
  const std::vector<ClassSummary>& all = evaluation.counts.per_class();
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (all.size() <= kTableClasses) return order;
  const auto quality = [&](std::size_t k) {
    return evaluation.multi_label ? all[k].f1() : all[k].recall();
  };
  std::erase_if(order, [&](std::size_t k) { return std::isnan(quality(k)); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return quality(a) < quality(b); });
  order.resize(std::min(order.size(), kListed));
  return order;
}

Json confusion_json(const Evaluation& evaluation, std::size_t table_limit) {
  if (evaluation.classes > table_limit) return nullptr;
  Json table = Json::array();
  for (const std::vector<double>& row : evaluation.confusion.table()) {
    Json& line = table.push_back(Json::array());
    for (const double cell : row) line.push_back(json_count(cell));
  }
  return table;
}

Json per_class_json(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  Json per_class = Json::array();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const ClassSummary& one = evaluation.counts.per_class()[k];
    Json entry{{evaluation.multi_label ? "label" : "class", classes[k]},
               {"weight", json_count(one.truth)},
               {"predicted", json_count(one.predicted)}};
    if (evaluation.multi_label) {
      entry["known"] = json_count(one.known);
      entry["error"] = evaluation.counts.pair_error(k);
    }
    entry["precision"] = one.precision();
    entry["recall"] = one.recall();
    entry["f1"] = one.f1();
    if ((evaluation.parts & kTallyAreas) != 0) entry["auc"] = evaluation.areas.area(k);
    per_class.push_back(std::move(entry));
  }
  return per_class;
}

}  // namespace

std::string format_figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string format_count(double count) {
  return count == std::floor(count) && std::abs(count) < 1e15 ? fmt::format("{:.0f}", count)
                                                              : fmt::format("{:.4g}", count);
}

std::vector<Metric> choose_metrics(const std::vector<std::string>& names, bool multi_label) {
  if (names.empty()) return usual_metrics(multi_label);
  std::vector<Metric> metrics;
  for (const std::string& name : names) {
    try {
      metrics.push_back(find_metric(name, multi_label));
    } catch (const ParameterError& error) {
      throw UsageError(std::string("--metrics: ") + error.what());
    }
  }
  return metrics;
}

std::string figures_text(const Evaluation& evaluation, std::span<const Metric> metrics) {
  Table rows;
  for (const Metric& metric : metrics) {
    const bool error = metric.name() == "error";
    rows.push_back(
        {metric.title(), format_figure(metric.value(evaluation)),
         error ? fmt::format("{} of {} rows are wrong", evaluation.wrong_rows, evaluation.rows)
               : std::string(metric.help())});
  }
  if (evaluation.unknown_rows > 0) {
    rows.push_back({"unknown classes", fmt::format("{}", evaluation.unknown_rows),
                    "rows are of classes that the model does not know: all wrong"});
  }
  return format_table(rows, {0, 2}, 2);
}

std::string confusion_text(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  const Confusion& confusion = evaluation.confusion;
  if (classes.size() <= kTableClasses) return small_table(confusion, classes);
  Table rows{{"TRUE CLASS", "TAKEN FOR", "ROWS", "SHARE OF CLASS"}};
  for (const ConfusionCell& cell : confusion.largest_confusions(kListed)) {
    const double truth = evaluation.counts.per_class()[static_cast<std::size_t>(cell.truth)].truth;
    rows.push_back({name_of(classes, cell.truth), name_of(classes, cell.predicted),
                    format_count(cell.weight), fmt::format("{:.1f} %", 100 * cell.weight / truth)});
  }
  if (rows.size() == 1) return "No class was taken for another.\n";
  return "Largest confusions\n" + format_table(rows, {0, 1}, 2);
}

std::string per_class_text(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  const bool sets = evaluation.multi_label;
  const bool areas = (evaluation.parts & kTallyAreas) != 0;
  Table rows{{sets ? "LABEL" : "CLASS", "ROWS", "PREDICTED"}};
  if (sets) rows[0].emplace_back("ERROR");
  rows[0].insert(rows[0].end(), {"PRECISION", "RECALL", "F1"});
  if (areas) rows[0].emplace_back("AUC");
  const std::vector<std::size_t> order = classes_to_show(evaluation);
  for (const std::size_t k : order) {
    const ClassSummary& one = evaluation.counts.per_class()[k];
    std::vector<std::string>& row = rows.emplace_back();
    row = {fit(classes[k], kNameWidth), format_count(one.truth), format_count(one.predicted)};
    if (sets) row.push_back(format_figure(evaluation.counts.pair_error(k)));
    for (const double figure : {one.precision(), one.recall(), one.f1()})
      row.push_back(format_figure(figure));
    if (areas) row.push_back(format_figure(evaluation.areas.area(k)));
  }
  const std::string what = sets ? "labels of lowest F1" : "classes of lowest recall";
  const std::string title =
      classes.size() > kTableClasses
          ? fmt::format("The {} {}, of {}\n", order.size(), what, classes.size())
          : (sets ? "Labels\n" : "Classes\n");
  return title + format_table(rows, {0}, 2);
}

Json evaluation_json(const Evaluation& evaluation, std::span<const Metric> metrics,
                     const std::vector<std::string>& classes, std::size_t table_limit) {
  Json object{{"rows", evaluation.rows}, {"weight", json_count(evaluation.total())}};
  for (const Metric& metric : metrics) object[metric.json_name()] = metric.value(evaluation);
  if (evaluation.multi_label) {
    object["unknown_labels"] = evaluation.unknown_pairs;
    object["labels"] = classes;
    object["per_label"] = per_class_json(evaluation, classes);
    return object;
  }
  Json largest = Json::array();
  for (const ConfusionCell& cell : evaluation.confusion.largest_confusions(kListed)) {
    largest.push_back({{"true", classes[static_cast<std::size_t>(cell.truth)]},
                       {"predicted", classes[static_cast<std::size_t>(cell.predicted)]},
                       {"weight", json_count(cell.weight)}});
  }
  object["unknown_class_rows"] = evaluation.unknown_rows;
  object["classes"] = classes;
  object["confusion"] = confusion_json(evaluation, table_limit);
  object["largest_confusions"] = std::move(largest);
  object["per_class"] = per_class_json(evaluation, classes);
  return object;
}

}  // namespace simplexboost::cli
