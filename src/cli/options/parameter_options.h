// The way of a parameter from text to its value: one by its name, a TOML file of them, and every
// training parameter as an option of its own, made from the one table of parameters. The command
// line overrides the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/arguments.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"

namespace simplexboost::cli {

// As set_parameter, and an algorithm's name must be one of the table's. Throws ParameterError.
void set_training_parameter(Parameters& parameters, const std::string& name,
                            const std::string& text);

// The same for an option of the command line: throws UsageError that begins with "--NAME: ".
void set_parameter_option(Parameters& parameters, const std::string& name, const std::string& text);

// Reads `rounds = 200`, one a line. A key that is no parameter, or a value out of its range, is a
// DataError with the file, line and column.
void read_config_file(const std::string& path, Parameters& parameters);

// All of them, and `--config` for a file.
class ParameterOptions {
 public:
  // Must outlive the parsing.
  void declare(Arguments& arguments);

  // After parsing: defaults, then the file, then the command line.
  Parameters resolve() const;
  // Whether the command line or the file says something about a parameter; of the file, only what
  // differs from the default.
  bool given(std::string_view name) const;

 private:
  std::string config_;
  std::vector<std::pair<std::string, std::string>> given_;
};

void declare_threads_option(Arguments& arguments, int& threads);

// The few that the verbs that predict with a model share.
void declare_predict_options(Arguments& arguments, PredictOptions& options);

// Throws UsageError on values that make no sense for this model.
void check_predict_options(const PredictOptions& options, const Model& model);

}  // namespace simplexboost::cli
