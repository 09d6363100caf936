#include "cli/training_parameter.h"

#include "boosting/algorithm_table.h"
#include "cli/arguments.h"
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

}  // namespace

void set_training_parameter(Parameters& parameters, const std::string& name,
                            const std::string& text) {
  if (name == "algorithm") check_algorithm(text);
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
