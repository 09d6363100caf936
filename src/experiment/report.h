// What came of an experiment: our figures beside the paper's with the difference in error bars,
// as a line of text, as Markdown and as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/run.h"

namespace simplexboost {

// One row of the report, in percent of the spec's metric.
struct Comparison {
  double ours = 0;               // mean over the splits
  std::optional<double> spread;  // standard deviation over the splits, where there are several
  std::optional<double> paper;   // the next two only where the paper has a figure
  double bar = 0;                // the paper's own error bar, else the binomial one
  double bars_off = 0;           // (ours - paper) / bar
  double seconds = 0;            // of training, mean over the splits

  // Further off than two error bars, to either side.
  bool outside() const { return paper && (bars_off > 2 || bars_off < -2); }
};

// The standard error of a share that was counted on `rows` rows, in percent as the share is. A
// share of 0 or 100 counts as half a row away from it.
double binomial_bar(double percent, std::size_t rows);

// The row must be finished.
Comparison compare(const ExperimentSpec& spec, const ExperimentRow& row);

// "letter  GD-MCBoost  85.30  paper 85.2 (+0.2 bars)".
std::string row_line(const ExperimentSpec& spec, const ExperimentRow& row);

// Where and when an experiment was run, for the head of its report.
struct Circumstances {
  std::string command;
  std::string date;
  std::string program;
  std::string machine;
};

// Rows that are not finished are left out and counted in a last line.
std::string report_markdown(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows,
                            const std::vector<std::string>& missing,
                            const Circumstances& circumstances);
std::string report_csv(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows);

}  // namespace simplexboost
