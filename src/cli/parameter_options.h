// Every training parameter as an option of its own, made from the one table of parameters, and
// `--config` for a file of them. The command line overrides the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "simplexboost/parameters.h"

namespace simplexboost::cli {

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

}  // namespace simplexboost::cli
