// The evaluation of predicted sets of labels in words and tables, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metric/multi_label.h"

namespace simplexboost::cli {

// Hamming loss, exact-match error, F1 and log loss, one a line.
std::string figures_text(const MultiLabelEvaluation& evaluation);

// Figures of every label, or of the worst where there are many.
std::string per_label_text(const MultiLabelCounts& counts, const std::vector<std::string>& labels);

nlohmann::ordered_json evaluation_json(const MultiLabelEvaluation& evaluation,
                                       const std::vector<std::string>& labels);

}  // namespace simplexboost::cli
