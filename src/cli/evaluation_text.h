// An evaluation in words and tables, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metric/evaluation.h"

namespace simplexboost::cli {

// A figure with four decimals; "-" where there is none.
std::string format_figure(double value);
// A number of rows, or a weight: whole where it is whole.
std::string format_count(double count);

// Error, balanced error and log loss, one a line.
std::string figures_text(const Evaluation& evaluation);

// The table of true against predicted classes, or the largest confusions where there are too many
// classes to look at.
std::string confusion_text(const Confusion& confusion, const std::vector<std::string>& classes);

// Rows, precision, recall and F1 of every class, or of the worst where there are many.
std::string per_class_text(const Confusion& confusion, const std::vector<std::string>& classes);

// The nested table is null for more than `table_limit` classes.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation,
                                       const std::vector<std::string>& classes,
                                       std::size_t table_limit);

}  // namespace simplexboost::cli
