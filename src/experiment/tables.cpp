#include "experiment/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace simplexboost {
namespace {

// The data sets of the finished rows, in their order.
std::vector<const ExperimentData*> data_sets(const std::vector<ExperimentRow>& rows) {
  std::vector<const ExperimentData*> sets;
  for (const ExperimentRow& row : rows) {
    const ExperimentData* data = row.data->spec;
    if (row.finished() && std::find(sets.begin(), sets.end(), data) == sets.end())
      sets.push_back(data);
  }
  return sets;
}

const ExperimentRow* find_row(const std::vector<ExperimentRow>& rows, const std::string& algorithm,
                              const std::string& data) {
  for (const ExperimentRow& row : rows)
    if (row.finished() && row.algorithm->name == algorithm && row.data->spec->name == data)
      return &row;
  return nullptr;
}

double measure_of(const std::vector<ExperimentRow>& rows, const std::string& algorithm,
                  const std::string& data, const std::string& measure) {
  const ExperimentRow* row = find_row(rows, algorithm, data);
  return row ? row_measure(*row, measure) : std::numeric_limits<double>::quiet_NaN();
}

struct MeasureColumn {
  std::string algorithm;
  std::string measure;
};

std::vector<MeasureColumn> measure_columns(const ExperimentSpec& spec,
                                           const std::vector<ExperimentRow>& rows) {
  std::vector<MeasureColumn> columns;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) {
    for (const std::string& measure : spec.measures) {
      const bool any = std::any_of(rows.begin(), rows.end(), [&](const ExperimentRow& row) {
        return row.algorithm == &algorithm && row.finished() &&
               !std::isnan(row_measure(row, measure));
      });
      if (any) columns.push_back({algorithm.name, measure});
    }
  }
  return columns;
}

std::string number_text(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.2f}", value);
}

std::string measure_cell(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows,
                         const MeasureColumn& column, const std::string& data) {
  std::string text = number_text(measure_of(rows, column.algorithm, data, column.measure));
  const auto paper = spec.measured.find({column.algorithm, data, column.measure});
  if (paper != spec.measured.end()) text += fmt::format(" ({})", paper->second);
  return text;
}

// "4-2-6": wins, draws, losses.
std::string total_text(const std::string& signs) {
  const auto count = [&](char sign) { return std::count(signs.begin(), signs.end(), sign); };
  return fmt::format("{}-{}-{}", count('+'), count('o'), count('-'));
}

bool in_table(const PairwiseTable& table, const std::string& data) {
  return table.data.empty() ||
         std::find(table.data.begin(), table.data.end(), data) != table.data.end();
}

}  // namespace

double row_measure(const ExperimentRow& row, const std::string& name) {
  double sum = 0;
  for (const CellResult& cell : row.results) {
    if (name == "error") {
      sum += 100 * static_cast<double>(cell.wrong) / static_cast<double>(cell.rows);
      continue;
    }
    const auto measure = cell.measures.find(name);
    if (measure == cell.measures.end()) return std::numeric_limits<double>::quiet_NaN();
    sum += measure->second;
  }
  return sum / static_cast<double>(row.results.size());
}

std::string measure_table(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows) {
  const std::vector<MeasureColumn> columns = measure_columns(spec, rows);
  if (columns.empty()) return "";
  std::string head = "| data set |";
  std::string line = "|---|";
  for (const MeasureColumn& column : columns) {
    head += fmt::format(" {} {} |", column.algorithm, column.measure);
    line += "---|";
  }
  std::string text = fmt::format(
      "\nFurther measures, errors and bounds in percent; in brackets the paper's.\n\n{}\n{}\n",
      head, line);
  for (const ExperimentData* data : data_sets(rows)) {
    text += fmt::format("| {} |", data->name);
    for (const MeasureColumn& column : columns)
      text += fmt::format(" {} |", measure_cell(spec, rows, column, data->name));
    text += "\n";
  }
  return text;
}

std::string bounds_list(const std::vector<ExperimentRow>& rows) {
  std::string text;
  std::set<const ExperimentAlgorithm*> told;
  for (const ExperimentRow& first : rows) {
    if (first.algorithm->bounds.empty() || !told.insert(first.algorithm).second) continue;
    std::size_t checks = 0;
    std::size_t broken = 0;
    for (const ExperimentRow& row : rows) {
      if (row.algorithm != first.algorithm) continue;
      for (const CellResult& cell : row.results) {
        checks += cell.bound_checks;
        broken += cell.bounds_broken;
      }
    }
    text +=
        fmt::format("- {}: {} comparisons of an error with its bound, one a round; the bound {}\n",
                    first.algorithm->name, checks,
                    broken == 0 ? "held in all" : fmt::format("DID NOT HOLD in {}", broken));
  }
  return text.empty() ? "" : "\nBounds:\n\n" + text;
}

std::string choices_list(const std::vector<ExperimentRow>& rows) {
  std::string text;
  for (const ExperimentRow& row : rows) {
    if (!row.finished() || row.results.size() != 1 || row.results.front().chosen.empty()) continue;
    text += fmt::format("- {}, {}: {}\n", row.data->spec->name, row.algorithm->name,
                        row.results.front().chosen);
  }
  return text.empty() ? "" : "\nChosen on validation rows:\n\n" + text;
}

char sign_of(double first, double second) {
  if (std::isnan(first) || std::isnan(second)) return '?';
  const double difference = std::round(100 * first) - std::round(100 * second);
  return difference < 0 ? '+' : difference > 0 ? '-' : 'o';
}

std::string pairwise_table(const PairwiseTable& table, const std::vector<ExperimentRow>& rows) {
  std::vector<std::string> ours(table.measures.size());
  std::vector<std::string> papers(table.measures.size());
  std::string lines;
  for (const ExperimentData* data : data_sets(rows)) {
    if (!in_table(table, data->name)) continue;
    lines += fmt::format("| {} |", data->name);
    const auto paper = table.paper.find(data->name);
    for (std::size_t m = 0; m < table.measures.size(); ++m) {
      const char sign = sign_of(measure_of(rows, table.first, data->name, table.measures[m]),
                                measure_of(rows, table.second, data->name, table.measures[m]));
      ours[m] += sign;
      lines += fmt::format(" {}", sign);
      if (paper != table.paper.end()) {
        papers[m] += paper->second[m];
        lines += fmt::format(" ({})", paper->second[m]);
      }
      lines += " |";
    }
    lines += "\n";
  }
  if (lines.empty()) return "";
  std::string head = "| data set |";
  std::string rule = "|---|";
  std::string totals = "| total |";
  for (std::size_t m = 0; m < table.measures.size(); ++m) {
    head += fmt::format(" {} |", table.measures[m]);
    rule += "---|";
    totals += " " + total_text(ours[m]);
    totals += papers[m].empty() ? " |" : fmt::format(" ({}) |", total_text(papers[m]));
  }
  return fmt::format(
      "\n{}: + win, o draw, - loss of {} against {}; in brackets the paper's.\n\n{}\n{}\n{}{}\n",
      table.title, table.first, table.second, head, rule, lines, totals);
}

}  // namespace simplexboost
