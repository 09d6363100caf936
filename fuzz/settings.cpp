// Files of settings: parameters (--config) and experiments, both TOML. What was taken is the same
// when it is written down and read again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/options/experiment_file.h"
#include "cli/options/parameter_options.h"
#include "cli/options/toml_file.h"
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

std::string told(const Parameters& parameters) {
  std::string text;
  for (const ParameterSpec& spec : parameter_specs())
    text += fmt::format("{} = {}\n", spec.name, toml_string(get_parameter(parameters, spec.name)));
  return text;
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
  written.write(told(parameters));
  Parameters again;
  cli::read_config_file(written.path(), again);
  for (const ParameterSpec& spec : parameter_specs())
    require(get_parameter(parameters, spec.name) == get_parameter(again, spec.name),
            "a parameter is another one when written and read");
}

std::string told(const std::optional<GeneratorSpec>& spec) {
  if (!spec) return "none";
  const auto count = [](const std::optional<std::size_t>& value) { return value.value_or(0); };
  return fmt::format("{} {} {} {} {} {} {} {}", spec->name, count(spec->rows), spec->seed,
                     spec->label_noise, count(spec->classes), count(spec->features),
                     count(spec->informative), spec->bayes_error.value_or(-1));
}

std::string told(const std::vector<GridAxis>& grid) {
  std::string text;
  for (const GridAxis& axis : grid) text += fmt::format("{}: {}\n", axis.parameter, axis.values);
  return text;
}

std::string told(const ExperimentData& data) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", data.name, data.folder, data.paper_name,
                     data.paper_test_rows, told(data.train_generator), told(data.test_generator),
                     data.pool, data.ordinal, data.label_noise, data.most_rounds, data.image);
}

std::string told(const ExperimentAlgorithm& algorithm) {
  return fmt::format("{} {} {} {} {}\n{}{}{}", algorithm.name, algorithm.rounds_per_class,
                     algorithm.quick_rounds, algorithm.all_dimensions, algorithm.bounds,
                     told(algorithm.parameters), told(algorithm.grid), told(algorithm.fold_grid)) +
         fmt::format("{}\n", algorithm.rounds_rule ? static_cast<int>(*algorithm.rounds_rule) : -1);
}

// All that a specification says.
std::string told(const ExperimentSpec& spec) {
  const ExperimentProtocol& protocol = spec.protocol;
  std::string text = fmt::format("{} {} {} {} {} {} {} {}\n", spec.title, spec.paper, spec.notes,
                                 static_cast<int>(spec.metric), spec.measures, spec.curves,
                                 spec.stages, spec.measured);
  text += fmt::format("{} {} {} {} {} {} {} {}\n", protocol.test_fraction, protocol.seeds,
                      protocol.folds, static_cast<int>(protocol.validation),
                      protocol.validation_folds, static_cast<int>(protocol.rounds_rule),
                      protocol.retrain, protocol.at_least_train_error);
  for (const ExperimentData& data : spec.data) text += told(data);
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) text += told(algorithm);
  for (const auto& [place, figure] : spec.figures)
    text += fmt::format("{} {} {}\n", place, figure.value, figure.bar.value_or(-1));
  for (const PairwiseTable& pairs : spec.pairwise)
    text += fmt::format("{} {} {} {} {} {}\n", pairs.title, pairs.first, pairs.second,
                        pairs.measures, pairs.data, pairs.paper);
  return text;
}

// Tables written out by the library that reads them look otherwise, and say the same.
void run_experiment(Bytes bytes) {
  static const ScratchFile file("experiment.toml");
  static const ScratchFile written("experiment-written.toml");
  file.write(bytes);
  std::optional<ExperimentSpec> spec;
  try {
    spec = cli::read_experiment_file(file.path());
  } catch (const Error&) {
    return;
  }
  require(!spec->data.empty() && !spec->algorithms.empty(), "an experiment of nothing");
  for (const ExperimentAlgorithm& algorithm : spec->algorithms) {
    require_in_range(algorithm.parameters);
    check_parameters(algorithm.parameters);
  }
  std::ostringstream text;
  text << cli::read_toml(file.path());
  written.write(text.str());
  require(told(cli::read_experiment_file(written.path())) == told(*spec),
          "an experiment is another one when written and read");
}

}  // namespace

const Target kConfigTarget = {"config", run_config, nullptr};
const Target kExperimentTarget = {"experiment", run_experiment, nullptr};

}  // namespace simplexboost::fuzz
