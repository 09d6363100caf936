// An evaluation in words and tables, for people and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/text/json.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"

namespace simplexboost::cli {

// A figure with four decimals; "-" where there is none.
std::string format_figure(double value);
// A number of rows, or a weight: whole where it is whole.
std::string format_count(double count);

// The metrics that a list of names means, or the usual ones where it is empty. UsageError on a name
// that there is none of.
std::vector<Metric> choose_metrics(const std::vector<std::string>& names, bool multi_label);

// A metric a line, with what it means.
std::string figures_text(const Evaluation& evaluation, std::span<const Metric> metrics);

// The table of true against predicted classes, or the largest confusions where there are too many
// classes to look at.
std::string confusion_text(const Evaluation& evaluation, const std::vector<std::string>& classes);

// Rows, precision, recall and F1 of every class, or of the worst where there are many.
std::string per_class_text(const Evaluation& evaluation, const std::vector<std::string>& classes);

// Every metric, the per-class table and the confusion. The nested table of the confusion is null
// for more than `table_limit` classes. Needs an evaluation of all parts.
Json evaluation_json(const Evaluation& evaluation, std::span<const Metric> metrics,
                     const std::vector<std::string>& classes, std::size_t table_limit);

}  // namespace simplexboost::cli
