#include "tuning/trial_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/byte_stream.h"
#include "base/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/parallel_jobs.h"
#include "boosting/jobs_at_once.h"
#include "boosting/round_watch.h"
#include "boosting/training.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

constexpr std::size_t kChunk = 10;  // rounds between two looks at the clock

class TrialRun {
 public:
  TrialRun(const std::vector<TrialSplit>& splits, Parameters parameters, const TrialLimits& limits,
           Trial& trial)
      : splits_(splits),
        limits_(limits),
        trial_(trial),
        rounds_(static_cast<std::size_t>(parameters.rounds)),
        patience_(parameters.early_stopping > 0
                      ? static_cast<std::size_t>(parameters.early_stopping)
                      : std::max<std::size_t>(20, rounds_ / 5)),
        metric_(find_metric(parameters.early_stopping_metric,
                            splits.front().train.labels.multi_label())),
        watch_(rule_of(parameters), metric_.higher_is_better(), start_of(parameters)),
        starts_(splits.size()) {
    const int threads = resolve_threads(parameters.threads);
    const Dataset& first = splits.front().train;
    workers_ = jobs_at_once(threads, splits.size(), first.rows, first.labels.classes.size());
    if (workers_ > 1) parameters.threads = 1;
    // The run itself decides when to stop.
    parameters.early_stopping = 0;
    const Past past = read_past(splits.size());
    trainings_.resize(splits.size());
    parallel_jobs(workers_, splits.size(), [&](std::size_t i) {
      TrainOptions options;
      options.valid = &splits[i].valid;
      TrainingContext context;
      if (!past.states.empty()) context.past = &past.states[i];
      trainings_[i] =
          std::make_unique<Training>(make_training(splits[i].train, parameters, options, context));
    });
    take_values(past.rounds);
    trial_.rungs = past.rungs;
    seconds_before_ = past.seconds;
  }

