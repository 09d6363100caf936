#include "cli/parameter_options.h"

#include <fmt/format.h>

#include "base/nearest_name.h"
#include "boosting/algorithm_table.h"
#include "cli/config_file.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

std::string placeholder(const ParameterSpec& spec) {
  if (std::holds_alternative<std::string Parameters::*>(spec.member)) return "NAME";
  return std::holds_alternative<double Parameters::*>(spec.member) ? "X" : "N";
}

std::string describe(const ParameterSpec& spec, const Parameters& defaults) {
  const std::string range = parameter_range(spec);
  return fmt::format("{} [{}{}default {}]", spec.help, range, range.empty() ? "" : "; ",
                     get_parameter(defaults, spec.name));
}

void check_algorithm(const std::string& name) {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithm_table()) {
    if (row.name == name) return;
    names.push_back(row.name);
  }
  throw ParameterError(unknown_name_message("algorithm", name, names));
}

}  // namespace

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
  for (const auto& [name, text] : given_) {
    try {
      set_parameter(parameters, name, text);
    } catch (const ParameterError& error) {
      throw UsageError(fmt::format("--{}", error.what()));
    }
  }
  check_algorithm(parameters.algorithm);
  return parameters;
}

}  // namespace simplexboost::cli
