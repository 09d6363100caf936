#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/json.h"
#include "cli/options/data_options.h"
#include "cli/options/memory_options.h"
#include "cli/options/parameter_options.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/training_run.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
#include "data/rows/folds.h"
#include "simplexboost/error.h"
#include "tuning/cross_validation.h"

namespace simplexboost::cli {
namespace cv_verb {
namespace {

constexpr int kMostRepeats = 10'000;
constexpr std::size_t kListedFolds = 30;

struct Options {
  std::string data;
  std::string group;
  std::string output;
  std::vector<std::string> metrics;
  MemoryArguments memory;
  ReadOptions read;
  ParameterOptions parameters;
  CrossValidationOptions cv;
  bool all = false;
  bool proba = false;
  bool json = false;
  bool quiet = false;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.option("--folds", "N", options.cv.folds,
                   "Parts, each held out once; each class is in all of them in its share. 2 to "
                   "1000, 5 by default.");
  arguments.option("--repeats", "R", options.cv.repeats,
                   "Do it so many times, each with other folds (seeds S, S+1, ...).");
  arguments.option("--group", "COLUMN", options.group,
                   "Rows of the same value here stay in the same fold; no feature then.");
  arguments.list("--metrics", "LIST", options.metrics,
                 "What the held-out rows are judged by (see simplexboost evaluate --help).");
  arguments.flag("--all", options.all, "Judge by every metric.");
  arguments.exclusive("--metrics", "--all");
  arguments.option("--label-noise", "P", options.cv.label_noise,
                   "Make each label of the training and validation rows wrong with this "
                   "probability; those of the held-out rows stay.");
  arguments.flag("--exact-bins", options.cv.exact_bins,
                 "Choose bins for each fold from its training rows alone, not once from the "
                 "features of all rows.");
  arguments.option("-o,--output", "FILE", options.output,
                   "Write what was predicted for each row while it was held out (CSV; - is "
                   "standard output).");
  arguments.flag("--proba", options.proba, "With -o: probabilities too, a column for each class.");
  arguments.flag("--json", options.json, "Print one JSON object instead of tables.");
  arguments.flag("--quiet", options.quiet, "No progress, no notes.");
  declare_training_data(arguments, options.read);
  arguments.group("Validation");
  arguments.option("--valid-fraction", "X", options.cv.valid_fraction,
                   "Set this share of each fold's training rows aside for early stopping; 0 to "
                   "0.9.");
  arguments.flag("--valid-fold", options.cv.valid_fold,
                 "Take the next fold for early stopping: of five folds three train.");
  arguments.exclusive("--valid-fraction", "--valid-fold");
  options.memory.declare(arguments);
  options.parameters.declare(arguments);
}

void check(const Options& options) {
  const CrossValidationOptions& cv = options.cv;
  if (cv.folds < 2 || cv.folds > kMostFolds)
    throw UsageError(fmt::format("--folds: give a whole number from 2 to {}", kMostFolds));
  if (cv.repeats < 1 || cv.repeats > kMostRepeats)
    throw UsageError(fmt::format("--repeats: give a whole number from 1 to {}", kMostRepeats));
  check_valid_fraction(cv.valid_fraction);
  if (cv.valid_fold && cv.folds < 3)
    throw UsageError("--valid-fold: needs 3 folds or more, one to train on");
  if (!(cv.label_noise >= 0 && cv.label_noise <= 1))
    throw UsageError("--label-noise: is a probability; give a number from 0 to 1");
  if (options.proba && options.output.empty())
    throw UsageError("--proba: goes with -o, the file of predictions");
  if (!options.output.empty() && options.output != "-")
    check_output_path(options.output, {options.data, options.read.label_weights});
  if (options.output == "-" && options.json)
    throw UsageError("-o - and --json both want standard output; give -o a file");
}

std::string spread_text(const MeanAndDeviation& one) {
  return std::isnan(one.deviation)
             ? format_figure(one.mean)
             : fmt::format("{} +- {}", format_figure(one.mean), format_figure(one.deviation));
}

std::string fold_table(const Options& options, const CrossValidation& result) {
  std::vector<std::vector<std::string>> rows{{"FOLD", "TRAIN", "TEST", "ROUNDS", "SECONDS"}};
  const bool repeats = options.cv.repeats > 1;
  if (repeats) rows[0].insert(rows[0].begin(), "REPEAT");
  for (const Metric& metric : options.cv.metrics) rows[0].push_back(metric.title());
  for (const FoldResult& fold : result.folds) {
    if (rows.size() > kListedFolds) break;
    std::vector<std::string>& row = rows.emplace_back();
    if (repeats) row.push_back(fmt::format("{}", fold.repeat + 1));
    row.push_back(fmt::format("{}", fold.fold + 1));
    row.push_back(fmt::format("{}", fold.train_rows));
    row.push_back(fmt::format("{}", fold.test_rows));
    row.push_back(fmt::format("{}", fold.rounds));
    row.push_back(fmt::format("{:.2f}", fold.seconds));
    for (const double value : fold.values) row.push_back(format_figure(value));
  }
  std::string text = format_table(rows, {}, 2);
  if (result.folds.size() > kListedFolds)
    text += fmt::format("  ... and {} more\n", result.folds.size() - kListedFolds);
  return text;
}

void print_text(const Options& options, const Dataset& data, const CrossValidation& result) {
  fmt::print("{}: {} rows, {} classes; {} folds", data.source, data.rows,
             data.labels.classes.size(), options.cv.folds);
  if (options.cv.repeats > 1) fmt::print(", {} times", options.cv.repeats);
  fmt::print("\n{}\nMean and standard deviation over the folds\n", fold_table(options, result));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t m = 0; m < options.cv.metrics.size(); ++m)
    rows.push_back({options.cv.metrics[m].title(), spread_text(summarize(result.folds, m))});
  fmt::print("{}", format_table(rows, {0, 1}, 2));
}

Json fold_json(const Options& options, const FoldResult& fold) {
  Json one{{"repeat", fold.repeat},          {"fold", fold.fold},
           {"train_rows", fold.train_rows},  {"valid_rows", fold.valid_rows},
           {"test_rows", fold.test_rows},    {"absent_classes", fold.absent_classes},
           {"rounds", fold.rounds},          {"seconds", fold.seconds},
           {"stop_reason", fold.stop_reason}};
  for (std::size_t m = 0; m < fold.values.size(); ++m)
    one[options.cv.metrics[m].json_name()] = fold.values[m];
  return one;
}

void print_object(const Options& options, const Dataset& data, const Parameters& parameters,
                  const CrossValidation& result) {
  Json metrics;
  for (std::size_t m = 0; m < options.cv.metrics.size(); ++m) {
    const MeanAndDeviation spread = summarize(result.folds, m);
    metrics[options.cv.metrics[m].json_name()] = {{"mean", spread.mean},
                                                  {"standard_deviation", spread.deviation}};
  }
  Json folds = Json::array();
  for (const FoldResult& fold : result.folds) folds.push_back(fold_json(options, fold));
  print_json({{"rows", data.rows},
              {"classes", data.labels.classes.size()},
              {"folds", options.cv.folds},
              {"repeats", options.cv.repeats},
              {"seed", parameters.seed},
              {"label_noise", options.cv.label_noise},
              {"interrupted", !result.whole},
              {"metrics", std::move(metrics)},
              {"results", std::move(folds)}});
}

// row, repeat, fold, the truth, what was predicted, and probabilities if asked for.
class PredictionWriter {
 public:
  PredictionWriter(const Options& options, const Dataset& data)
      : options_(options), data_(data), sets_(data.labels.multi_label()) {}

