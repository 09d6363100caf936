#include "cli/model_options.h"

#include <fmt/format.h>

#include "cli/training_parameter.h"

namespace simplexboost::cli {

void declare_predict_options(Arguments& arguments, PredictOptions& options) {
  arguments.custom(
      "--threads", "N",
      [&options](const std::string& text) {
        // The range is the training parameter's.
        Parameters parameters;
        set_parameter_option(parameters, "threads", text);
        options.threads = parameters.threads;
      },
      "Threads; 0 (the default): all cores.");
  arguments.option("--rounds", "N", options.rounds,
                   "Use only the first N rounds of the model; 0 (the default): all.");
}

void check_predict_options(const PredictOptions& options, const Model& model) {
  if (options.rounds <= model.rounds()) return;
  throw UsageError(
      fmt::format("--rounds: the model has {} rounds, not {}", model.rounds(), options.rounds));
}

}  // namespace simplexboost::cli
