#include "experiment/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/readers/csv_field.h"
#include "experiment/tables.h"

namespace simplexboost {
namespace {

std::string metric_name(const ExperimentSpec& spec) {
  return spec.metric == ExperimentMetric::kAccuracy ? "accuracy" : "error";
}

double cell_value(const ExperimentSpec& spec, const CellResult& cell) {
  const double error = 100 * static_cast<double>(cell.wrong) / static_cast<double>(cell.rows);
  return spec.metric == ExperimentMetric::kAccuracy ? 100 - error : error;
}

std::string row_name(const ExperimentRow& row) {
  return row.dimension == 0 ? row.algorithm->name
                            : fmt::format("{}, d = {}", row.algorithm->name, row.dimension);
}

// Cross-validation tests every row once; repeats of it, or of a random split, no further ones.
std::size_t tested_rows(const ExperimentRow& row) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < row.results.size(); ++i)
    if (row.splits[i].seed == row.splits.front().seed) rows += row.results[i].rows;
  return rows;
}

// Not as good as the paper's figure by more than one error bar: accuracy is better when larger.
bool short_of_paper(const ExperimentSpec& spec, const Comparison& comparison) {
  const double sign = spec.metric == ExperimentMetric::kAccuracy ? 1 : -1;
  return comparison.paper && sign * comparison.bars_off < -1;
}

std::string settings_text(const ExperimentRow& row) {
  std::string text;
  const Parameters defaults;
  for (const ParameterSpec& spec : parameter_specs()) {
    if (spec.of_machine || spec.name == "rounds" || spec.name == "dimension") continue;
    const std::string value = get_parameter(row.algorithm->parameters, spec.name);
    if (value == get_parameter(defaults, spec.name)) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", spec.name, value);
  }
  for (const GridAxis& axis : row.grid)
    text += fmt::format(", {} out of {}", axis.parameter, fmt::join(axis.values, ", "));
  return text;
}

// As asked for, or the mean of what was chosen.
std::string rounds_text(const ExperimentRow& row) {
  const bool chosen =
      row.protocol.validation != ValidationRows::kNone || row.protocol.at_least_train_error;
  if (!chosen) return fmt::format("{}", row.parameters.rounds);
  double rounds = 0;
  for (const CellResult& cell : row.results)
    rounds += static_cast<double>(cell.rounds) / static_cast<double>(row.results.size());
  return fmt::format("{:.0f} of {}", rounds, row.parameters.rounds);
}

std::string table_line(const ExperimentSpec& spec, const ExperimentRow& row) {
  const Comparison c = compare(spec, row);
  const std::string spread = c.spread ? fmt::format(" (sd {:.2f})", *c.spread) : "";
  const std::string paper = c.paper ? fmt::format("{} ± {:.2f}", *c.paper, c.bar) : "—";
  const std::string off = c.paper ? fmt::format("{:+.1f}", c.bars_off) : "";
  return fmt::format("| {} | {} | {} | {:.2f}{} | {} | {} | {} | {:.2f} |\n", row.data->spec->name,
                     row_name(row), rounds_text(row), c.ours, spread, paper, off,
                     c.outside() ? "outside" : "", c.seconds);
}

std::string measures_text(const ExperimentSpec& spec, const CellResult& cell) {
  std::string text;
  for (const std::string& name : spec.measures) {
    const auto measure = cell.measures.find(name);
    text += measure == cell.measures.end() ? "," : fmt::format(",{:.4f}", measure->second);
  }
  return text;
}

// Cells that an earlier run left in the journal may be another program's.
std::string other_programs(const std::vector<ExperimentRow>& rows, const std::string& program) {
  std::map<std::string, std::size_t> counts;
  std::size_t all = 0;
  for (const ExperimentRow& row : rows)
    for (const CellResult& cell : row.results) {
      ++all;
      if (!cell.program.empty() && cell.program != program) ++counts[cell.program];
    }
  std::string text;
  for (const auto& [other, count] : counts)
    text += fmt::format("- of another program: {} of {} trainings, {}\n", count, all, other);
  return text;
}

std::string head(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows,
                 const Circumstances& circumstances) {
  std::string text = fmt::format("# {}\n\n{}\n\n", spec.title, spec.paper);
  text += fmt::format("- command: `{}`\n- date: {}, {}\n- machine: {}\n", circumstances.command,
                      circumstances.date, circumstances.program, circumstances.machine);
  text += other_programs(rows, circumstances.program);
  if (!spec.notes.empty()) text += fmt::format("\n{}\n", spec.notes);
  return text;
}

std::string settings_list(const std::vector<ExperimentRow>& rows) {
  std::string text = "\nSettings (all others are the defaults):\n\n";
  const ExperimentAlgorithm* last = nullptr;
  for (const ExperimentRow& row : rows) {
    if (row.algorithm == last) continue;
    last = row.algorithm;
    text += fmt::format("- {}: {}\n", last->name, settings_text(row));
  }
  return text;
}