  void write(const CrossValidation& result) {
    TextOutput out(options_.output);
    out.buffer() += heading();
    for (std::size_t r = 0; r < result.scores.size(); ++r)
      for (std::size_t i = 0; i < data_.rows; ++i) {
        add_row(result.scores[r], r, i, out.buffer());
        out.flush_if_large();
      }
    out.commit();
  }

 private:
  std::string heading() const {
    std::string line = "row,repeat,fold";
    if (!sets_) line += ",class,prediction";
    for (const std::string& name : data_.labels.classes) {
      if (sets_) line += "," + csv_field(name);
    }
    for (const std::string& name : data_.labels.classes) {
      if (options_.proba) line += "," + csv_field("p(" + name + ")");
    }
    return line + "\n";
  }

  void add_row(const RepeatScores& kept, std::size_t repeat, std::size_t i,
               std::string& out) const {
    const std::span<const float> scores(kept.scores.row(i), kept.scores.columns);
    out += fmt::format("{},{},{}", i + 1, repeat + 1, kept.fold_of_row[i] + 1);
    if (sets_) {
      for (const float score : scores) out += score > 0 ? ",1" : ",0";
    } else {
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      const auto& names = data_.labels.classes;
      out += "," + csv_field(names[static_cast<std::size_t>(data_.labels.codes[i])]) + "," +
             csv_field(names[static_cast<std::size_t>(best)]);
    }
    if (options_.proba)
      for (std::size_t k = 0; k < kept.proba.columns; ++k)
        out += fmt::format(",{}", kept.proba.row(i)[k]);
    out += "\n";
  }

