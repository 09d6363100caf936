#include <fmt/format.h>

#include "base/text/json.h"
#include "cli/options/data_options.h"
#include "cli/text/estimate_text.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "simplexboost/certainty.h"

namespace simplexboost::cli {
namespace calibrate_verb {
namespace {

struct Options {
  std::string model;
  std::string data;
  std::string output;
  CalibrateOptions how;
  ReadOptions read;
  bool undo = false;
  bool json = false;
  bool quiet = false;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("MODEL", options.model, kModelHelp);
  arguments.required();
  arguments.positional(
      "DATA", options.data,
      std::string("Labelled rows that the model was not trained on. ") + kDataHelp);
  arguments.option("-o,--output", "FILE", options.output,
                   "Write the calibrated model here; by default in the place of MODEL.");
  arguments.option("--method", "NAME", options.how.method,
                   "temperature: one number, how sure to be. vector: a scale and a shift for each "
                   "class. isotonic: a rising curve for each class. auto, the default: what "
                   "cross-validation on DATA finds best, or none of them.");
  arguments.option("--folds", "N", options.how.folds, "Of the cross-validation; 5 by default.");
  arguments.option("--seed", "N", options.how.seed, "Of the folds.");
  arguments.option("--threads", "N", options.how.threads, "Threads to use; 0: all cores.");
  arguments.flag("--undo", options.undo, "Forget what the model was calibrated by; needs no DATA.");
  arguments.flag("--json", options.json, "Print one JSON object instead.");
  arguments.flag("--quiet", options.quiet, "No notes, no table.");
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_weight_option(arguments, options.read);
  declare_format_options(arguments, options.read);
}

void print_trials(const Options& options, const CalibrationResult& result, std::size_t rows) {
  if (options.json) {
    Json trials = Json::array();
    for (const CalibrationTrial& trial : result.trials)
      trials.push_back(Json{{"method", trial.method}, {"log_loss", trial.log_loss}});
    print_json(Json{{"method", result.method},
                    {"rows", rows},
                    {"trials", trials},
                    {"estimate", estimate_json(result.model)},
                    {"model", options.output}});
    return;
  }
  std::vector<std::vector<std::string>> table{{"METHOD", "LOG LOSS", ""}};
  for (const CalibrationTrial& trial : result.trials)
    table.push_back({trial.method, format_figure(trial.log_loss),
                     trial.method == result.method ? "chosen" : ""});
  fmt::print("{} rows, by cross-validation on them:\n{}{}saved {}\n", rows,
             format_table(table, {}, 2), estimate_line(result.model), options.output);
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.undo != options.data.empty())
    throw UsageError(options.undo ? "--undo: needs no DATA" : "DATA: give labelled rows");
  if (options.output.empty()) options.output = options.model;
  check_output_path(options.output, {options.data});
  const Model model = Model::load(options.model);
  if (options.undo) {
    uncalibrated(model).save(options.output);
    if (!options.quiet && !options.json) fmt::print("saved {}\n", options.output);
    return kOk;
  }
  options.read.schema = &model.schema();
  options.read.threads = options.how.threads;
  options.read.require_labels = true;
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  const CalibrationResult result = calibrate(model, data, options.how);
  result.model.save(options.output);
  if (options.json || !options.quiet) print_trials(options, result, data.rows);
  return kOk;
}

}  // namespace
}  // namespace calibrate_verb

const Verb kCalibrateVerb{
    "calibrate",
    "make the probabilities of a model mean what they say, by rows that it has not seen",
    "MODEL DATA [-o FILE] [--method NAME]",
    "Fits how probabilities are told to DATA, and writes a model that tells them so; it also knows "
    "the sets of --conformal from these rows. A simpler method stays unless a richer one is "
    "clearly better.",
    "  simplexboost calibrate m.sb other.csv\n"
    "  simplexboost calibrate m.sb other.csv --method isotonic -o calibrated.sb\n"
    "  simplexboost calibrate m.sb --undo",
    calibrate_verb::run,
};

}  // namespace simplexboost::cli
