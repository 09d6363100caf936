#include "metric/evaluation.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/data_options.h"
#include "cli/evaluation_text.h"
#include "cli/json_output.h"
#include "cli/model_options.h"
#include "cli/multi_label_text.h"
#include "cli/verb.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kJsonTableClasses = 1000;  // beyond, only if asked for

struct Options {
  std::string model;
  std::string data;
  ReadOptions read;
  PredictOptions predict;
  bool json = false;
  bool full_confusion = false;
  bool quiet = false;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("MODEL", options.model, "Model file that train wrote.");
  arguments.required();
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_weight_option(arguments, options.read);
  declare_format_options(arguments, options.read);
  arguments.group("Options");
  declare_predict_options(arguments, options.predict);
  arguments.flag("--json", options.json, "Print one JSON object instead of tables.");
  arguments.flag(
      "--full-confusion", options.full_confusion,
      fmt::format("With --json: the whole confusion table even for more than {} classes.",
                  kJsonTableClasses));
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
}

void print_text(const Dataset& data, const Evaluation& evaluation,
                const std::vector<std::string>& classes) {
  fmt::print("{}: {} rows, {} classes\n{}\n{}\n{}", data.source, evaluation.rows, classes.size(),
             figures_text(evaluation), confusion_text(evaluation.confusion, classes),
             per_class_text(evaluation.confusion, classes));
}

void report_classes(const Options& options, const Model& model, const Dataset& data) {
  const Evaluation evaluation = evaluate(model, data, options.predict);
  if (!options.json) return print_text(data, evaluation, model.schema().classes);
  const std::size_t limit =
      options.full_confusion ? std::numeric_limits<std::size_t>::max() : kJsonTableClasses;
  print_json(evaluation_json(evaluation, model.schema().classes, limit));
}

void report_labels(const Options& options, const Model& model, const Dataset& data) {
  const std::vector<std::string>& labels = model.schema().classes;
  const MultiLabelEvaluation evaluation = evaluate_labels(model, data, options.predict);
  if (options.json) return print_json(evaluation_json(evaluation, labels));
  fmt::print("{}: {} rows, {} labels\n{}\n{}", data.source, evaluation.rows, labels.size(),
             figures_text(evaluation), per_label_text(evaluation.counts, labels));
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  const Model model = Model::load(options.model);
  check_predict_options(options.predict, model);
  options.read.schema = &model.schema();
  options.read.threads = options.predict.threads;
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  (model.schema().multi_label ? report_labels : report_classes)(options, model, data);
  return kOk;
}

}  // namespace

const Verb kEvaluateVerb{
    "evaluate",
    "judge a model on labelled data: errors, log loss, confusion; Hamming loss and F1 of sets of "
    "labels",
    "MODEL DATA [options]",
    "Predicts DATA and compares with its label column. Columns are matched with the model's by "
    "name. Rows of classes that the model was not trained on count as errors. For multi-label "
    "models "
    "a label is predicted where its score is above 0.",
    "  simplexboost evaluate m.sb test.csv\n"
    "  simplexboost evaluate m.sb test.csv --json | jq .error",
    run,
};

}  // namespace simplexboost::cli
