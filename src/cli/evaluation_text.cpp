#include "cli/evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/json_output.h"
#include "cli/text.h"

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

}  // namespace

std::string format_figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string format_count(double count) {
  return count == std::floor(count) && std::abs(count) < 1e15 ? fmt::format("{:.0f}", count)
                                                              : fmt::format("{:.4g}", count);
}

std::string figures_text(const Evaluation& evaluation) {
  Table rows{{"error", format_figure(evaluation.confusion.error()),
              fmt::format("{} of {} rows are wrong", evaluation.wrong_rows, evaluation.rows)},
             {"balanced error", format_figure(evaluation.confusion.balanced_error()),
              "the mean over the classes"},
             {"log loss", format_figure(evaluation.log_loss.value()), "in nats"}};
  if (evaluation.unknown_rows > 0) {
    rows.push_back({"unknown classes", fmt::format("{}", evaluation.unknown_rows),
                    "rows are of classes that the model does not know: all wrong"});
  }
  return format_table(rows, {0, 2}, 2);
}

std::string confusion_text(const Confusion& confusion, const std::vector<std::string>& classes) {
  if (classes.size() <= kTableClasses) return small_table(confusion, classes);
  Table rows{{"TRUE CLASS", "TAKEN FOR", "ROWS", "SHARE OF CLASS"}};
  for (const ConfusionCell& cell : confusion.largest_confusions(kListed)) {
    const double truth = confusion.per_class()[static_cast<std::size_t>(cell.truth)].truth;
    rows.push_back({name_of(classes, cell.truth), name_of(classes, cell.predicted),
                    format_count(cell.weight), fmt::format("{:.1f} %", 100 * cell.weight / truth)});
  }
  if (rows.size() == 1) return "No class was taken for another.\n";
  return "Largest confusions\n" + format_table(rows, {0, 1}, 2);
}

std::string per_class_text(const Confusion& confusion, const std::vector<std::string>& classes) {
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<ClassSummary>& all = confusion.per_class();
  const bool cut = classes.size() > kTableClasses;
  if (cut) {
    std::erase_if(order, [&](std::size_t k) { return !(all[k].truth > 0); });
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return all[a].recall() < all[b].recall();
    });
    order.resize(std::min(order.size(), kListed));
  }
  Table rows{{"CLASS", "ROWS", "PREDICTED", "PRECISION", "RECALL", "F1"}};
  for (const std::size_t k : order) {
    const ClassSummary& one = all[k];
    rows.push_back({fit(classes[k], kNameWidth), format_count(one.truth),
                    format_count(one.predicted), format_figure(one.precision()),
                    format_figure(one.recall()), format_figure(one.f1())});
  }
  const std::string title =
      cut ? fmt::format("The {} classes of lowest recall, of {}\n", order.size(), classes.size())
          : "Classes\n";
  return title + format_table(rows, {0}, 2);
}

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation,
                                       const std::vector<std::string>& classes,
                                       std::size_t table_limit) {
  using Json = nlohmann::ordered_json;
  const Confusion& confusion = evaluation.confusion;
  Json table;
  if (classes.size() <= table_limit) {
    table = Json::array();
    for (const std::vector<double>& row : confusion.table()) {
      Json& line = table.emplace_back(Json::array());
      for (const double cell : row) line.push_back(json_count(cell));
    }
  }
  Json largest = Json::array();
  for (const ConfusionCell& cell : confusion.largest_confusions(kListed)) {
    largest.push_back({{"true", classes[static_cast<std::size_t>(cell.truth)]},
                       {"predicted", classes[static_cast<std::size_t>(cell.predicted)]},
                       {"weight", json_count(cell.weight)}});
  }
  Json per_class = Json::array();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const ClassSummary& one = confusion.per_class()[k];
    per_class.push_back({{"class", classes[k]},
                         {"weight", json_count(one.truth)},
                         {"predicted", json_count(one.predicted)},
                         {"precision", one.precision()},
                         {"recall", one.recall()},
                         {"f1", one.f1()}});
  }
  return Json{{"rows", evaluation.rows},
              {"weight", json_count(confusion.total())},
              {"error", confusion.error()},
              {"balanced_error", confusion.balanced_error()},
              {"log_loss", evaluation.log_loss.value()},
              {"unknown_class_rows", evaluation.unknown_rows},
              {"classes", classes},
              {"confusion", std::move(table)},
              {"largest_confusions", std::move(largest)},
              {"per_class", std::move(per_class)}};
}

}  // namespace simplexboost::cli
