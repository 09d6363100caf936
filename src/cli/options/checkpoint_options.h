// --checkpoint and --checkpoint-every, shared by the verbs that train for long.
#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "simplexboost/checkpoint.h"

namespace simplexboost::cli {

class CheckpointArguments {
 public:
  // `what` the file keeps, for the help.
  void declare(Arguments& arguments, const std::string& what);
  // UsageError or IoError where they make no sense or the file cannot be written. `files`: those
  // that it must not be.
  void check(const std::vector<std::string>& files);

  bool given() const { return !options_.file.empty(); }
  // To be removed by remove(), once the results are safe.
  const CheckpointOptions& options() const { return options_; }
  void remove() const;

 private:
  static constexpr const char* kEvery = "30s";

  CheckpointOptions options_ = {{}, 30, 0, true};
  std::string every_ = kEvery;
};

}  // namespace simplexboost::cli
