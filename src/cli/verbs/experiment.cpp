#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/files/atomic_file.h"
#include "cli/options/arguments.h"
#include "cli/options/checkpoint_options.h"
#include "cli/options/data_options.h"
#include "cli/options/experiment_file.h"
#include "cli/options/memory_options.h"
#include "cli/terminal/progress_bar.h"
#include "cli/text/machine.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "experiment/figures.h"
#include "experiment/report.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace experiment_verb {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string spec;
  std::string data;
  std::string output = "experiments/results";
  RunOptions run;
  CheckpointArguments checkpoint;
  MemoryArguments memory;
};

Options parse(Arguments& arguments) {
  Options options;
  arguments.positional("SPEC", options.spec, "TOML file that declares the experiment.");
  arguments.required();
  arguments.option("--data", "DIR", options.data,
                   "Folder with a folder for each data set, in it train.csv.gz and test.csv.gz, "
                   "or data.csv.gz. Sets that are not there are skipped.");
  arguments.flag("--quick", options.run.quick,
                 "Fewer rounds, where the spec says how many, and the first split only.");
  arguments.custom(
      "--only", "NAME", [&](const std::string& name) { options.run.only.insert(name); },
      "Run only this data set or this algorithm of SPEC now; may be given several "
      "times. The report shows all that is finished.");
  arguments.repeatable();
  arguments.option("-o,--output", "DIR", options.output,
                   "Folder for the results; experiments/results by default.");
  options.checkpoint.declare(arguments, "the rounds of the cells under way");
  arguments.option("--threads", "N", options.run.threads, "Threads to use; 0 is all cores.");
  options.memory.declare(arguments);
  arguments.parse();
  if (options.run.threads < 0 || options.run.threads > 4096)
    throw UsageError("--threads: give a whole number from 0 to 4096");
  options.checkpoint.check({options.spec});
  options.memory.set_rules();
  std::error_code missing;
  if (!options.data.empty() && !fs::is_directory(options.data, missing))
    throw UsageError(fmt::format("--data: '{}' is no folder", options.data));
  return options;
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(fmt::format("cannot make the folder '{}': {}", path, error.message()));
}

Circumstances circumstances(const Options& options) {
  std::string command = fmt::format("simplexboost experiment {}", options.spec);
  if (!options.data.empty()) command += " --data " + options.data;
  if (options.run.quick) command += " --quick";
  if (options.run.threads > 0) command += fmt::format(" --threads {}", options.run.threads);
  return {command, today(), program_name(), machine_name()};
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

// Results of a quick run have names of their own: they are not what the spec asks for.
std::string result_name(const Options& options, const ExperimentSpec& spec) {
  return options.run.quick ? spec.name + "-quick" : spec.name;
}

void write_results(const Options& options, const ExperimentSpec& spec, const DataSearch& data,
                   const std::vector<ExperimentRow>& rows) {
  const fs::path folder(options.output);
  write_file(folder / (spec.name + ".md"),
             report_markdown(spec, rows, data.missing, circumstances(options)));
  write_file(folder / (spec.name + ".csv"), report_csv(spec, rows));
  for (const NamedText& figure : dimension_figures(spec, rows))
    write_file(folder / figure.name, figure.text);
  for (const NamedText& figure : curve_figures(spec, rows))
    write_file(folder / figure.name, figure.text);
  if (!spec.stages.empty() && !rows.empty() && rows.front().finished()) {
    for (const NamedText& figure : stage_figures(spec, rows.front()))
      write_file(folder / figure.name, figure.text);
  }
  fmt::print("results in {}\n", (folder / (spec.name + ".md")).string());
}

int run(Arguments& arguments) {
  const Options options = parse(arguments);
  ExperimentSpec spec = read_experiment_file(options.spec);
  spec.name = result_name(options, spec);
  make_folder(options.output);
  const DataSearch data = load_experiment_data(spec, options.data, options.run.threads);
  const bool quiet = arguments.given("--quiet");
  if (!quiet)
    for (const std::string& line : data.missing) print_note(line);
  std::vector<ExperimentRow> rows = plan_experiment(spec, data, options.run);
  if (rows.empty()) throw DataError("none of the experiment's data sets is here");
  Journal journal((fs::path(options.output) / (spec.name + ".cells.jsonl")).string(),
                  program_name());
  ProgressBar bar(error_terminal(), quiet);
  bar.start(rounds_to_run(rows, spec, journal));
  std::optional<CheckpointFile> checkpoint;
  if (options.checkpoint.given())
    checkpoint.emplace(options.checkpoint.options(),
                       WorkFacts{"work: experiment", "name: " + spec.name});
  const RunHooks hooks{&bar,
                       [&](const ExperimentRow& row) {
                         bar.finish("");
                         fmt::print("{}\n", row_line(spec, row));
                         std::fflush(stdout);
                       },
                       checkpoint ? &*checkpoint : nullptr};
  const bool whole = run_experiment(rows, spec, journal, hooks);
  bar.finish("");
  write_results(options, spec, data, rows);
  if (whole) options.checkpoint.remove();
  if (!whole && !quiet) print_note("interrupted; the same command goes on from here");
  return whole ? kOk : kInterrupted;
}

}  // namespace
}  // namespace experiment_verb

const Verb kExperimentVerb{
    "experiment",
    "run a table or figure of a paper and compare with its figures",
    "SPEC --data DIR [--quick] [--only NAME] [-o OUT]",
    "Trains and tests what SPEC declares, prints each figure beside the paper's with the "
    "difference "
    "in error bars, and writes Markdown, CSV and pictures. Finished cells are kept in "
    "OUT/SPEC.cells.jsonl: after an interruption the same command goes on where it stopped.",
    "  simplexboost experiment experiments/jmlr2019-table9.toml --data data\n"
    "  simplexboost experiment experiments/kdd2014-table2.toml --data data --only vowel --only "
    "SAMME\n"
    "  simplexboost experiment experiments/jmlr2019-figures4-5.toml --quick -o /tmp/results",
    experiment_verb::run,
};

}  // namespace simplexboost::cli
