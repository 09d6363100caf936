#include <fmt/format.h>

#include <string>

#include "cli/options/data_options.h"
#include "cli/options/page_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {
namespace compare_verb {
namespace {

struct Options : PageOptions {
  std::string first;
  std::string second;
};

void declare(Arguments& arguments, Options& options) {
  arguments.positional("A", options.first, kModelHelp);
  arguments.required();
  arguments.positional("B", options.second, "Another one.");
  arguments.required();
  options.declare_first(arguments, "compare.html",
                        "Rows to read: .csv, .libsvm (.svm) or .arff, each also .gz.");
  options.declare_last(arguments);
}

Dataset read_for(const Model& model, Options& options, bool quiet) {
  options.read.schema = &model.schema();
  options.read.threads = options.report.threads;
  return read_with_notes(options.data, options.read, quiet);
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.data == "-")
    throw UsageError("DATA: it is read once for each model, so it cannot be standard input");
  if (options.output != "-")
    check_output_path(options.output, {options.first, options.second, options.data});
  const Model first = Model::load(options.first);
  const Model second = Model::load(options.second);
  const Dataset first_data = read_for(first, options, options.quiet);
  const Dataset second_data = read_for(second, options, true);
  options.report.command = arguments.command_line();
  write_page(options.output,
             compare_html({options.first, first, first_data}, {options.second, second, second_data},
                          options.report),
             options.quiet);
  return kOk;
}

}  // namespace
}  // namespace compare_verb

const Verb kCompareVerb{
    "compare",
    "write a page about two models on the same labelled data",
    "A B DATA [-o compare.html] [options]",
    "Predicts DATA by both models and writes as one HTML file that loads nothing which of them "
    "errs "
    "less and how sure that is (rows drawn again for both, McNemar's test), class by class, with "
    "the "
    "rows of which they say different things. The models may have other features, settings and "
    "classes.",
    "  simplexboost compare a.sb b.sb test.csv -o compare.html",
    compare_verb::run,
};

}  // namespace simplexboost::cli
