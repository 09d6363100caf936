#include "simplexboost/train.h"
#include "base/stop.h"
#include "base/text/json.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "cli/options/checkpoint_options.h"
#include "cli/options/data_options.h"
#include "cli/options/duration.h"
#include "cli/options/memory_options.h"
#include "cli/options/parameter_options.h"
#include "cli/terminal/job.h"
#include "cli/terminal/training_run.h"
#include "cli/text/choices_text.h"
#include "cli/text/estimate_text.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/log_text.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/rows/folds.h"
#include "data/rows/row_shares.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/model_access.h"
#include "quality/portfolio.h"
#include "quality/ranked_quality.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace train_verb {
namespace {

struct Options {
  std::string data;
  std::string model;
  std::string valid;
  std::string valid_label_weights;
  std::string init;
  std::string dashboard;
  CheckpointArguments checkpoint;
  std::string quality = "auto";
  std::string group;
  QualityOptions chosen;
  double valid_fraction = 0;
  MemoryArguments memory;
  ReadOptions read;
  ParameterOptions parameters;
  bool json = false;
  bool quiet = false;
};

struct Data {
  Dataset train;
  std::optional<Dataset> valid;
  double load_seconds = 0;
  bool gathered = false;  // the rows of all processes are in each
};

// What is said at the end, by people's or machines' means.
struct Summary {
  const Data& data;
  const TrainingRun& run;
  double train_error = 0;
  double valid_error = 0;  // this and the next only if there are validation rows
  double valid_log_loss = 0;
  std::size_t rows = 0;  // of all processes
  std::size_t valid_rows = 0;
};

// Of the rows of all processes.
std::size_t all_rows(const Dataset& data) {
  auto rows = static_cast<std::int64_t>(data.rows);
  job_ranks().sum({&rows, 1});
  return static_cast<std::size_t>(rows);
}

Summary summarize(const Data& data, const TrainingRun& run, int threads) {
  Summary summary{data,
                  run,
                  logged_figure(run.model, "train_error"),
                  logged_figure(run.model, "valid_error"),
                  std::numeric_limits<double>::quiet_NaN(),
                  data.gathered ? data.train.rows : all_rows(data.train)};
  if (data.valid) {
    summary.valid_rows = all_rows(*data.valid);
    const Metric error = find_metric("error", data.valid->labels.multi_label());
    const Evaluation evaluation =
        tally_model(run.model, align_rows(*data.valid, job_ranks()), {threads, 0},
                    error.parts() | kTallyProbabilities, job_ranks());
    summary.valid_error = error.value(evaluation);
    summary.valid_log_loss = evaluation.log_loss.value();
  }
  return summary;
}

void declare(Arguments& arguments, Options& options) {
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.option("-m,--model", "OUT", options.model,
                   "File for the model. It is replaced only by a complete one.");
  arguments.required();
  arguments.option("--init", "MODEL", options.init,
                   "Go on from this model, of the same algorithm and columns: its rounds count "
                   "among --rounds. Newton may also start from a forest of the same rows.");
  options.checkpoint.declare(arguments, "the rounds so far");
  arguments.option("--dashboard", "FILE.html", options.dashboard,
                   "Write a small page while it trains, about every second: curves and the time "
                   "left. Open it in a browser, which reads it again by itself.");
  arguments.flag("--json", options.json, "Print one JSON object at the end instead of text.");
  arguments.flag("--quiet", options.quiet, "No progress, no notes, no summary.");
  declare_training_data(arguments, options.read);
  arguments.group("Quality");
  arguments.option(
      "--quality", "NAME", options.quality,
      "fast: one training, as the options say. default: cross-fitted, so that the "
      "rounds and how sure the model is come from the data, with an out-of-fold "
      "estimate of its error. best: a weighted ensemble of unlike settings, "
      "cross-fitted likewise (docs/quality.md). auto: default, but fast where rounds, "
      "an algorithm, a loss, codewords, their dimension, a learner, early stopping, rows for "
      "validation, monotone, interactions or a model to go on from are given, for several "
      "labels a row, and for less than 50 rows; above a hundred million values (rows x (features + "
      "classes)) "
      "one training, ended by a tenth of the rows.");
  arguments.option("--folds", "N", options.chosen.folds,
                   "Parts of DATA, each held out once; 0: as the number of rows suggests.");
  arguments.option("--group", "COLUMN", options.group,
                   "Rows of the same value here stay in the same fold; no feature then.");
  arguments.custom(
      "--budget", "TIME",
      [&](const std::string& text) {
        options.chosen.budget = text == "0" ? 0 : budget_seconds(text);
      },
      "Begin no further member after so long (90s, 10m, 2h), and end the rounds of the one at "
      "hand; the model depends on the machine then. 0: no limit.");
  arguments.flag("--distil", options.chosen.distil,
                 "Keep one model that is trained on the ensemble's probabilities, for fast "
                 "prediction, and say what it costs.");
  arguments.group("Validation");
  arguments.option("--valid", "FILE", options.valid,
                   "Data to watch the error on, with the columns of DATA.");
  arguments.option("--valid-label-weights", "FILE", options.valid_label_weights,
                   "For sets of labels: weights for each row and label of --valid, in a file like "
                   "that of --label-weights.");
  arguments.option("--valid-fraction", "X", options.valid_fraction,
                   "Set this share of DATA aside instead, each class in its share; 0 to 0.9, "
                   "drawn by --seed.");
  arguments.exclusive("--valid", "--valid-fraction");
  arguments.exclusive("--group", "--valid-fraction");
  options.memory.declare(arguments);
  options.parameters.declare(arguments);
}

// Whether it says of a training what cross-fitting would decide, or has no place for.
bool given_much(const Options& options) {
  constexpr std::array kNames{"rounds",  "algorithm",      "loss",     "codewords",   "dimension",
                              "learner", "early-stopping", "monotone", "interactions"};
  return !options.valid.empty() || options.valid_fraction > 0 || !options.init.empty() ||
         std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* name) { return options.parameters.given(name); });
}

