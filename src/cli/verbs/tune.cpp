#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/files/atomic_file.h"
#include "base/files/record_file.h"
#include "base/stop.h"
#include "base/text/json.h"
#include "base/text/nearest_name.h"
#include "base/threads/parallel.h"
#include "boosting/checkpoint.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/setup/search_table.h"
#include "cli/options/checkpoint_options.h"
#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/training_run.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"
#include "cli/text/machine.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/folds.h"
#include "metric/evaluation.h"
#include "quality/portfolio.h"
#include "simplexboost/error.h"
#include "tuning/search.h"
#include "tuning/tuning_report.h"

namespace simplexboost::cli {
namespace tune_verb {
namespace {

constexpr int kUsualRounds = 1000;
constexpr double kUsualFraction = 0.2;
constexpr std::size_t kUsualTrials = 50;
constexpr std::size_t kListedTrials = 15;
constexpr int kUsualFinalists = 5;

struct Options {
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
};

double parse_budget(const std::string& text) {
  const double seconds = parse_seconds(text);
  if (!(seconds > 0))
    throw UsageError(fmt::format("--budget: '{}' is no time; give one like 90s, 10m or 2h", text));
  return seconds;
}

void add_range(Options& options, const char* name, const std::string& text) {
  try {
    options.ranges.push_back(parse_range(text));
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("{}: {}", name, error.what()));
  }
}

void declare_search(Arguments& arguments, Options& options) {
  arguments.option("--search", "KIND", options.search,
                   "halving: poor trials end early (the default); random: all are trained to "
                   "their end; grid: all combinations of the --choice values.");
  arguments.option("--budget", "TIME", options.budget,
                   "Time for the search and the last training: 90s, 10m, 2h. Trials of the "
                   "journal count too.");
  arguments.option("--trials", "N", options.trials,
                   fmt::format("Most trials; {} where there is no --budget.", kUsualTrials));
  arguments.option("--finalists", "N", options.finalists,
                   fmt::format("How many of the best are judged again, by cross-validation with "
                               "other folds, before one wins; {} by default, 0: none. Not where "
                               "--valid says what to judge by.",
                               kUsualFinalists));
  arguments.list("--algorithms", "LIST", options.algorithms,
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
  arguments.option("--metric", "NAME", options.metric,
                   "What is best on the validation rows: any metric of evaluate; error by "
                   "default.");
}

void declare(Arguments& arguments, Options& options) {
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.option("-m,--model", "OUT", options.model,
                   "File for the winner, trained again on all of DATA.");
  arguments.flag("--ensemble", options.ensemble,
                 "Train an ensemble at last, as train --quality best does, of which the winner is "
                 "a member, in place of the winner alone; within what is left of --budget.");
  declare_search(arguments, options);
  arguments.option("--journal", "FILE", options.journal,
                   "Where trials are kept, so that an interrupted search goes on; OUT.trials.jsonl "
                   "by default where there is a model.");
  options.checkpoint.declare(arguments, "the rounds of the trial under way");
  arguments.option("--report", "FILE", options.report,
                   "Write what was tried as Markdown (.md) or CSV (.csv).");
  arguments.flag("--json", options.json, "Print one JSON object at the end instead of text.");
  arguments.flag("--quiet", options.quiet, "No progress, no notes, no lines of trials.");
  declare_training_data(arguments, options.read);
  arguments.group("Validation");
  arguments.option("--valid", "FILE", options.valid, "Rows to judge by, with the columns of DATA.");
  arguments.option(
      "--valid-fraction", "X", options.valid_fraction,
      fmt::format("Judge by this share of DATA instead; {} by default.", kUsualFraction));
  arguments.option("--folds", "N", options.folds,
                   "Judge by cross-validation instead: N trainings a trial.");
  arguments.option("--group", "COLUMN", options.group,
                   "Rows of the same value here are never parted; no feature then.");
  arguments.option("--test", "FILE", options.test,
                   "Rows that no trial sees: the winner alone is judged by them, at the end.");
  arguments.exclusive("--valid", "--valid-fraction");
  arguments.exclusive("--valid", "--folds");
  arguments.exclusive("--valid-fraction", "--folds");
  arguments.exclusive("--valid", "--group");
  options.parameters.declare(arguments);
}

SearchKind search_kind(const std::string& name) {
  if (name == "halving") return SearchKind::kHalving;
  if (name == "random") return SearchKind::kRandom;
  if (name == "grid") return SearchKind::kGrid;
  throw UsageError("--search: " +
                   unknown_name_message(
                       "search", name, std::vector<std::string_view>{"halving", "random", "grid"}));
}

void check(Options& options) {
  static_cast<void>(search_kind(options.search));
  check_valid_fraction(options.valid_fraction);
  if (options.folds != 0 && (options.folds < 2 || options.folds > kMostFolds))
    throw UsageError(fmt::format("--folds: give a whole number from 2 to {}", kMostFolds));
  if (options.ensemble && options.model.empty() && options.test.empty())
    throw UsageError("--ensemble: give --model, too");
  if (options.finalists < 0) throw UsageError("--finalists: give a whole number, 0 or more");
  try {
    check_metric_name(options.metric);
  } catch (const ParameterError& error) {
    throw UsageError(std::string("--metric: ") + error.what());
  }
  const std::vector<std::string> inputs{options.data, options.valid, options.test,
                                        options.read.label_weights};
  for (const std::string& path : {options.model, options.journal, options.report})
    if (!path.empty()) check_output_path(path, inputs);
  if (!options.report.empty() && !options.report.ends_with(".md") &&
      !options.report.ends_with(".csv"))
    throw UsageError("--report: the name must end in .md or .csv");
  options.checkpoint.check(
      {options.model, options.journal, options.report, options.data, options.valid, options.test});
}

// The algorithms to search, in the order of the table.
std::vector<std::string> choose_algorithms(const Options& options, const Parameters& fixed,
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
int fold_count(const Options& options) {
  if (options.folds > 0) return options.folds;
  const double fraction = options.valid_fraction > 0 ? options.valid_fraction : kUsualFraction;
  return static_cast<int>(std::clamp(std::round(1 / fraction), 2.0, 1000.0));
}

// The first `count` folds, each held out in turn.
std::vector<TrialSplit> fold_splits(const Options& options, const Dataset& data,
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

std::vector<TrialSplit> make_splits(const Options& options, const Dataset& data,
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
    const double fraction = options.valid_fraction > 0 ? options.valid_fraction : kUsualFraction;
    splits.push_back(
        held_out(data, stratified_split(data.labels, data.rows, fraction, parameters.seed)));
    return splits;
  }
  return fold_splits(options, data, groups, parameters.seed, options.folds > 0 ? options.folds : 1);
}

// The best are judged again by folds that are not those of the search. Five say enough.
void declare_finals(const Options& options, const Dataset& data,
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

struct Tuned {
  const Options& options;
  const SearchOptions& search;
  const Dataset& data;
  const SearchResult& result;
  const Trial* winner;             // null: none
  std::optional<TrainingRun> run;  // of the winner, on all rows
  std::optional<Evaluation> test;  // of that, on the rows of --test
  double seconds = 0;
};

std::string train_command(const Tuned& tuned) {
  std::string text =
      fmt::format("simplexboost train {} --algorithm {} --rounds {}", tuned.options.data,
                  tuned.winner->algorithm, tuned.winner->mean_rounds());
  for (const Setting& setting : tuned.winner->settings)
    text += fmt::format(" --{} {}", setting.name, setting.value);
  return text + " --model OUT";
}

std::string judged_by(const Options& options) {
  if (!options.valid.empty()) return options.valid;
  if (options.folds > 0) return fmt::format("cross-validation, {} folds", options.folds);
  const double fraction = options.valid_fraction > 0 ? options.valid_fraction : kUsualFraction;
  return fmt::format("{:g} % of the rows, held out", 100 * fraction);
}

std::vector<ReportFact> facts_of(const Tuned& tuned) {
  const Metric& metric = tuned.search.metric;
  std::vector<ReportFact> facts{
      {"data", fmt::format("{}, {} rows, {} classes", tuned.data.source, tuned.data.rows,
                           tuned.data.labels.classes.size())},
      {"judged by", fmt::format("{}, on {}", metric.title(), judged_by(tuned.options))},
      {"search",
       fmt::format("{}, seed {}, at most {} rounds a trial, {} threads", tuned.options.search,
                   tuned.search.parameters.seed, tuned.search.parameters.rounds,
                   resolve_threads(tuned.search.parameters.threads))},
      {"trials", fmt::format("{} in {:.0f} s", tuned.result.trials.size(), tuned.seconds)}};
  if (tuned.winner) {
    facts.push_back(
        {"winner", fmt::format("trial {}: {} {}, {} {:.6g}", tuned.winner->number + 1,
                               tuned.winner->algorithm, settings_text(tuned.winner->settings),
                               metric.title(), tuned.winner->mean_value())});
    facts.push_back({"to train it", fmt::format("`{}`", train_command(tuned))});
  }
  if (tuned.test)
    facts.push_back(
        {"test", fmt::format("{} {:.6g} on {}, {} rows that no trial saw", metric.title(),
                             metric.value(*tuned.test), tuned.options.test, tuned.test->rows)});
  facts.push_back({"date", made_by()});
  facts.push_back({"machine", machine_name()});
  return facts;
}

void write_report(const Tuned& tuned) {
  if (tuned.options.report.empty()) return;
  AtomicFile file(tuned.options.report);
  file.write(tuned.options.report.ends_with(".csv")
                 ? tuning_csv(tuned.result, tuned.search.metric)
                 : tuning_markdown(tuned.result, tuned.search.metric, tuned.search.spaces,
                                   facts_of(tuned)));
  file.commit();
}

Json trial_json(const Trial& trial, const Metric& metric) {
  Json settings = Json::object();
  for (const Setting& setting : trial.settings) settings[setting.name] = setting.value;
  Json object{{"trial", trial.number + 1}, {"algorithm", trial.algorithm},
              {"settings", settings},      {metric.json_name(), trial.value},
              {"rounds", trial.rounds},    {"rounds_trained", trial.rounds_run},
              {"seconds", trial.seconds},  {"ended", trial.end}};
  if (trial.again)
    object["again"] = {{metric.json_name(), trial.again->value},
                       {"rounds", trial.again->rounds},
                       {"seconds", trial.again->seconds}};
  return object;
}

void print_object(const Tuned& tuned) {
  Json trials = Json::array();
  for (const Trial& trial : tuned.result.trials)
    trials.push_back(trial_json(trial, tuned.search.metric));
  Json object{{"metric", tuned.search.metric.name()},
              {"search", tuned.options.search},
              {"seconds", tuned.seconds},
              {"interrupted", tuned.result.interrupted},
              {"trials", std::move(trials)}};
  object["winner"] = tuned.winner ? trial_json(*tuned.winner, tuned.search.metric) : Json();
  if (tuned.run && !tuned.options.model.empty()) {
    object["model"] = tuned.options.model;
    object["rounds"] = tuned.run->model.rounds();
  }
  if (tuned.test)
    object["test_" + tuned.search.metric.json_name()] = tuned.search.metric.value(*tuned.test);
  print_json(object);
}

void print_text(const Tuned& tuned) {
  const Metric& metric = tuned.search.metric;
  std::vector<std::vector<std::string>> rows{
      {"TRIAL", "ALGORITHM", "SETTINGS", "VALID", "AGAIN", "ROUND", "SECONDS", "ENDED"}};
  for (const Trial* trial : ranked_trials(tuned.result, metric)) {
    if (rows.size() > kListedTrials) break;
    rows.push_back({fmt::format("{}", trial->number + 1), trial->algorithm,
                    fit(settings_text(trial->settings), 60), format_figure(trial->value),
                    trial->again ? format_figure(trial->again->value) : "-",
                    fmt::format("{}", trial->rounds), fmt::format("{:.1f}", trial->seconds),
                    fit(trial->end, 40)});
  }
  fmt::print("\n{} trials in {:.1f} s by {}; the best\n{}", tuned.result.trials.size(),
             tuned.seconds, metric.title(), format_table(rows, {1, 2, 7}, 2));
  if (!tuned.winner) return;
  fmt::print("\nTo train the winner:\n  {}\n", train_command(tuned));
  if (tuned.run && !tuned.options.model.empty())
    fmt::print("saved {}: {}{} rounds on all {} rows\n", tuned.options.model,
               tuned.options.ensemble ? "an ensemble with it, " : "", tuned.run->model.rounds(),
               tuned.data.rows);
  if (tuned.test)
    fmt::print("test {} {} ({} rows)\n", metric.title(), format_figure(metric.value(*tuned.test)),
               tuned.test->rows);
}

double search_seconds(const Options& options) {
  return options.budget.empty() ? std::numeric_limits<double>::infinity()
                                : parse_budget(options.budget);
}

bool trains_winner(const Options& options) {
  return !options.model.empty() || !options.test.empty();
}

// The spaces of the algorithms to search, each with what the portfolio has of it.
std::vector<SearchSpace> make_spaces(const Options& options, const Parameters& parameters,
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

SearchOptions make_search(const Options& options, const Parameters& parameters, const Dataset& data,
                          const std::vector<TrialSplit>& splits) {
  const bool sets = data.labels.multi_label();
  SearchOptions search{.metric = find_metric(options.metric, sets)};
  search.kind = search_kind(options.search);
  search.parameters = parameters;
  if (!options.parameters.given("rounds")) search.parameters.rounds = kUsualRounds;
  if (!options.parameters.given("early-stopping-rule"))
    search.parameters.early_stopping_rule = "smoothed";
  search.spaces = make_spaces(options, parameters, data);
  if (search.kind == SearchKind::kGrid)
    for (SearchSpace& space : search.spaces) space.ranges = options.ranges;
  search.seconds = search_seconds(options);
  if (trains_winner(options)) search.rows_at_last = data.rows;
  if (options.trials > 0) search.trials = options.trials;
  if (options.trials == 0 && options.budget.empty() && search.kind != SearchKind::kGrid)
    search.trials = kUsualTrials;
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

SearchResult run_search(const Options& options, const std::vector<TrialSplit>& splits,
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
  return run_quality(data, common, options, tuned.options.quiet);
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
                        : run_training(data, parameters, tuned.options.quiet, {}, context));
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
  Options options;
  declare(arguments, options);
  arguments.parse();
  const Parameters parameters = options.parameters.resolve();
  check(options);
  static_cast<void>(search_seconds(options));
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
  if (tuned.winner && !result.interrupted && trains_winner(options))
    finish(data, groups, watch, tuned);
  const StopPause pause;  // what is left is short
  tuned.seconds = watch.seconds();
  write_report(tuned);
  if (options.json) print_object(tuned);
  if (!options.json && !options.quiet) print_text(tuned);
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
