#include "cli/training_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "model/ensemble.h"
#include "simplexboost/train.h"

namespace simplexboost::cli {

TrainingRun run_training(const Dataset& data, const Dataset* valid, const Parameters& parameters,
                         bool quiet, const Model* init) {
  const InterruptGuard guard;
  ProgressBar bar(error_terminal(), quiet);
  TrainOptions options;
  options.valid = valid;
  options.progress = &bar;
  options.init = init;
  const Stopwatch watch;
  Model model = train(data, parameters, options);
  return {std::move(model), watch.seconds(), interrupted()};
}

double logged_figure(const Model& model, std::string_view name) {
  const TrainingLog& log = model.ensemble().log;
  const auto column = std::find(log.columns.begin(), log.columns.end(), name);
  const std::size_t end = model.rounds() * log.columns.size();
  if (column == log.columns.end() || end == 0 || end > log.values.size()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return log.values[end - static_cast<std::size_t>(log.columns.end() - column)];
}

}  // namespace simplexboost::cli
