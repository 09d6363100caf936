#include "cli/parameter_options.h"

#include <fmt/format.h>

#include "cli/config_file.h"
#include "cli/training_parameter.h"

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
  for (const auto& [name, text] : given_) set_parameter_option(parameters, name, text);
  return parameters;
}

bool ParameterOptions::given(std::string_view name) const {
  for (const auto& [known, text] : given_)
    if (known == name) return true;
  return get_parameter(resolve(), name) != get_parameter(Parameters{}, name);
}

}  // namespace simplexboost::cli
