#include "base/text/json.h"
#include "metric/evaluation.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/terminal/job.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/output.h"
#include "cli/text/reliability_text.h"
#include "cli/verb.h"
#include "data/rows/row_shares.h"
#include "experiment/svg_table.h"
#include "simplexboost/certainty.h"

namespace simplexboost::cli {
namespace evaluate_verb {
namespace {

constexpr std::size_t kJsonTableClasses = 1000;  // beyond, only if asked for
constexpr std::size_t kMostDrawnClasses = 200;

struct Options {
  std::string model;
  std::string data;
  ReadOptions read;
  PredictOptions predict;
  std::vector<std::string> metrics;
  bool all = false;
  bool per_class = false;
  bool confusion = false;
  bool reliability = false;
  bool json = false;
  bool full_confusion = false;
  std::string plot;
  bool quiet = false;
};

std::string metric_names() {
  std::string names;
  for (const MetricRow& row : metric_table())
    names += (names.empty() ? "" : ", ") + Metric(row).name();
  return names;
}

void declare(Arguments& arguments, Options& options) {
  declare_model_and_data(arguments, options.model, options.data);
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_weight_option(arguments, options.read);
  arguments.option("--label-weights", "FILE", options.read.label_weights,
                   "For sets of labels: CSV file of weights for each row and label, as for train.");
  declare_format_options(arguments, options.read);
  arguments.group("Options");
  declare_predict_options(arguments, options.predict);
  arguments.list("--metrics", "LIST", options.metrics,
                 "What to print, names between commas: " + metric_names() +
                     ". Numbers in names may be others. By default the few that say most.");
  arguments.flag("--all", options.all, "Print every metric.");
  arguments.exclusive("--metrics", "--all");
  arguments.flag("--per-class", options.per_class,
                 "A table of the classes, or of the worst where there are many.");
  arguments.flag("--confusion", options.confusion,
                 "The table of true against predicted classes, or the largest confusions where "
                 "there are many classes.");
  arguments.flag("--reliability", options.reliability,
                 "Whether probabilities mean what they say: how much of what was said with each "
                 "came true, of the class told and of each class, with intervals; of a calibrated "
                 "model also before it was.");
  arguments.option(
      "--plot", "FILE", options.plot,
      fmt::format("Draw true against predicted classes, {} at most, as SVG.", kMostDrawnClasses));
  arguments.flag("--json", options.json,
                 "Print one JSON object instead, with every metric, the classes and the "
                 "confusion.");
  arguments.flag(
      "--full-confusion", options.full_confusion,
      fmt::format("With --json: the whole confusion table even for more than {} classes.",
                  kJsonTableClasses));
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
}

// Unless it is there: "top-3-error" comes beside "top-5-error".
void add_metric(std::vector<Metric>& metrics, const Metric& metric) {
  for (const Metric& known : metrics)
    if (known.name() == metric.name()) return;
  metrics.push_back(metric);
}

void print_text(const Options& options, const Dataset& data, const Evaluation& evaluation,
                std::span<const Metric> metrics, const std::vector<std::string>& classes) {
  const std::string unknown = evaluation.unknown_pairs == 0
                                  ? ""
                                  : fmt::format(" ({} of {} unknown)", evaluation.unknown_pairs,
                                                evaluation.rows * classes.size());
  fmt::print("{}: {} rows, {} {}{}\n{}", data.source, evaluation.rows, classes.size(),
             evaluation.multi_label ? "labels" : "classes", unknown,
             figures_text(evaluation, metrics));
  if (options.confusion) fmt::print("\n{}", confusion_text(evaluation, classes));
  if (options.per_class) fmt::print("\n{}", per_class_text(evaluation, classes));
}

struct BothReliabilities {
  Reliability now;
  std::optional<Reliability> before;  // of a calibrated model
};

BothReliabilities reliabilities(const Model& model, const Dataset& data,
                                const PredictOptions& options) {
  BothReliabilities both{measure_reliability(model, data, options, job_ranks()), {}};
  if (!calibration_of(model).empty())
    both.before = measure_reliability(uncalibrated(model), data, options, job_ranks());
  return both;
}

std::vector<Metric> wanted_metrics(const Options& options, bool sets) {
  std::vector<Metric> named = choose_metrics(options.metrics, sets);
  if (!options.all && !options.json) return named;
  std::vector<Metric> metrics = all_metrics(sets);
  for (const Metric& metric : named) add_metric(metrics, metric);
  return metrics;
}

void draw_confusion(const std::string& path, const Evaluation& evaluation,
                    const std::vector<std::string>& classes) {
  TextOutput out(path);
  out.buffer() =
      svg_text(ShadedTable{fmt::format("Confusion on {} rows", evaluation.rows), "true class",
                           "predicted class", classes, evaluation.confusion.table()});
  out.commit();
}

void report(const Options& options, const Model& model, const Dataset& data,
            std::span<const Metric> metrics) {
  const std::vector<std::string>& classes = model.schema().classes;
  unsigned parts = parts_of(metrics);
  if (options.confusion || options.json || !options.plot.empty()) parts |= kTallyConfusion;
  const Evaluation evaluation =
      tally_model(model, align_rows(data, job_ranks()), options.predict, parts, job_ranks());
  std::optional<BothReliabilities> both;
  if (options.reliability) both = reliabilities(model, data, options.predict);
  if (job_ranks().rank() > 0) return;
  if (!options.plot.empty()) draw_confusion(options.plot, evaluation, classes);
  if (!options.json) {
    print_text(options, data, evaluation, metrics, classes);
    if (both)
      fmt::print("\n{}",
                 reliability_text(both->now, both->before ? &*both->before : nullptr, classes));
    return;
  }
  const std::size_t limit =
      options.full_confusion ? std::numeric_limits<std::size_t>::max() : kJsonTableClasses;
  Json object = evaluation_json(evaluation, metrics, classes, limit);
  if (both) object["reliability"] = reliability_json(both->now, classes);
  if (both && both->before)
    object["reliability_before_calibration"] = reliability_json(*both->before, classes);
  print_json(object);
}

void check_plot(const Schema& schema) {
  if (schema.multi_label) throw UsageError("--plot is for one label a row; use --per-class");
  if (schema.classes.size() > kMostDrawnClasses)
    throw UsageError(
        fmt::format("--plot: {} classes are more than {}, which one can look at; use "
                    "--confusion for the largest confusions",
                    schema.classes.size(), kMostDrawnClasses));
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  const Model model = Model::load(options.model);
  check_predict_options(options.predict, model);
  if (options.confusion && model.schema().multi_label)
    throw UsageError("--confusion is for one label a row; use --per-class");
  if (!options.plot.empty()) check_plot(model.schema());
  if (options.reliability && (model.schema().multi_label || !model.has_proba()))
    throw UsageError("--reliability: it is for models of one label a row that tell probabilities");
  if (!options.read.label_weights.empty() && !model.schema().multi_label)
    throw UsageError(std::string("--label-weights: ") + kNoUseOfLabelWeights);
  const std::vector<Metric> metrics = wanted_metrics(options, model.schema().multi_label);
  options.read.schema = &model.schema();
  options.read.threads = options.predict.threads;
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  report(options, model, data, metrics);
  return kOk;
}

}  // namespace
}  // namespace evaluate_verb

const Verb kEvaluateVerb{
    "evaluate",
    "judge a model on labelled data by any metric, with classes and confusions",
    "MODEL DATA [options]",
    "Predicts DATA and compares with its label column. Columns are matched with the model's by "
    "name. Rows of classes that the model was not trained on count as errors. For multi-label "
    "models "
    "a label is predicted where its score is above 0.",
    "  simplexboost evaluate m.sb test.csv\n"
    "  simplexboost evaluate m.sb test.csv --metrics error,top-3-error,auc --per-class\n"
    "  simplexboost evaluate m.sb test.csv --json | jq .error",
    evaluate_verb::run,
    true,
};

}  // namespace simplexboost::cli