void check(Options& options) {
  check_valid_fraction(options.valid_fraction);
  if (options.data == "-" && options.valid == "-") {
    throw UsageError("DATA and --valid cannot both be standard input");
  }
  if (!options.valid_label_weights.empty() && options.valid.empty()) {
    throw UsageError("--valid-label-weights: there are no rows for them; give --valid, too");
  }
  // What auto is, the data have a say in, too.
  if (options.quality != "auto")
    options.chosen.quality = find_quality(options.quality);
  else
    options.chosen.quality = given_much(options) ? Quality::kFast : Quality::kDefault;
  const bool cross_fits = options.chosen.quality != Quality::kFast;
  const auto needs = [&](bool given, const char* name) {
    if (given && !cross_fits)
      throw UsageError(
          fmt::format("{}: it is for --quality default or best; give that, too", name));
  };
  needs(options.chosen.folds != 0, "--folds");
  needs(!options.group.empty(), "--group");
  needs(options.chosen.budget != 0, "--budget");
  needs(options.chosen.distil, "--distil");
  if (cross_fits && !options.init.empty())
    throw UsageError("--init: only --quality fast goes on from a model");
  if (options.chosen.folds < 0 || options.chosen.folds == 1 || options.chosen.folds > kMostFolds)
    throw UsageError(fmt::format("--folds: '{}' is out of range; give 0, or 2 to {}",
                                 options.chosen.folds, kMostFolds));
  check_output_path(options.model, {options.data, options.valid, options.read.label_weights,
                                    options.valid_label_weights});
  options.checkpoint.check({options.model, options.data, options.valid});
  if (!options.dashboard.empty())
    check_output_path(options.dashboard, {options.data, options.valid, options.init});
  const auto whole = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
  };
  if (options.checkpoint.given() &&
      whole(options.checkpoint.options().file) == whole(options.model))
    throw UsageError("--checkpoint: it is the file of --model; give another name");
  if (!options.dashboard.empty() &&
      (whole(options.dashboard) == whole(options.model) ||
       (options.checkpoint.given() &&
        whole(options.dashboard) == whole(options.checkpoint.options().file))))
    throw UsageError("--dashboard: it is the file of --model or --checkpoint; give another name");
}

Dataset load_valid(const Options& options, const ReadOptions& read, const Schema& schema) {
  if (!options.valid_label_weights.empty() && !schema.multi_label)
    throw UsageError(std::string("--valid-label-weights: ") + kNoUseOfLabelWeights);
  ReadOptions more = options_for_more(read, schema);
  more.label_weights = options.valid_label_weights;
  return read_with_notes(options.valid, more, options.quiet);
}

bool asks_for_folds(const Options& options) {
  return options.quality != "auto" || options.chosen.folds != 0 || !options.group.empty() ||
         options.chosen.budget != 0 || options.chosen.distil;
}