  // False if the progress stopped it.
  bool run() {
    if (limits_.progress) limits_.progress->start(rounds_);
    const auto begin = std::chrono::steady_clock::now();
    bool stopped = false;
    std::optional<CheckpointClock> clock;
    if (limits_.checkpoint) clock.emplace(limits_.checkpoint->options(), watch_.rounds());
    const auto seconds = [&] {
      return seconds_before_ +
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    while (trial_.end.empty() && !stopped) {
      if (clock && clock->due(watch_.rounds())) keep(seconds());
      try {
        boost(std::min(rounds_, watch_.rounds() + next_chunk()));
      } catch (const Stopped&) {
        if (clock) keep(seconds());
        throw;
      }
      const bool over = take_values(rounds_);
      stopped = !report();
      if (over) trial_.end = "trained to its end";
      check_rungs();
      check_patience();
      if (trial_.end.empty() && std::chrono::steady_clock::now() >= limits_.deadline)
        trial_.end = "out of time";
    }
    trial_.rounds_run = watch_.rounds();
    trial_.rounds = watch_.best_rounds();
    trial_.value = value();
    trial_.seconds = seconds();
    if (clock && stopped && trial_.end.empty()) keep(seconds());
    return !stopped;
  }

 private:
  // What a checkpoint has of the trial.
  struct Past {
    std::size_t rounds = 0;  // that all splits have come to; some may be ahead
    double seconds = 0;
    std::vector<double> rungs = {};
    std::vector<std::string> states = {};  // one a split, or none at all
  };

  Past read_past(std::size_t splits) const {
    Past past;
    const auto bytes = limits_.checkpoint ? limits_.checkpoint->find(limits_.part) : std::nullopt;
    if (!bytes) return past;
    const std::string broken =
        limits_.checkpoint->options().file + ": the checkpoint has a trial that is not whole";
    try {
      ByteReader(std::as_bytes(std::span(*bytes)))(past.rounds)(past.seconds)(past.rungs)(
          past.states);
    } catch (const CommunicationError&) {
      throw ModelError(broken);
    }
    if (past.states.size() != splits || past.rounds > rounds_ ||
        past.rungs.size() > limits_.rungs.size())
      throw ModelError(broken);
    return past;
  }

  void keep(double seconds) const {
    const StopPause pause;
    std::vector<std::string> states;
    for (const auto& training : trainings_) {
      auto state = training ? training_state(*training) : std::nullopt;
      if (!state) return;  // what was kept before stays
      states.push_back(std::move(*state));
    }
    ByteWriter bytes;
    bytes(watch_.rounds())(seconds)(trial_.rungs)(states);
    limits_.checkpoint->keep(
        limits_.part,
        std::string(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()));
    limits_.checkpoint->write();
  }

  static BestRoundRule rule_of(const Parameters& parameters) {
    return best_round_rule(parameters.early_stopping_rule);
  }
  // A short run has rounds to choose from too.
  static std::size_t start_of(const Parameters& parameters) {
    if (parameters.early_stopping_start >= 0)
      return static_cast<std::size_t>(parameters.early_stopping_start);
    return rule_of(parameters) == BestRoundRule::kSmoothed
               ? std::min(RoundWatch::kSmoothedStart,
                          static_cast<std::size_t>(parameters.rounds) / 10)
               : 0;
  }

  // Up to the next rung, if it is near.
  std::size_t next_chunk() const {
    const std::size_t done = watch_.rounds();
    for (const std::size_t rung : limits_.rungs)
      if (rung > done) return std::min(kChunk, rung - done);
    return kChunk;
  }

  void boost(std::size_t until) {
    std::atomic<std::size_t> going{0};
    parallel_jobs(workers_, trainings_.size(), [&](std::size_t i) {
      if (!trainings_[i]) return;
      if (trainings_[i]->boost(until))
        ++going;
      else if (trainings_[i]->rounds() == 0)
        judge_start(i);
    });
    all_over_ = going == 0;
  }

  // Of a training without rounds, say on columns that are constant: the figure of where it began.
  void judge_start(std::size_t i) {
    const Model model = trainings_[i]->finish();
    trainings_[i].reset();
    starts_[i] = metric_.value(tally_model(model, splits_[i].valid, {1, 0}, metric_.parts()));
  }

  // The mean over the splits of what the next rounds brought; a training that is over stays where
  // it is. True if there is nothing to come.
  bool take_values(std::size_t most) {
    std::size_t longest = 0;
    for (const auto& training : trainings_)
      if (training) longest = std::max(longest, training->validation_values().size());
    for (std::size_t round = watch_.rounds(); round < std::min(longest, most); ++round) {
      double sum = 0;
      for (std::size_t i = 0; i < trainings_.size(); ++i) {
        const std::span<const double> values = trainings_[i]
                                                   ? trainings_[i]->validation_values()
                                                   : std::span<const double>(&starts_[i], 1);
        sum += values[std::min(round, values.size() - 1)];
      }
      watch_.add(sum / static_cast<double>(trainings_.size()));
      last_ = sum / static_cast<double>(trainings_.size());
    }
    if (all_over_ && longest == 0)
      last_ = std::accumulate(starts_.begin(), starts_.end(), 0.0) /
              static_cast<double>(starts_.size());
    return all_over_;
  }

  double value() const { return std::isnan(watch_.best_value()) ? last_ : watch_.best_value(); }

  bool report() const {
    if (!limits_.progress || watch_.rounds() == 0) return true;
    const RoundMetric metric{"valid", last_};
    return limits_.progress->round(watch_.rounds() - 1, {&metric, 1});
  }

  void check_rungs() {
    while (trial_.rungs.size() < limits_.rungs.size() &&
           watch_.rounds() >= limits_.rungs[trial_.rungs.size()]) {
      const std::size_t rung = trial_.rungs.size();
      trial_.rungs.push_back(value());
      if (trial_.end.empty() && !limits_.go_on(rung, value()))
        trial_.end = fmt::format("not among the best after {} rounds", limits_.rungs[rung]);
    }
  }

  void check_patience() {
    if (trial_.end.empty() && watch_.rounds_since_best() >= patience_)
      trial_.end = fmt::format("no better in {} rounds", patience_);
  }

  const std::vector<TrialSplit>& splits_;
  const TrialLimits& limits_;
  Trial& trial_;
  std::size_t rounds_;
  std::size_t patience_;
  Metric metric_;
  RoundWatch watch_;
  int workers_ = 1;
  std::vector<std::unique_ptr<Training>> trainings_;  // null: it has no rounds, and a start
  std::vector<double> starts_;
  bool all_over_ = false;
  double seconds_before_ = 0;
  double last_ = std::nan("");
};

}  // namespace

bool run_trial(const std::vector<TrialSplit>& splits, const Parameters& parameters,
               const TrialLimits& limits, Trial& trial) {
  return TrialRun(splits, parameters, limits, trial).run();
}

}  // namespace simplexboost
