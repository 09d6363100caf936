// The metrics by name: what each means, which labels it is for, and which way is better. One table
// serves evaluation, early stopping, cross-validation and tuning.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/tally.h"

namespace simplexboost {

enum class MetricLabels : unsigned char { kAny, kOne, kSets };

struct MetricRow {
  // As on the command line; "{}" stands for a number, as in "top-{}-error".
  std::string_view name;
  std::string_view title;  // for people
  std::string_view help;
  bool higher_is_better;
  MetricLabels labels;
  unsigned parts;  // of the tally
  // Of the number in the name: the usual one, and the range. 0: there is none.
  int usual_number, least_number, most_number;
  double (*value)(const Evaluation&, int number);  // NaN where there is nothing to divide by
};

std::span<const MetricRow> metric_table();

// A row, with a number where its name has one.
class Metric {
 public:
  explicit Metric(const MetricRow& row) : Metric(row, row.usual_number) {}
  Metric(const MetricRow& row, int number) : row_(&row), number_(number) {}

  std::string name() const;       // "top-5-error"
  std::string title() const;      // "top-5 error"
  std::string json_name() const;  // "top_5_error"
  std::string_view help() const { return row_->help; }
  unsigned parts() const { return row_->parts; }
  bool higher_is_better() const { return row_->higher_is_better; }
  // NaN where the evaluation did not gather what it takes.
  double value(const Evaluation& evaluation) const;
  // NaN is never better, and anything is better than NaN.
  bool better(double a, double b) const;

 private:
  const MetricRow* row_;
  int number_;
};

// All that fit the labels, with the usual numbers.
std::vector<Metric> all_metrics(bool multi_label);
// The few that say most, for a first look.
std::vector<Metric> usual_metrics(bool multi_label);

// By name, '-' or '_'; "top-5" will do for "top-5-error". For sets of labels "error" is the Hamming
// loss. Throws ParameterError that names the nearest, or says that the metric is not for such
// labels.
Metric find_metric(std::string_view name, bool multi_label);
// The same where the labels are not known yet: throws if no kind of labels has the metric.
void check_metric_name(std::string_view name);

unsigned parts_of(std::span<const Metric> metrics);

}  // namespace simplexboost