// What the rows say of it: how many there are, of all processes together.
void choose_quality(const Dataset& share, Options& options, Parameters& parameters) {
  if (options.chosen.quality == Quality::kFast) return;
  Communicator& ranks = job_ranks();
  const PlainTraining plain = plain_training(share, ranks);
  const CrossFitSize size = cross_fit_size(share, ranks);
  if (options.quality == "auto" && plain == PlainTraining::kFast) {
    options.chosen.quality = Quality::kFast;
  } else if (size.too_large() && asks_for_folds(options)) {
    if (ranks.size() > 1)
      throw UsageError(fmt::format(
          "--quality: {} values of features and classes are more than the {} that every "
          "process can have to cross-fit them; leave --quality, --folds, --group, "
          "--budget and --distil out, cross-fit a sample of the rows, or use one process",
          size.values, size.most));
  } else if (plain == PlainTraining::kLarge) {
    options.chosen.quality = Quality::kFast;
    options.valid_fraction = kSetAside;
    parameters = large_training(share, parameters);
    if (!options.quiet && ranks.rank() == 0)
      print_note(
          fmt::format("{} values of features and classes are more than the {} that are "
                      "cross-fitted without --quality, so this is one training; a tenth of "
                      "the rows says when it ends",
                      size.values, size.most));
  }
}

// `init`: the model to go on from, or null.
Data load(Options& options, Parameters& parameters, const Model* init) {
  const Stopwatch watch;
  Data data;
  ReadOptions read = options.read;
  read.threads = parameters.threads;
  if (init) read.schema = &init->schema();
  data.train = read_with_notes(options.data, read, options.quiet);
  choose_quality(data.train, options, parameters);
  if (options.valid_fraction > 0) {
    DatasetSplit split =
        split_share(data.train, options.valid_fraction, parameters.seed, job_ranks());
    data.train = std::move(split.train);
    data.valid = std::move(split.valid);
  }
  data.gathered = job_ranks().size() > 1 && options.chosen.quality != Quality::kFast;
  if (data.gathered) data.train = gather_all_rows(data.train, job_ranks());
  if (!options.group.empty()) options.chosen.groups = take_group_column(data.train, options.group);
  if (!options.valid.empty()) data.valid = load_valid(options, read, data.train.schema());
  data.load_seconds = watch.seconds();
  return data;
}

// Linux counts in ru_maxrss what the process was before exec, a large script for instance; VmHWM
// begins with this program.
double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// What the rows take as they were read: numbers and class codes.
double data_memory_mb(const Dataset& data) {
  std::size_t bytes = data.labels.codes.size() * sizeof(std::int32_t);
  for (const Column& column : data.columns) {
    const auto value = static_cast<std::size_t>(column.stride);
    bytes += column.sparse ? column.sparse_rows->size() * (value + sizeof(std::uint32_t))
                           : data.rows * value;
  }
  return static_cast<double>(bytes) / (1 << 20);
}

void print_json_summary(const Options& options, const Summary& summary) {
  const TrainingRun& run = summary.run;
  Json object{{"algorithm", run.model.algorithm()},
              {"model", options.model},
              {"rounds", run.model.rounds()},
              {"stop_reason", run.model.log().stop_reason},
              {"interrupted", run.interrupted},
              {"rows", summary.rows},
              {"processes", job_ranks().size()},
              {"sent_bytes", job_traffic().bytes},
              {"sent_messages", job_traffic().messages},
              {"features", run.model.schema().features.size()},
              {"classes", run.model.schema().classes.size()},
              {"load_seconds", summary.data.load_seconds},
              {"train_seconds", run.seconds},
              {"data_memory_mb", data_memory_mb(summary.data.train)},
              {"peak_memory_mb", peak_memory_mb()},
              {"train_error", summary.train_error},
              {"members", members_json(run.model)},
              {"choices", choices_json(ensemble_of(run.model))},
              {"estimate", estimate_json(run.model)},
              {"margins", margins_json(run.model.log().margins)}};
  if (run.distilled) object["distilled"] = distil_json(*run.distilled);
  if (summary.data.valid) {
    object["valid_rows"] = summary.valid_rows;
    object["valid_error"] = summary.valid_error;
    object["valid_log_loss"] = summary.valid_log_loss;
    // The metric that was watched, if it is another one.
    for (const std::string& name : run.model.log().columns)
      if (name.starts_with("valid_") && !object.contains(name))
        object[name] = logged_figure(run.model, name);
  }
  print_json(object);
}

