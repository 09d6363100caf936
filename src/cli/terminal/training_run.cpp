#include "cli/terminal/training_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/stop.h"
#include "cli/terminal/progress_bar.h"
#include "cli/text/output.h"
#include "quality/ranked_quality.h"
#include "simplexboost/report.h"
#include "simplexboost/train.h"

namespace simplexboost::cli {
namespace {

// The bar, and the page before it where there is one.
class Watchers {
 public:
  explicit Watchers(const TrainingWatch& watch) : bar_(error_terminal(), watch.quiet) {
    if (!watch.dashboard.empty()) page_.emplace(watch.dashboard, watch.title, &bar_);
  }
  Progress* first() {
    if (page_) return &*page_;
    return &bar_;
  }
  // Once training is over, tells what became of the page.
  void end(const Model& model, bool interrupted) {
    if (!page_) return;
    page_->finish(interrupted ? "interrupted" : model.log().stop_reason);
    if (!page_->problem().empty())
      print_note(fmt::format("--dashboard: {}; training went on without it", page_->problem()));
  }

 private:
  ProgressBar bar_;
  std::optional<Dashboard> page_;
};

}  // namespace

TrainingRun run_training(const Dataset& data, const Parameters& parameters,
                         const TrainingWatch& watch, TrainOptions options,
                         const TrainingContext& context) {
  Watchers watchers(watch);
  options.progress = watchers.first();
  const Stopwatch stopwatch;
  Model model = train(data, parameters, options, context);
  TrainingRun run{std::move(model), stopwatch.seconds(), stop_requested()};
  watchers.end(run.model, run.interrupted);
  return run;
}

TrainingRun run_quality(const Dataset& data, const Parameters& parameters, QualityOptions options,
                        const TrainingWatch& watch, Communicator& ranks) {
  Watchers watchers(watch);
  options.progress = watchers.first();
  const Stopwatch stopwatch;
  QualityResult result = train_quality(data, parameters, options, ranks);
  TrainingRun run{std::move(result.model), stopwatch.seconds(),         stop_requested(),
                  result.distilled,        std::move(result.oof_proba), result.repeats};
  watchers.end(run.model, run.interrupted);
  return run;
}

}  // namespace simplexboost::cli
