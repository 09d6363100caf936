#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/files/record_file.h"
#include "base/stop.h"
#include "boosting/checkpoint.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/setup/search_table.h"
#include "cli/options/data_options.h"
#include "cli/options/tune_options.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/training_run.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/output.h"
#include "cli/text/tuning_text.h"
#include "cli/verb.h"
#include "data/folds.h"
#include "quality/portfolio.h"
#include "simplexboost/error.h"
#include "tuning/search.h"

namespace simplexboost::cli {
namespace tune_verb {
namespace {

constexpr int kUsualRounds = 1000;

// The algorithms to search, in the order of the table.
std::vector<std::string> choose_algorithms(const TuneOptions& options, const Parameters& fixed,
                                           bool sets) {
  std::vector<std::string> names = options.algorithms;
  if (fixed.algorithm != "auto") {
    if (!names.empty()) throw UsageError("--algorithm and --algorithms do not go together");
    names = {fixed.algorithm};
  }
  for (const std::string& name : names) {
    try {
      const AlgorithmRow& row = find_algorithm(name, sets);
      if (sets && !row.multi_label)
        throw UsageError(fmt::format("--algorithms: {} takes one label a row", name));
    } catch (const ParameterError& error) {
      throw UsageError(std::string("--algorithms: ") + error.what());
    }
  }
  if (!names.empty()) return names;
  const bool weighted = !options.read.label_weights.empty();
  for (const AlgorithmRow& row : algorithm_table()) {
    const SearchRow& search = find_search_row(row.name);
    if (search.algorithm != row.name) continue;
    const bool usual = sets ? search.usual_for_sets : search.usual_for_classes;
    if (weighted ? row.label_weights : usual) names.emplace_back(row.name);
  }
  return names;
}

TrialSplit held_out(const Dataset& data, const RowSplit& rows) {
  if (rows.valid.empty() || rows.train.empty())
    throw DataError({data.source}, fmt::format("{} rows are too few to set some aside", data.rows));
  return {select_rows(data, rows.train), select_rows(data, rows.valid)};
}

// Into how many folds the rows are parted: a share of them is a fold.
int fold_count(const TuneOptions& options) {
  if (options.folds > 0) return options.folds;
  return static_cast<int>(std::clamp(std::round(1 / options.fraction()), 2.0, 1000.0));
}

// The first `count` folds, each held out in turn.
std::vector<TrialSplit> fold_splits(const TuneOptions& options, const Dataset& data,
                                    const std::vector<std::uint32_t>& groups, std::uint64_t seed,
                                    int count) {
  const auto fold_of_row =
      make_folds(data.labels, data.rows, {fold_count(options), seed, true, groups});
  std::vector<TrialSplit> splits;
  splits.reserve(static_cast<std::size_t>(count));
  for (int fold = 0; fold < count; ++fold)
    splits.push_back(held_out(data, hold_out_fold(fold_of_row, fold)));
  return splits;
}

std::vector<TrialSplit> make_splits(const TuneOptions& options, const Dataset& data,
                                    const std::vector<std::uint32_t>& groups,
                                    const Parameters& parameters) {
  std::vector<TrialSplit> splits;
  if (!options.valid.empty()) {
    const Schema schema = data.schema();
    ReadOptions read = options_for_more(options.read, schema);
    read.threads = parameters.threads;
    splits.push_back({data, read_with_notes(options.valid, read, options.quiet)});
    return splits;
  }
  if (options.folds == 0 && groups.empty()) {
    splits.push_back(held_out(
        data, stratified_split(data.labels, data.rows, options.fraction(), parameters.seed)));
    return splits;
  }
  return fold_splits(options, data, groups, parameters.seed, options.folds > 0 ? options.folds : 1);
}

// The best are judged again by folds that are not those of the search. Five say enough.
void declare_finals(const TuneOptions& options, const Dataset& data,
                    const std::vector<std::uint32_t>& groups, SearchOptions& search) {
  if (!options.valid.empty()) return;
  const int count = std::min(fold_count(options), 5);
  search.finalists = static_cast<std::size_t>(options.finalists);
  search.other_count = static_cast<std::size_t>(count);
  search.other_splits = [&options, &data, &groups, count, seed = search.parameters.seed] {
    return fold_splits(options, data, groups, ~seed, count);
  };
}

// What tells this data and its splits from others: sizes, and a hash of labels and values.
std::string data_name(const std::vector<TrialSplit>& splits) {
  std::string text;
  for (const TrialSplit& split : splits)
    for (const Dataset* part : {&split.train, &split.valid}) {
      text += fmt::format("{}x{} {} ", part->rows, part->columns.size(),
                          fmt::join(part->labels.codes, ","));
      std::vector<double> values(part->rows);
      double mixed = 0;
      for (const Column& column : part->columns) {
        column.copy(0, part->rows, values.data());
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!std::isnan(values[i])) mixed += values[i] * static_cast<double>(i % 1009 + 1);
        text += fmt::format("{} {} ", column.schema.name, mixed);
      }
      for (const double weight : part->weights) mixed += weight;
      for (const float weight : part->labels.weights) mixed += static_cast<double>(weight);
      text += fmt::format("{} ", mixed);
    }
  return short_hash(text);
}

// The spaces of the algorithms to search, each with what the portfolio has of it.
std::vector<SearchSpace> make_spaces(const TuneOptions& options, const Parameters& parameters,
                                     const Dataset& data) {
  const bool sets = data.labels.multi_label();
  std::vector<std::string> fixed;
  for (const ParameterSpec& spec : parameter_specs())
    if (options.parameters.given(spec.name)) fixed.emplace_back(spec.name);
  Parameters any = parameters;
  any.algorithm = "auto";
  const Portfolio portfolio = make_portfolio(data, any, Quality::kBest);
  std::vector<SearchSpace> spaces;
  for (const std::string& name : choose_algorithms(options, parameters, sets)) {
    const std::string algorithm(find_algorithm(name, sets).name);
    spaces.push_back(make_space(algorithm, options.ranges, fixed));
    // Who gives ranges says where to look.
    if (options.ranges.empty()) spaces.back().starts = starts_of(portfolio, any, algorithm, fixed);
  }
  return spaces;
}

SearchOptions make_search(const TuneOptions& options, const Parameters& parameters,
                          const Dataset& data, const std::vector<TrialSplit>& splits) {
  const bool sets = data.labels.multi_label();
  SearchOptions search{.metric = find_metric(options.metric, sets)};
  search.kind = options.search_kind();
  search.parameters = parameters;
  if (!options.parameters.given("rounds")) search.parameters.rounds = kUsualRounds;
  if (!options.parameters.given("early-stopping-rule"))
    search.parameters.early_stopping_rule = "smoothed";
  search.spaces = make_spaces(options, parameters, data);
  if (search.kind == SearchKind::kGrid)
    for (SearchSpace& space : search.spaces) space.ranges = options.ranges;
  search.seconds = options.seconds();
  if (options.trains_winner()) search.rows_at_last = data.rows;
  if (options.trials > 0) search.trials = options.trials;
  if (options.trials == 0 && options.budget.empty() && search.kind != SearchKind::kGrid)
    search.trials = TuneOptions::kUsualTrials;
  search.journal = options.journal;
  if (search.journal.empty() && !options.model.empty())
    search.journal = options.model + ".trials.jsonl";
  search.data_name = data_name(splits);
  return search;
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
TrainingRun train_ensemble(const Dataset& data, const std::vector<std::uint32_t>& groups,
                           const Parameters& winner, const Tuned& tuned, double seconds_spent) {
  constexpr double kLeast = 1;  // seconds; the first member is trained to its end in any case
  QualityOptions options;
  options.groups = groups;
  options.members = {winner};
  if (!tuned.options.budget.empty())
    options.budget = std::max(kLeast, tuned.search.seconds - seconds_spent);
  Parameters common = tuned.search.parameters;
  if (!tuned.options.parameters.given("rounds")) common.rounds = Parameters().rounds;
  common.early_stopping_rule = Parameters().early_stopping_rule;
  return run_quality(data, common, options, {tuned.options.quiet});
}

// Trains the winner again on all rows, saves it, and judges it once by the rows kept apart.
void finish(const Dataset& data, const std::vector<std::uint32_t>& groups, const Stopwatch& watch,
            Tuned& tuned) {
  const Parameters parameters = winner_parameters(tuned.search.parameters, *tuned.winner);
  TrainingContext context;
  context.checkpoint = tuned.search.checkpoint;
  context.part = "winner " + tuned.winner->algorithm + settings_text(tuned.winner->settings);
  tuned.run.emplace(tuned.options.ensemble
                        ? train_ensemble(data, groups, parameters, tuned, watch.seconds())
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
  const Stopwatch watch;
  options.read.threads = parameters.threads;
  Dataset data = read_with_notes(options.data, options.read, options.quiet);
  std::vector<std::uint32_t> groups;
  if (!options.group.empty()) groups = take_group_column(data, options.group);
  const std::vector<TrialSplit> splits = make_splits(options, data, groups, parameters);
  SearchOptions search = make_search(options, parameters, data, splits);
  declare_finals(options, data, groups, search);
  if (!options.quiet && search.journal.empty() && !options.checkpoint.given())
    print_note("no journal: an interrupted search will not go on; give --journal or --model");
  std::optional<CheckpointFile> checkpoint;
  if (options.checkpoint.given())
    search.checkpoint = &checkpoint.emplace(options.checkpoint.options(), search_facts(search));
  const SearchResult result = run_search(options, splits, search);
  Tuned tuned{options, search, data, result, result.winner(search.metric), {}, {}, 0};
  if (!result.trials.empty() && !tuned.winner)
    throw DataError({data.source}, "every trial failed; the first: " + result.trials[0].end);
  if (tuned.winner && !result.interrupted && options.trains_winner())
    finish(data, groups, watch, tuned);
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
