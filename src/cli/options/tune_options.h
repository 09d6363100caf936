// What `tune` is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/checkpoint_options.h"
#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "tuning/search.h"

namespace simplexboost::cli {

struct TuneOptions {
  static constexpr int kUsualFinalists = 5;
  static constexpr std::size_t kUsualTrials = 50;  // where there is no --budget

  std::string data;
  std::string model;
  std::string valid;
  std::string test;
  std::string group;
  std::string search = "halving";
  std::string metric = "error";
  std::string budget;
  std::string journal;
  std::string report;
  CheckpointArguments checkpoint;
  std::vector<std::string> algorithms;
  std::vector<SearchRange> ranges;
  double valid_fraction = 0;
  int folds = 0;
  int finalists = kUsualFinalists;
  std::uint64_t trials = 0;
  ReadOptions read;
  ParameterOptions parameters;
  bool ensemble = false;
  bool json = false;
  bool quiet = false;

  void declare(Arguments& arguments);
  // UsageError or IoError where they make no sense or a file cannot be written.
  void check();

  SearchKind search_kind() const;
  double seconds() const;   // of --budget; infinite without one
  double fraction() const;  // of the rows that are held out where there are no folds
  bool trains_winner() const { return !model.empty() || !test.empty(); }
};

}  // namespace simplexboost::cli
