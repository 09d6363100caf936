#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/stop.h"
#include "boosting/checkpoint.h"
#include "cli/options/data_options.h"
#include "cli/options/tune_options.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/training_run.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/output.h"
#include "cli/text/tuning_text.h"
#include "cli/verb.h"
#include "simplexboost/error.h"
#include "tuning/plan.h"

namespace simplexboost::cli {
namespace tune_verb {
namespace {

std::vector<TrialSplit> splits_of(const TuneOptions& options, const Dataset& data,
                                  const Parameters& parameters) {
  if (options.valid.empty()) return make_splits(options.asked, data, parameters.seed);
  const Schema schema = data.schema();
  ReadOptions read = options_for_more(options.read, schema);
  read.threads = parameters.threads;
  std::vector<TrialSplit> splits;
  splits.push_back({data, read_with_notes(options.valid, read, options.quiet)});
  return splits;
}

// What is asked for, as far as the data and the parameters decide it.
void complete(const Dataset& data, const Parameters& parameters, TuneOptions& options) {
  SearchRequest& asked = options.asked;
  if (parameters.algorithm != "auto" && !asked.algorithms.empty())
    throw UsageError("--algorithm and --algorithms do not go together");
  try {
    asked.algorithms = choose_algorithms(asked, parameters, data.labels);
  } catch (const ParameterError& error) {
    throw UsageError(std::string("--algorithms: ") + error.what());
  }
  for (const ParameterSpec& spec : parameter_specs())
    if (options.parameters.given(spec.name)) asked.given.emplace_back(spec.name);
  asked.trains_winner = options.trains_winner();
  if (asked.journal.empty() && !options.model.empty())
    asked.journal = options.model + ".trials.jsonl";
}

std::string trial_line(const Trial& trial, const Metric& metric) {
  if (trial.again)
    return fmt::format("{:>4}  judged again: {} {} at round {}  {:.1f} s", trial.number + 1,
                       metric.title(), format_figure(trial.again->value), trial.again->rounds,
                       trial.again->seconds);
  return fmt::format("{:>4}  {} {}  {} {} at round {}  {:.1f} s{}  {}", trial.number + 1,
                     trial.algorithm, settings_text(trial.settings), metric.title(),
                     format_figure(trial.value), trial.rounds, trial.seconds,
                     trial.known ? " (journal)" : "", trial.end);
}

SearchResult run_search(const TuneOptions& options, const std::vector<TrialSplit>& splits,
                        SearchOptions& search_options) {
  ProgressBar bar(error_terminal(), options.quiet);
  search_options.progress = &bar;
  const bool lines = !options.quiet && !options.json;
  return search(splits, search_options, [&](const Trial& trial) {
    bar.finish("");
    if (lines) fmt::print("{}\n", trial_line(trial, search_options.metric));
    std::fflush(stdout);
  });
}

// What tells this search from others, for the checkpoint; the key of a trial says the rest.
WorkFacts search_facts(const SearchOptions& search) {
  WorkFacts facts{"work: search", "data: " + search.data_name, "metric: " + search.metric.name(),
                  fmt::format("kind: {}", static_cast<int>(search.kind))};
  add_parameter_facts(search.parameters, facts);
  return facts;
}

// An ensemble with the winner as its first member, in what is left of the budget.
TrainingRun train_ensemble(const Dataset& data, const Parameters& winner, const Tuned& tuned,
                           double seconds_spent) {
  constexpr double kLeast = 1;  // seconds; the first member is trained to its end in any case
  QualityOptions options;
  options.groups = tuned.options.asked.groups;
  options.members = {winner};
  if (!tuned.options.budget.empty())
    options.budget = std::max(kLeast, tuned.search.seconds - seconds_spent);
  Parameters common = tuned.search.parameters;
  if (!tuned.options.parameters.given("rounds")) common.rounds = Parameters().rounds;
  common.early_stopping_rule = Parameters().early_stopping_rule;
  return run_quality(data, common, options, {tuned.options.quiet});
}

// Trains the winner again on all rows, saves it, and judges it once by the rows kept apart.
void finish(const Dataset& data, const Stopwatch& watch, Tuned& tuned) {
  const Parameters parameters = winner_parameters(tuned.search.parameters, *tuned.winner);
  TrainingContext context;
  context.checkpoint = tuned.search.checkpoint;
  context.part = "winner " + tuned.winner->algorithm + settings_text(tuned.winner->settings);
  tuned.run.emplace(tuned.options.ensemble
                        ? train_ensemble(data, parameters, tuned, watch.seconds())
                        : run_training(data, parameters, {tuned.options.quiet}, {}, context));
  if (!tuned.options.model.empty() && !tuned.run->interrupted)
    tuned.run->model.save(tuned.options.model);
  if (tuned.options.test.empty() || tuned.run->interrupted) return;
  ReadOptions read = options_for_more(tuned.options.read, tuned.run->model.schema());
  read.threads = parameters.threads;
  const Dataset test = read_with_notes(tuned.options.test, read, tuned.options.quiet);
  tuned.test.emplace(
      tally_model(tuned.run->model, test, {parameters.threads, 0}, tuned.search.metric.parts()));
}

int run(Arguments& arguments) {
  TuneOptions options;
  options.declare(arguments);
  arguments.parse();
  const Parameters parameters = options.parameters.resolve();
  options.check();
  options.memory.set_rules();
  const Stopwatch watch;
  options.read.threads = parameters.threads;
  Dataset data = read_with_notes(options.data, options.read, options.quiet);
  if (!options.group.empty()) options.asked.groups = take_group_column(data, options.group);
  complete(data, parameters, options);
  const std::vector<TrialSplit> splits = splits_of(options, data, parameters);
  SearchOptions search = plan_search(options.asked, parameters, data, splits);
  if (options.valid.empty()) declare_finals(options.asked, data, search);
  if (!options.quiet && search.journal.empty() && !options.checkpoint.given())
    print_note("no journal: an interrupted search will not go on; give --journal or --model");
  std::optional<CheckpointFile> checkpoint;
  if (options.checkpoint.given())
    search.checkpoint = &checkpoint.emplace(options.checkpoint.options(), search_facts(search));
  const SearchResult result = run_search(options, splits, search);
  Tuned tuned{options, search, data, result, result.winner(search.metric), {}, {}, 0};
  if (!result.trials.empty() && !tuned.winner)
    throw DataError({data.source}, "every trial failed; the first: " + result.trials[0].end);
  if (tuned.winner && !result.interrupted && options.trains_winner()) finish(data, watch, tuned);
  const StopPause pause;  // what is left is short
  tuned.seconds = watch.seconds();
  write_tuning_report(tuned);
  if (options.json) print_tuning_json(tuned);
  if (!options.json && !options.quiet) print_tuning_text(tuned);
  const bool stopped = result.interrupted || (tuned.run && tuned.run->interrupted);
  if (!stopped) options.checkpoint.remove();
  if (stopped)
    print_note(search.journal.empty() && !checkpoint
                   ? "interrupted; no model was trained"
                   : "interrupted; the same command goes on from here");
  return stopped ? kInterrupted : kOk;
}

}  // namespace
}  // namespace tune_verb

const Verb kTuneVerb{
    "tune",
    "search for the best algorithm and settings, and train with them",
    "DATA [--model OUT] [--budget TIME | --trials N] [options]",
    "Tries settings of one or several algorithms, judges each by rows it was not trained on, ends "
    "poor trials early, and trains the best again on all of DATA, with the number of rounds that "
    "was best. Options of train that are given hold for all trials and are not searched. Every "
    "trial is kept in a journal: after Ctrl-C the same command goes on where it stopped.",
    "  simplexboost tune data.csv --model best.sb --budget 10m --report tried.md\n"
    "  simplexboost tune data.csv -m best.sb --trials 40 --folds 5 --metric log-loss\n"
    "  simplexboost tune data.csv -m m.sb --algorithm newton --range leaves=16:256:log\n"
    "  simplexboost tune data.csv -m m.sb --algorithms samme,adaboost-m1 --search grid "
    "--choice depth=3,5,8,12",
    tune_verb::run,
};

}  // namespace simplexboost::cli
