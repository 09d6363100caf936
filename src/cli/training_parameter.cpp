#include "cli/training_parameter.h"

#include <string_view>
#include <vector>

#include "base/nearest_name.h"
#include "boosting/algorithm_table.h"
#include "cli/arguments.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

void check_algorithm(const std::string& name) {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithm_table()) {
    if (row.name == name) return;
    names.push_back(row.name);
  }
  throw ParameterError("algorithm: " + unknown_name_message("algorithm", name, names));
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