void print_text_summary(const Options& options, const Summary& summary) {
  const Model& model = summary.run.model;
  fmt::print("{}: {} rows, {} features, {} classes, read in {:.2f} s\n", summary.data.train.source,
             summary.rows, model.schema().features.size(), model.schema().classes.size(),
             summary.data.load_seconds);
  fmt::print("{}: {} rounds in {:.2f} s ({})\n", model.algorithm(), model.rounds(),
             summary.run.seconds, model.log().stop_reason);
  const char* error = model.schema().multi_label ? "Hamming loss" : "error";
  if (!std::isnan(summary.train_error))
    fmt::print("train {} {}\n", error, format_figure(summary.train_error));
  fmt::print("{}", estimate_line(model));
  if (summary.run.distilled) fmt::print("{}", distil_line(*summary.run.distilled));
  if (summary.data.valid) {
    fmt::print("valid {} {}, log loss {} ({} rows)\n", error, format_figure(summary.valid_error),
               format_figure(summary.valid_log_loss), summary.valid_rows);
  }
  fmt::print("saved {}\n", options.model);
}

// Where another process has died, what helps is to begin again.
TrainingRun run_by_ranks(const Dataset& data, const Parameters& parameters, const Options& options,
                         const TrainingWatch& watch, const TrainOptions& with) {
  try {
    if (options.chosen.quality != Quality::kFast)
      return run_quality(data, parameters, options.chosen, watch, job_ranks());
    return run_training(data, parameters, watch, with, TrainingContext{job_ranks()});
  } catch (const CommunicationError& error) {
    if (!lost_process()) throw;
    throw CommunicationError(
        fmt::format("{}; {}", error.what(),
                    options.checkpoint.given()
                        ? fmt::format("the same command goes on from {}, with any number of "
                                      "processes",
                                      options.checkpoint.options().file)
                        : "start again; with --checkpoint FILE it could go on from there"));
  }
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  Parameters parameters = options.parameters.resolve();
  check(options);
  options.memory.set_rules();
  std::optional<Model> init;
  if (!options.init.empty()) init = Model::load(options.init);
  const Data data = load(options, parameters, init ? &*init : nullptr);
  TrainOptions with;
  with.valid = data.valid ? &*data.valid : nullptr;
  with.init = init ? &*init : nullptr;
  with.checkpoint = options.chosen.checkpoint = options.checkpoint.options();
  // What is drawn, the first process draws.
  const TrainingWatch watch{options.quiet, job_ranks().rank() == 0 ? options.dashboard : "",
                            options.model};
  const TrainingRun training = run_by_ranks(data.train, parameters, options, watch, with);
  const StopPause pause;  // what is left is short
  const bool first = job_ranks().rank() == 0;
  if (first) training.model.save(options.model);
  if (first && !training.interrupted) options.checkpoint.remove();
  if (training.interrupted) {
    print_note(fmt::format("interrupted after {} rounds; the model so far is in {}",
                           training.model.rounds(), options.model));
  }
  if (training.repeats > 0 && first && !options.quiet)
    print_note(fmt::format(
        "{:.0f} % of the rows equal another in every feature; if those are the same case, the "
        "estimate is too good: give --group COLUMN",
        100 * training.repeats));
  if (options.json || !options.quiet) {
    const Summary summary = summarize(data, training, parameters.threads);
    (options.json ? print_json_summary : print_text_summary)(options, summary);
  }
  return training.interrupted ? kInterrupted : kOk;
}

}  // namespace
}  // namespace train_verb

const Verb kTrainVerb{
    "train",
    "train a model on labelled data and save it",
    "DATA --model OUT [options]",
    "Reads DATA, trains, writes the model, and prints what came of it. Progress is shown on a "
    "terminal; Ctrl-C and SIGTERM save the model so far (exit status 130).",
    "  simplexboost train letter.csv --model letter.sb --valid-fraction 0.2\n"
    "  simplexboost train a.csv.gz -m a.sb --label species --categorical island,sex --rounds 300\n"
    "  simplexboost train a.csv -m a.sb --valid b.csv --early-stopping 20 --json\n"
    "  simplexboost train a.csv -m a.sb --config settings.toml --seed 7\n"
    "  simplexboost train a.csv -m more.sb --init a.sb --rounds 500\n"
    "  simplexboost train a.csv -m a.sb --quality best\n"
    "  simplexboost train a.csv -m a.sb --dashboard training.html\n"
    "  mpirun -n 4 simplexboost train 'part-*.csv' -m a.sb",
    train_verb::run,
    true,
};

}  // namespace simplexboost::cli
