#include <fmt/format.h>

#include <cerrno>
#include <numeric>
#include <optional>

#include "cli/options/arguments.h"
#include "cli/terminal/training_run.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/log_text.h"
#include "cli/verb.h"
#include "metric/evaluation.h"
#include "simplexboost/generate.h"

namespace simplexboost::cli {
namespace demo_verb {
namespace {

constexpr std::size_t kTrainRows = 5000;
constexpr std::size_t kTestRows = 5000;

Dataset rows_between(const Dataset& data, std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return select_rows(data, rows);
}

void explain_data(const Dataset& data, std::optional<double> best_error) {
  fmt::print(
      "Waveform (Breiman et al. 1984): {} rows for training and {} for the test,\n"
      "{} numeric features, {} classes.",
      kTrainRows, kTestRows, data.columns.size(), data.labels.classes.size());
  if (best_error) fmt::print(" No classifier can have an error below {:.3f}.", *best_error);
  fmt::print("\n\n");
  std::fflush(stdout);
}

// The command by the name that it was called by: it need not be on the PATH.
void explain_next() {
  fmt::print(
      "\nNow with files, as with data of your own:\n"
      "  {0} generate waveform --rows 10000 -o waveform.csv\n"
      "  {0} train waveform.csv --model waveform.sb --valid-fraction 0.2\n"
      "  {0} inspect waveform.sb\n",
      program_invocation_name);
}

int run(Arguments& arguments) {
  arguments.parse();
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = kTrainRows + kTestRows;
  const Dataset data = generate(spec);
  explain_data(data, make_generator(spec)->bayes_error());
  const Dataset train = rows_between(data, 0, kTrainRows);
  const Dataset test = rows_between(data, kTrainRows, data.rows);
  TrainOptions watched;
  watched.valid = &test;
  const TrainingRun training =
      run_training(train, Parameters{}, {arguments.given("--quiet")}, watched);
  const Evaluation evaluation = tally_model(training.model, test);
  fmt::print("Trained {} rounds of {} in {:.2f} s.\n\n", training.model.rounds(),
             training.model.algorithm(), training.seconds);
  fmt::print("  train error  {}\n  test error   {}\n\n{}",
             format_figure(logged_figure(training.model, "train_error")),
             format_figure(evaluation.counts.error()),
             confusion_text(evaluation, test.labels.classes));
  explain_next();
  return training.interrupted ? kInterrupted : kOk;
}

}  // namespace
}  // namespace demo_verb

const Verb kDemoVerb{
    "demo",
    "see it work: generates data, trains, tests, in seconds",
    "",
    "Generates a built-in data set, trains on one half with a progress bar, shows train and test "
    "error with the confusion table, and says which command to type next. Writes no file.",
    "  simplexboost demo",
    demo_verb::run,
};

}  // namespace simplexboost::cli
