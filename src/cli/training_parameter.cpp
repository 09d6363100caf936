#include "cli/training_parameter.h"

#include "boosting/algorithm_table.h"
#include "cli/arguments.h"
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

}  // namespace simplexboost::cli
