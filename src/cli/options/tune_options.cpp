#include "cli/options/tune_options.h"

#include <fmt/format.h>

#include "cli/options/duration.h"
#include "cli/text/output.h"
#include "data/rows/folds.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

void add_range(TuneOptions& options, const char* name, const std::string& text) {
  try {
    options.asked.ranges.push_back(parse_range(text));
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("{}: {}", name, error.what()));
  }
}

void declare_search(Arguments& arguments, TuneOptions& options) {
  arguments.option("--search", "KIND", options.search,
                   "halving: poor trials end early (the default); random: all are trained to "
                   "their end; grid: all combinations of the --choice values.");
  arguments.option("--budget", "TIME", options.budget,
                   "Time for the search and the last training: 90s, 10m, 2h. Trials of the "
                   "journal count too.");
  arguments.option(
      "--trials", "N", options.asked.trials,
      fmt::format("Most trials; {} where there is no --budget.", SearchRequest::kUsualTrials));
  arguments.option("--finalists", "N", options.asked.finalists,
                   fmt::format("How many of the best are judged again, by cross-validation with "
                               "other folds, before one wins; {} by default, 0: none. Not where "
                               "--valid says what to judge by.",
                               SearchRequest::kUsualFinalists));
  arguments.list("--algorithms", "LIST", options.asked.algorithms,
                 "Algorithms to search; by default the usual ones, or what --algorithm says.");
  arguments.custom(
      "--range", "NAME=LOW:HIGH[:log]",
      [&](const std::string& text) { add_range(options, "--range", text); },
      "Search this parameter between the ends; may be given several times.");
  arguments.repeatable();
  arguments.custom(
      "--choice", "NAME=A,B,C",
      [&](const std::string& text) { add_range(options, "--choice", text); },
      "Search these values of a parameter; may be given several times.");
  arguments.repeatable();
  arguments.option("--metric", "NAME", options.asked.metric,
                   "What is best on the validation rows: any metric of evaluate; error by "
                   "default.");
}

}  // namespace

void TuneOptions::declare(Arguments& arguments) {
  arguments.positional("DATA", data, kDataHelp);
  arguments.required();
  arguments.option("-m,--model", "OUT", model,
                   "File for the winner, trained again on all of DATA.");
  arguments.flag("--ensemble", ensemble,
                 "Train an ensemble at last, as train --quality best does, of which the winner is "
                 "a member, in place of the winner alone; within what is left of --budget.");
  declare_search(arguments, *this);
  arguments.option("--journal", "FILE", asked.journal,
                   "Where trials are kept, so that an interrupted search goes on; OUT.trials.jsonl "
                   "by default where there is a model.");
  checkpoint.declare(arguments, "the rounds of the trial under way");
  arguments.option("--report", "FILE", report,
                   "Write what was tried as Markdown (.md) or CSV (.csv).");
  arguments.flag("--json", json, "Print one JSON object at the end instead of text.");
  arguments.flag("--quiet", quiet, "No progress, no notes, no lines of trials.");
  declare_training_data(arguments, read);
  arguments.group("Validation");
  arguments.option("--valid", "FILE", valid, "Rows to judge by, with the columns of DATA.");
  arguments.option("--valid-fraction", "X", asked.valid_fraction,
                   fmt::format("Judge by this share of DATA instead; {} by default.",
                               SearchRequest::kUsualFraction));
  arguments.option("--folds", "N", asked.folds,
                   "Judge by cross-validation instead: N trainings a trial.");
  arguments.option("--group", "COLUMN", group,
                   "Rows of the same value here are never parted; no feature then.");
  arguments.option("--test", "FILE", test,
                   "Rows that no trial sees: the winner alone is judged by them, at the end.");
  arguments.exclusive("--valid", "--valid-fraction");
  arguments.exclusive("--valid", "--folds");
  arguments.exclusive("--valid-fraction", "--folds");
  arguments.exclusive("--valid", "--group");
  memory.declare(arguments);
  parameters.declare(arguments);
}

void TuneOptions::check() {
  try {
    asked.kind = find_search_kind(search);
  } catch (const ParameterError& error) {
    throw UsageError(std::string("--search: ") + error.what());
  }
  if (!budget.empty()) asked.seconds = budget_seconds(budget);
  check_valid_fraction(asked.valid_fraction);
  if (asked.folds != 0 && (asked.folds < 2 || asked.folds > kMostFolds))
    throw UsageError(fmt::format("--folds: give a whole number from 2 to {}", kMostFolds));
  if (ensemble && model.empty() && test.empty()) throw UsageError("--ensemble: give --model, too");
  if (asked.finalists < 0) throw UsageError("--finalists: give a whole number, 0 or more");
  try {
    check_metric_name(asked.metric);
  } catch (const ParameterError& error) {
    throw UsageError(std::string("--metric: ") + error.what());
  }
  const std::vector<std::string> inputs{data, valid, test, read.label_weights};
  for (const std::string& path : {model, asked.journal, report})
    if (!path.empty()) check_output_path(path, inputs);
  if (!report.empty() && !report.ends_with(".md") && !report.ends_with(".csv"))
    throw UsageError("--report: the name must end in .md or .csv");
  checkpoint.check({model, asked.journal, report, data, valid, test});
}

}  // namespace simplexboost::cli
