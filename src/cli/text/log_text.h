// What a training log tells: its figures, the margins of the training rows for people and as JSON,
// and pictures of how the model came to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text/json.h"
#include "experiment/svg_plot.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {

// A figure of the training log ("train_error") after the model's last round; NaN where the log has
// none, as after no round at all.
double logged_figure(const Model& model, std::string_view name);

// A heading and a table of one line; nothing where there are no margins.
std::string margins_text(const std::optional<MarginSummary>& margins);

// null where there are none.
Json margins_json(const std::optional<MarginSummary>& margins);

// The names of the pictures.
std::span<const std::string_view> model_figures();

// errors: of training and validation, against the rounds. bounds: the errors that the algorithm
// bounds, and their bounds, against the rounds. margins: how many training rows have which margin.
// Throws ModelError where the model has no such figures, and UsageError for another name.
Plot model_figure(const Model& model, std::string_view name);

}  // namespace simplexboost::cli
