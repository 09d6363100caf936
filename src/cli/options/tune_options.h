// What `tune` is asked for.
#pragma once

#include <string>

#include "cli/options/checkpoint_options.h"
#include "cli/options/data_options.h"
#include "cli/options/memory_options.h"
#include "cli/options/parameter_options.h"
#include "tuning/plan.h"

namespace simplexboost::cli {

struct TuneOptions {
  std::string data;
  std::string model;
  std::string valid;
  std::string test;
  std::string group;
  std::string search = "halving";
  std::string budget;
  std::string report;
  SearchRequest asked;
  CheckpointArguments checkpoint;
  MemoryArguments memory;
  ReadOptions read;
  ParameterOptions parameters;
  bool ensemble = false;
  bool json = false;
  bool quiet = false;

  void declare(Arguments& arguments);
  // UsageError or IoError where they make no sense or a file cannot be written. Sets what `asked`
  // has of `search` and `budget`.
  void check();

  bool trains_winner() const { return !model.empty() || !test.empty(); }
};

}  // namespace simplexboost::cli
