#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/json.h"
#include "cli/options/data_options.h"
#include "cli/options/memory_options.h"
#include "cli/options/parameter_options.h"
#include "cli/terminal/training_run.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
#include "simplexboost/certainty.h"
#include "simplexboost/quality.h"

namespace simplexboost::cli {
namespace suspects_verb {
namespace {

struct Options {
  std::string data;
  std::string output = "-";
  std::string quality = "default";
  std::string group;
  int top = 0;
  MemoryArguments memory;
  ReadOptions read;
  ParameterOptions parameters;
  bool quiet = false;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.option("-o,--output", "FILE", options.output,
                   "Write to this file, which appears only when it is complete; by default "
                   "standard output.");
  arguments.option(
      "--top", "N", options.top,
      "Only the N most suspect rows; by default those whose label is more likely wrong "
      "than right. 0: all rows.");
  arguments.option("--quality", "NAME", options.quality,
                   "default or best: how much to spend on the trainings that judge the labels.");
  arguments.option("--group", "COLUMN", options.group,
                   "Rows of the same value here are judged by trainings that saw none of them.");
  arguments.flag("--quiet", options.quiet, "No progress, no notes.");
  declare_training_data(arguments, options.read);
  options.memory.declare(arguments);
  options.parameters.declare(arguments);
}

std::size_t shown(const Arguments& arguments, const Options& options,
                  const std::vector<Suspect>& suspects) {
  if (arguments.given("--top"))
    return options.top == 0 ? suspects.size()
                            : std::min(suspects.size(), static_cast<std::size_t>(options.top));
  return static_cast<std::size_t>(std::count_if(suspects.begin(), suspects.end(),
                                                [](const Suspect& s) { return s.wrong > 0.5; }));
}

void write(const Options& options, std::span<const Suspect> suspects,
           const std::vector<std::string>& classes) {
  const auto name = [&](std::int32_t code) {
    return csv_field(classes[static_cast<std::size_t>(code)]);
  };
  TextOutput out(options.output);
  out.buffer() = "row,label,likelier,probability,likelier_probability,wrong\n";
  for (const Suspect& suspect : suspects) {
    fmt::format_to(std::back_inserter(out.buffer()), "{},{},{},{:.6g},{:.6g},{:.6g}\n",
                   suspect.row + 1, name(suspect.label), name(suspect.likelier),
                   suspect.probability, suspect.likelier_probability, suspect.wrong);
    out.flush_if_large();
  }
  out.commit();
}

std::vector<Suspect> judge_labels(const Dataset& data, Parameters parameters,
                                  const QualityOptions& how, bool quiet) {
  // What else `default` has adds more to the time than to the order of the suspects.
  if (how.quality == Quality::kDefault && parameters.algorithm == "auto")
    parameters.algorithm = "newton";
  const std::uint64_t seed = parameters.seed;
  const std::vector<double> weights =
      data.weights.empty() ? std::vector<double>(data.rows, 1) : data.weights;
  Dataset trusted = data;
  const auto judge = [&](const std::vector<double>& trust, int turn) {
    parameters.seed = seed + static_cast<std::uint64_t>(turn);
    for (std::size_t i = 0; i < trust.size(); ++i) trusted.weights[i] = weights[i] * trust[i];
    TrainingRun training = run_quality(trusted, parameters, how, {quiet});
    if (training.interrupted) return Matrix{};
    if (training.oof_proba.rows != data.rows)
      throw DataError(Place{data.source}, "too few rows to train without some of them");
    return std::move(training.oof_proba);
  };
  trusted.weights = weights;
  return find_suspects(data.labels, judge, parameters.threads);
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.top < 0) throw UsageError("--top: give a number of rows, 0 or more");
  QualityOptions how;
  how.quality = find_quality(options.quality);
  if (how.quality == Quality::kFast)
    throw UsageError(
        "--quality: give default or best; rows must be judged by trainings that did "
        "not see them");
  if (options.output != "-") check_output_path(options.output, {options.data});
  const Parameters parameters = options.parameters.resolve();
  options.memory.set_rules();
  options.read.threads = parameters.threads;
  Dataset data = read_with_notes(options.data, options.read, options.quiet);
  if (data.labels.multi_label()) throw UsageError("suspects: it is for one label a row");
  if (!options.group.empty()) how.groups = take_group_column(data, options.group);
  const std::vector<Suspect> suspects = judge_labels(data, parameters, how, options.quiet);
  if (suspects.empty()) return kInterrupted;
  const std::size_t count = shown(arguments, options, suspects);
  write(options, {suspects.data(), count}, data.labels.classes);
  if (!options.quiet)
    print_note(fmt::format("{} of {} rows are listed, the most suspect first; rows count from 1",
                           count, suspects.size()));
  return kOk;
}

}  // namespace
}  // namespace suspects_verb

const Verb kSuspectsVerb{
    "suspects",
    "find rows whose label is likely wrong",
    "DATA [-o FILE] [--top N] [options]",
    "Trains on parts of DATA, thrice, the labels that look wrong counting for less, and judges "
    "each "
    "row by trainings that had not seen it. Writes CSV, "
    "the "
    "most suspect row first: its number (from 1), its label, the class that fits better, the "
    "probabilities of both, and the chance that the label is wrong.",
    "  simplexboost suspects data.csv --top 100\n"
    "  simplexboost suspects data.csv --quality best -o suspects.csv",
    suspects_verb::run,
};

}  // namespace simplexboost::cli
