// Every training parameter: its name, type, range, default and help, declared once. The command
// line, configuration files, model files and Python all read the one table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// Plain values. "auto" (or 0 where said so) leaves the choice to the algorithm's row.
struct Parameters {
  std::string algorithm = "auto";
  std::string loss = "auto";
  std::string codewords = "auto";
  int dimension = 0;                // of the codewords; 0: as the kind has it
  std::string posterior = "exact";  // or "approximate": where the codewords tell none
  int rounds = 100;
  std::string learner = "auto";
  int depth = 0;            // 0: the learner's default
  int leaves = 0;           // 0: as depth says; else best-first growth to this many leaves
  int factors = 3;          // hamming-product
  int linear_features = 1;  // linear
  std::string leaf_values = "auto";
  std::string leaf_precision = "auto";
  std::string criterion = "auto";             // of learners that say classes
  std::string categorical_splits = "subset";  // or "one-vs-rest"
  int subset_values = 64;  // categories of more values are told by target statistics
  int sketch = -1;         // channels that shape a tree; 0: all outputs, -1: as the data suggests
  std::string sketch_kind = "projection";
  double learning_rate = 0;  // 0: the algorithm's default
  int min_rows = 1;
  double min_weight = 0;
  double min_gain = 0;
  double l2 = -1;  // -1: the algorithm's default
  double row_fraction = 1.0;
  double feature_fraction = 0;
  std::string bootstrap = "auto";
  double node_features = 0;         // a share below 1, else a number; 0: the algorithm's default
  std::string thresholds = "auto";  // or "best", "drawn"
  double split_noise = 0;
  std::string image = "none";         // or "28x28", "32x32x3": the columns are its pixels
  int filters = 0;                    // drawn anew for each node; 0: some
  std::string monotone = "none";      // or "age:+high,dose:-high": scores that rise or fall
  std::string interactions = "none";  // or "a,b;b,c": features that may come together
  std::string resample = "none";
  double weight_floor = -1;            // -1: the algorithm's default
  int base_candidates = 1;             // abc: classes tried as the base; 0: all
  int base_gap = 1;                    // abc: rounds to a choice of the base
  double uninformed_share = 0;         // boostma; 0: from the classes' shares
  std::string class_weight = "none";   // or "balanced", "a=2,b=0.5", a file of such lines
  std::string costs = "none";          // or "0,1;5,0", a CSV file: classes x classes
  double margin_rows = 0.25;           // dmcboost: n', a share of the rows or a number of them
  double relaxation = 0.1;             // dmcboost: epsilon
  double margin_smoothing = 1;         // dmcboost: of the margins that trees are chosen by
  int phase_patience = 50;             // dmcboost: rounds without gain before a phase ends
  int phases = 2;                      // dmcboost: 1 for the error alone, without the margins
  std::string tree_search = "curves";  // dmcboost: or "exact"
  int search_steps = 64;               // dmcboost: steps at which trees are judged in phase I
  int max_bins = 0;
  std::string early_stopping_metric = "auto";
  int early_stopping = -1;  // rounds without a better validation figure; 0: never, -1: see help
  std::string early_stopping_rule = "best";
  int early_stopping_start = -1;  // -1: as the rule has it
  double histogram_memory = 0;    // MB; 0: as much as pays
  int threads = 0;                // 0: all cores
  std::string device = "cpu";     // or "cuda", "cuda:1": where rounds are computed
  std::uint64_t seed = 0;
};

struct ParameterSpec {
  using Member = std::variant<int Parameters::*, double Parameters::*, std::uint64_t Parameters::*,
                              std::string Parameters::*>;
  std::string_view name;   // as on the command line: "learning-rate"
  std::string_view group;  // the heading it stands under in help
  Member member;
  double minimum = 0;  // numbers only; both ends are allowed
  double maximum = 0;
  std::vector<std::string_view> choices;  // strings only; empty: any
  std::string_view help;
  bool of_machine = false;  // who computes: no result depends on it, and models do not tell it
};

// All of them, in the order in which help shows them.
SIMPLEXBOOST_API std::span<const ParameterSpec> parameter_specs();

// The allowed values in words: "1 to 65536", "0 or more", "auto, stump, tree"; empty: any text.
SIMPLEXBOOST_API std::string parameter_range(const ParameterSpec& spec);

// Names may be written with '-' or '_'. Setting one from text throws ParameterError that begins
// with "NAME: " and names the range or the choices; an unknown name gets the nearest valid one.
// Whether an algorithm of that name exists is for training to say.
SIMPLEXBOOST_API void set_parameter(Parameters& parameters, std::string_view name,
                                    std::string_view value);
SIMPLEXBOOST_API std::string get_parameter(const Parameters& parameters, std::string_view name);

// Throws ParameterError at the first value outside its range.
SIMPLEXBOOST_API void check_parameters(const Parameters& parameters);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
