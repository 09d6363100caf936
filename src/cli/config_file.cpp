#include "cli/config_file.h"

#include "cli/toml_file.h"
#include "cli/training_parameter.h"

namespace simplexboost::cli {

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

}  // namespace simplexboost::cli
