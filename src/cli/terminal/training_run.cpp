#include "cli/terminal/training_run.h"

#include <utility>

#include "base/stop.h"
#include "cli/terminal/progress_bar.h"
#include "simplexboost/train.h"

namespace simplexboost::cli {

TrainingRun run_training(const Dataset& data, const Parameters& parameters, bool quiet,
                         TrainOptions options, const TrainingContext& context) {
  ProgressBar bar(error_terminal(), quiet);
  options.progress = &bar;
  const Stopwatch watch;
  Model model = train(data, parameters, options, context);
  return {std::move(model), watch.seconds(), stop_requested()};
}

TrainingRun run_quality(const Dataset& data, const Parameters& parameters, QualityOptions options,
                        bool quiet) {
  ProgressBar bar(error_terminal(), quiet);
  options.progress = &bar;
  const Stopwatch watch;
  QualityResult result = train_quality(data, parameters, options);
  return {std::move(result.model), watch.seconds(), stop_requested(), result.distilled,
          std::move(result.oof_proba)};
}

}  // namespace simplexboost::cli
