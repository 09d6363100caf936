#include "simplexboost/report.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "cli/options/data_options.h"
#include "cli/options/page_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {
namespace report_verb {
namespace {

struct Options : PageOptions {
  std::string model;
  std::string train;
  std::string dashboard;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("MODEL", options.model, kModelHelp);
  arguments.required();
  options.declare_first(arguments, "report.html", kDataHelp);
  arguments.option(
      "--train", "FILE", options.train,
      "The rows that the model was trained on: the single tree is grown on them, their "
      "margins are shown beside those of DATA, and rows that are in both are counted.");
  arguments.option("--dashboard", "FILE.html", options.dashboard,
                   "The page that train --dashboard wrote for this model: its times give the "
                   "learning curves a time axis.");
  options.declare_last(arguments);
}

std::vector<RoundTime> read_times(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    throw IoError(fmt::format("--dashboard: cannot read '{}'", path));
  try {
    return dashboard_times(text.str());
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", path, error.what()));
  }
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.data == "-" && options.train == "-")
    throw UsageError("DATA and --train cannot both be standard input");
  if (options.output != "-")
    check_output_path(options.output,
                      {options.model, options.data, options.train, options.dashboard});
  const Model model = Model::load(options.model);
  options.read.schema = &model.schema();
  options.read.threads = options.report.threads;
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  std::optional<Dataset> train;
  if (!options.train.empty()) {
    train = read_with_notes(options.train, options.read, options.quiet);
    options.report.train = &*train;
  }
  if (!options.dashboard.empty()) options.report.times = read_times(options.dashboard);
  options.report.command = arguments.command_line();
  write_page(options.output, report_html(model, data, options.report), options.quiet);
  return kOk;
}

}  // namespace
}  // namespace report_verb

const Verb kReportVerb{
    "report",
    "write a page about a model on labelled data: verdict, confusions, curves",
    "MODEL DATA [-o report.html] [options]",
    "Predicts DATA, compares with its label column, and writes what came of it as one HTML file "
    "that loads nothing: a verdict with intervals and warnings, the classes, their confusions, "
    "calibration, margins, learning curves, features, rows to look at. For one label a row and up "
    "to 2,000 classes.",
    "  simplexboost report m.sb test.csv -o report.html\n"
    "  simplexboost report m.sb test.csv --train train.csv -o report.html",
    report_verb::run,
};

}  // namespace simplexboost::cli