  const Options& options_;
  const Dataset& data_;
  bool sets_;
};

void note_absent_classes(const CrossValidation& result) {
  std::size_t folds = 0;
  std::size_t most = 0;
  for (const FoldResult& fold : result.folds) {
    if (fold.absent_classes > 0) ++folds;
    most = std::max(most, fold.absent_classes);
  }
  if (folds > 0)
    print_note(
        fmt::format("{} of {} folds trained without a row of some classes (at most {}): "
                    "their held-out rows are all wrong",
                    folds, result.folds.size(), most));
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  const Parameters parameters = options.parameters.resolve();
  check(options);
  options.memory.set_rules();
  options.read.threads = parameters.threads;
  Dataset data = read_with_notes(options.data, options.read, options.quiet);
  if (!options.group.empty()) options.cv.groups = take_group_column(data, options.group);
  const bool sets = data.labels.multi_label();
  options.cv.metrics = options.all ? all_metrics(sets) : choose_metrics(options.metrics, sets);
  options.cv.keep_scores = !options.output.empty();
  ProgressBar bar(error_terminal(), options.quiet);
  options.cv.progress = &bar;
  const CrossValidation result = cross_validate(data, parameters, options.cv);
  bar.finish("");
  if (!options.quiet) note_absent_classes(result);
  if (options.json) print_object(options, data, parameters, result);
  if (!options.json && options.output != "-") print_text(options, data, result);
  if (result.whole && !options.output.empty()) PredictionWriter(options, data).write(result);
  if (!result.whole)
    print_note(fmt::format("interrupted: {} of {} folds are finished", result.folds.size(),
                           options.cv.folds * options.cv.repeats));
  return result.whole ? kOk : kInterrupted;
}

}  // namespace
}  // namespace cv_verb

const Verb kCvVerb{
    "cv",
    "cross-validate: train and test on parts of the data in turn",
    "DATA [--folds N] [--repeats R] [--group COLUMN] [parameters of train]",
    "Splits DATA into folds, trains with each held out in turn, judges by the rows held out, and "
    "prints every fold with the mean and standard deviation. No model is kept. Each training is "
    "one as by train --quality fast, whose parameters are options here; plain train is "
    "cross-fitted, which mostly errs less, and tells by itself what to expect.",
    "  simplexboost cv data.csv --folds 10\n"
    "  simplexboost cv data.csv --folds 5 --repeats 10 --metrics error,log-loss,auc --json\n"
    "  simplexboost cv visits.csv --group patient --valid-fraction 0.2 --early-stopping 30\n"
    "  simplexboost cv data.csv --label-noise 0.2 --algorithm samme --depth 5 -o held-out.csv",
    cv_verb::run,
};

}  // namespace simplexboost::cli
