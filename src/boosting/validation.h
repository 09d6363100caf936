// The validation data of a training: the scores of its rows, their figures after each round, and
// which round is the best by the one that is watched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "boosting/round_watch.h"
#include "boosting/score_board.h"
#include "boosting/setup/composition.h"
#include "cuda/training_device.h"
#include "data/binned_dataset.h"
#include "learner/weak_learner.h"
#include "simplexboost/model.h"
#include "simplexboost/progress.h"

namespace simplexboost {

// Throws ParameterError where figures that were asked for cannot be had: names that are others'
// already, or probabilities that the ensemble does not tell. Where the rows are parted among ranks,
// one's own are called on all of them, each with its share, and return the same on all.
void check_figures(const TrainOptions& options, const Composition& chosen,
                   const Ensemble& ensemble);

class Validation {
 public:
  // `train`: the training set and its bins. All must outlive it. Throws DataError where the sets do
  // not fit together.
  // `prefix` of its figures in the log: "valid_". `set`: as RoundFigure counts it.
  Validation(const Dataset& valid, const LearnerData& train, const Composition& chosen,
             const TrainOptions& options, const std::string& prefix, std::size_t set);

  // All rows begin with these scores.
  void start(const std::vector<float>& scores) { board_.fill(scores); }
  // Takes over a model's rounds: their scores, by the model or a checkpoint, and the watched figure
  // of its log; what was not logged cannot be the best.
  template <class Take>
  void take_scores(const Take& take) {
    take(board_, data_, space_);
  }
  void resume(const TrainingLog& log, std::size_t rounds);
  void save(ByteWriter& out) const { board_.save(out); }
  // The learner's last hypothesis, which has these outputs, was added so far.
  void add(WeakLearner& learner, const RowVectors& hypothesis, double length,
           LeafPrecision precision);
  // Appends the figures after a round: the usual ones, those that were asked for, one's own, and
  // the watched one if it is none of these.
  void judge(const Ensemble& ensemble, std::vector<RoundMetric>& metrics);

  const RoundWatch& watch() const { return watch_; }
  bool stops_early() const { return chosen_.parameters.early_stopping > 0; }
  // Why training should end now, or nothing.
  std::string stale() const;

 private:
  void judge_more(const Ensemble& ensemble, std::vector<RoundMetric>& metrics);

  const Dataset& data_;
  const Composition& chosen_;
  std::vector<RoundFigure> figures_;
  std::size_t set_;
  RowSpace space_;
  BinnedDataset bins_;
  std::unique_ptr<TrainingDevice> there_;  // has the rows; null: this process
  ScoreBoard board_;
  RoundWatch watch_;
  std::string error_column_;  // of the log
  std::string log_loss_column_;
  std::string watched_column_;
  std::string watched_name_;  // for people
  std::vector<Metric> more_;  // metrics that were asked for
  std::vector<std::string> more_columns_;
  std::vector<std::string> figure_columns_;
};

}  // namespace simplexboost
