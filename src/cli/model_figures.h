// Pictures of how a model came to be, from its training log.
#pragma once

#include <span>
#include <string_view>

#include "experiment/svg_plot.h"
#include "model/ensemble.h"

namespace simplexboost::cli {

// The names of the figures.
std::span<const std::string_view> model_figures();

// errors: of training and validation, against the rounds. bounds: the errors that the algorithm
// bounds, and their bounds, against the rounds. margins: how many training rows have which margin.
// Throws ModelError where the model has no such figures, and UsageError for another name.
Plot model_figure(const Ensemble& ensemble, std::string_view name);

}  // namespace simplexboost::cli
