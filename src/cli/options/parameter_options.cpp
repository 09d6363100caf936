#include "cli/options/parameter_options.h"

#include <fmt/format.h>

#include "boosting/setup/algorithm_table.h"
#include "cli/options/toml_file.h"
#include "metric/metric_table.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

void check_algorithm(const std::string& name) {
  try {
    static_cast<void>(find_algorithm(name));
  } catch (const ParameterError& error) {
    throw ParameterError(std::string("algorithm: ") + error.what());
  }
}

void check_metric(const std::string& name) {
  if (name == "auto" || name == "risk") return;
  try {
    check_metric_name(name);
  } catch (const ParameterError& error) {
    throw ParameterError(std::string("early-stopping-metric: ") + error.what());
  }
}

std::string placeholder(const ParameterSpec& spec) {
  if (std::holds_alternative<std::string Parameters::*>(spec.member)) return "NAME";
  return std::holds_alternative<double Parameters::*>(spec.member) ? "X" : "N";
}

std::string describe(const ParameterSpec& spec, const Parameters& defaults) {
  const std::string range = parameter_range(spec);
  return fmt::format("{} [{}{}default {}]", spec.help, range, range.empty() ? "" : "; ",
                     get_parameter(defaults, spec.name));
}

}  // namespace

void set_training_parameter(Parameters& parameters, const std::string& name,
                            const std::string& text) {
  if (name == "algorithm") check_algorithm(text);
  if (name == "early-stopping-metric" || name == "early_stopping_metric") check_metric(text);
  set_parameter(parameters, name, text);
}

void set_parameter_option(Parameters& parameters, const std::string& name,
                          const std::string& text) {
  try {
    set_training_parameter(parameters, name, text);
  } catch (const ParameterError& error) {
    throw UsageError(std::string("--") + error.what());
  }
}

void read_config_file(const std::string& path, Parameters& parameters) {
  for (const auto& [key, node] : read_toml(path)) {
    try {
      // An unknown name is said before anything about its value.
      static_cast<void>(get_parameter(parameters, key.str()));
      set_training_parameter(parameters, std::string(key.str()), value_text(path, key.str(), node));
    } catch (const ParameterError& error) {
      throw DataError(place_of(path, key.source()), error.what());
    }
  }
}

void ParameterOptions::declare(Arguments& arguments) {
  const Parameters defaults;
  for (const ParameterSpec& spec : parameter_specs()) {
    arguments.group(std::string(spec.group));
    const std::string name(spec.name);
    arguments.custom(
        "--" + name, placeholder(spec),
        [this, name](const std::string& text) { given_.emplace_back(name, text); },
        describe(spec, defaults));
  }
  arguments.option("--config", "FILE", config_,
                   "TOML file of parameters (rounds = 200); the command line overrides it.");
}

Parameters ParameterOptions::resolve() const {
  Parameters parameters;
  if (!config_.empty()) read_config_file(config_, parameters);
  for (const auto& [name, text] : given_) set_parameter_option(parameters, name, text);
  return parameters;
}

bool ParameterOptions::given(std::string_view name) const {
  for (const auto& [known, text] : given_)
    if (known == name) return true;
  return get_parameter(resolve(), name) != get_parameter(Parameters{}, name);
}

void declare_threads_option(Arguments& arguments, int& threads) {
  arguments.custom(
      "--threads", "N",
      [&threads](const std::string& text) {
        // The range is the training parameter's.
        Parameters parameters;
        set_parameter_option(parameters, "threads", text);
        threads = parameters.threads;
      },
      "Threads; 0 (the default): all cores.");
}

void declare_predict_options(Arguments& arguments, PredictOptions& options) {
  declare_threads_option(arguments, options.threads);
  arguments.option("--rounds", "N", options.rounds,
                   "Use only the first N rounds of the model; 0 (the default): all.");
}

void check_predict_options(const PredictOptions& options, const Model& model) {
  if (options.rounds <= model.rounds()) return;
  throw UsageError(
      fmt::format("--rounds: the model has {} rounds, not {}", model.rounds(), options.rounds));
}

}  // namespace simplexboost::cli