// How many rows are as good as the paper's, for each algorithm that the paper has figures of.
std::string tally(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows) {
  std::string text;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) {
    std::size_t compared = 0;
    std::size_t reached = 0;
    std::size_t outside = 0;
    for (const ExperimentRow& row : rows) {
      if (row.algorithm != &algorithm || !row.finished()) continue;
      const Comparison c = compare(spec, row);
      if (!c.paper) continue;
      ++compared;
      if (!short_of_paper(spec, c)) ++reached;
      if (c.outside()) ++outside;
    }
    if (compared > 0) {
      text += fmt::format(
          "- {}: at least as good as the paper's figure, one error bar allowed, on {} of {} data "
          "sets; more than two bars off, to either side, on {}\n",
          algorithm.name, reached, compared, outside);
    }
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

double binomial_bar(double percent, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  const double p = std::clamp(percent / 100, 0.5 / n, 1 - 0.5 / n);
  return 100 * std::sqrt(p * (1 - p) / n);
}

Comparison compare(const ExperimentSpec& spec, const ExperimentRow& row) {
  Comparison comparison;
  const auto cells = static_cast<double>(row.results.size());
  double squares = 0;
  for (const CellResult& cell : row.results) {
    comparison.ours += cell_value(spec, cell) / cells;
    comparison.seconds += cell.seconds / cells;
  }
  for (const CellResult& cell : row.results)
    squares += std::pow(cell_value(spec, cell) - comparison.ours, 2);
  if (row.results.size() > 1) comparison.spread = std::sqrt(squares / (cells - 1));
  const auto figure = spec.figures.find({row.algorithm->name, row.data->spec->name});
  if (figure == spec.figures.end() || row.dimension > 0) return comparison;
  const std::size_t stated = row.data->spec->paper_test_rows;
  const std::size_t rows = stated > 0 ? stated : tested_rows(row);
  comparison.paper = figure->second.value;
  comparison.bar = figure->second.bar.value_or(binomial_bar(figure->second.value, rows));
  comparison.bars_off = (comparison.ours - *comparison.paper) / comparison.bar;
  return comparison;
}

std::string row_line(const ExperimentSpec& spec, const ExperimentRow& row) {
  const Comparison c = compare(spec, row);
  std::string text =
      fmt::format("{:<14} {:<18} {:>6.2f}", row.data->spec->name, row_name(row), c.ours);
  if (c.paper) {
    text += fmt::format("  paper {:>5}  {:+.1f} error bars{}", *c.paper, c.bars_off,
                        c.outside() ? "  OUTSIDE" : "");
  }
  return text;
}

std::string report_markdown(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows,
                            const std::vector<std::string>& missing,
                            const Circumstances& circumstances) {
  std::string text = head(spec, rows, circumstances) + settings_list(rows);
  text += fmt::format(
      "\nFigures are the {} in percent; error bars are the paper's, else the binomial standard "
      "error of its figure.\n\n| data set | algorithm | rounds | ours | paper | off by (bars) | | "
      "seconds |\n|---|---|---|---|---|---|---|---|\n",
      metric_name(spec));
  std::size_t unfinished = 0;
  for (const ExperimentRow& row : rows) {
    if (row.finished()) {
      text += table_line(spec, row);
    } else {
      ++unfinished;
    }
  }
  text += tally(spec, rows);
  text += choices_list(rows);
  text += measure_table(spec, rows);
  text += bounds_list(rows);
  for (const PairwiseTable& table : spec.pairwise) text += pairwise_table(table, rows);
  for (const std::string& line : missing) text += fmt::format("\nNot here: {}.\n", line);
  if (unfinished > 0) {
    text +=
        fmt::format("\nNot finished: {} rows; the same command goes on from here.\n", unfinished);
  }
  return text;
}

std::string report_csv(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows) {
  std::string text = "data,algorithm,dimension,split,rounds_asked,rounds,test_rows,wrong," +
                     metric_name(spec) + ",paper,paper_bar,bars_off,train_seconds";
  for (const std::string& name : spec.measures) text += "," + name;
  text += ",chosen\n";
  for (const ExperimentRow& row : rows) {
    for (std::size_t i = 0; i < row.results.size(); ++i) {
      const CellResult& cell = row.results[i];
      std::string paper = ",,";
      if (row.finished()) {
        const Comparison c = compare(spec, row);
        if (c.paper) paper = fmt::format("{},{:.4f},{:.3f}", *c.paper, c.bar, c.bars_off);
      }
      text += fmt::format("{},{},{},{},{},{},{},{},{:.4f},{},{:.4f}{},{}\n",
                          csv_field(row.data->spec->name), csv_field(row.algorithm->name),
                          row.dimension > 0 ? fmt::format("{}", row.dimension) : "",
                          row.splits[i].name, row.parameters.rounds, cell.rounds, cell.rows,
                          cell.wrong, cell_value(spec, cell), paper, cell.seconds,
                          measures_text(spec, cell), csv_field(cell.chosen));
    }
  }
  return text;
}

}  // namespace simplexboost
