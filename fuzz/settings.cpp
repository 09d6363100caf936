// Files of settings: parameters (--config) and experiments, both TOML. Parameters that were taken
// are the same when they are written down and read again.
#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <variant>

#include "cli/options/experiment_file.h"
#include "cli/options/parameter_options.h"
#include "simplexboost/error.h"
#include "simplexboost/parameters.h"
#include "target.h"

namespace simplexboost::fuzz {
namespace {

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '\x7f')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

// By the table alone, not by the code that checks it.
void require_in_range(const Parameters& parameters) {
  for (const ParameterSpec& spec : parameter_specs())
    std::visit(
        [&](auto member) {
          if constexpr (!std::is_same_v<decltype(member), std::string Parameters::*>)
            require(static_cast<double>(parameters.*member) >= spec.minimum &&
                        static_cast<double>(parameters.*member) <= spec.maximum,
                    "a parameter beyond its range");
        },
        spec.member);
}

void run_config(Bytes bytes) {
  static const ScratchFile file("input.toml");
  static const ScratchFile written("written.toml");
  file.write(bytes);
  Parameters parameters;
  try {
    cli::read_config_file(file.path(), parameters);
  } catch (const Error&) {
    return;
  }
  require_in_range(parameters);
  check_parameters(parameters);
  std::string text;
  for (const ParameterSpec& spec : parameter_specs())
    text += fmt::format("{} = {}\n", spec.name, toml_string(get_parameter(parameters, spec.name)));
  written.write(text);
  Parameters again;
  cli::read_config_file(written.path(), again);
  for (const ParameterSpec& spec : parameter_specs())
    require(get_parameter(parameters, spec.name) == get_parameter(again, spec.name),
            "a parameter is another one when written and read");
}

void run_experiment(Bytes bytes) {
  static const ScratchFile file("experiment.toml");
  file.write(bytes);
  try {
    const ExperimentSpec spec = cli::read_experiment_file(file.path());
    require(!spec.data.empty() && !spec.algorithms.empty(), "an experiment of nothing");
    for (const ExperimentAlgorithm& algorithm : spec.algorithms)
      check_parameters(algorithm.parameters);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

const Target kConfigTarget = {"config", run_config, nullptr};
const Target kExperimentTarget = {"experiment", run_experiment, nullptr};

}  // namespace simplexboost::fuzz
