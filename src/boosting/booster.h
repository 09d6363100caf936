// The rounds: target, hypothesis, step, log, until there is a reason to stop; and the model that
// comes of them.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/stop.h"
#include "boosting/forest_start.h"
#include "boosting/score_board.h"
#include "boosting/setup/composition.h"
#include "boosting/trainer.h"
#include "boosting/validation.h"
#include "boosting/workers.h"
#include "data/binned_dataset.h"
#include "model/ensemble.h"
#include "model/predict/predictor.h"
#include "simplexboost/train.h"

namespace simplexboost {

class Booster : public Trainer {
 public:
  // `chosen` is composed of the data, which was checked by check_training_data, and of the options;
  // `data` and what `options` points to must outlive it. `bins`: as TrainingContext has it. All
  // ranks make theirs together, each of its share of the rows (data/rows/row_shares.h); all do the
  // same rounds and have the same model.
  Booster(const Dataset& data, Composition chosen, const TrainOptions& options,
          const std::vector<FeatureBins>* bins = nullptr);
  ~Booster() override;

  // Where it is stopped (base/stop.h) it throws Stopped, and finish() gives the rounds before that.
  bool boost(std::size_t until) override;
  std::size_t rounds() const override { return ensemble_.forest.rounds(); }
  const TrainingLog& log() const override { return ensemble_.log; }
  const RoundWatch* watch() const override { return valid_ ? &valid_->watch() : nullptr; }
  bool save(ByteWriter& out) const override;
  void load(ByteReader& in) override;
  Model finish() override;

 private:
  LearnerData learner_data() const {
    return {
        data_,        binned_, chosen_.codebook(), chosen_.problem.space, chosen_.constraints.get(),
        device_.get()};
  }
  // Who has the rows of whole rounds, if not this process.
  DeviceRounds* device_rounds() const;
  Parts parts() const;
  // Gives the rows the scores that the optimiser begins with, or the forest has for them.
  void start();
  // Those that a model's rounds give the rows, on top of what the forest says of them.
  std::vector<float> scores_by(const Model& model, const Dataset& data);
  // What the forest to start from says of rows: those of training, or others.
  std::vector<float> forest_scores(const Dataset& data) const;
  // Takes over the rounds of a model: its trees, its log, and the scores that they give the rows,
  // or those that a checkpoint has.
  void resume(const Model& model, ByteReader* checkpoint);
  void take_scores(const Model& before, ByteReader& checkpoint);
  void take_past_forest(const Forest& past);
  bool trees_give_scores() const;
  void resume_optimizer(const Predictor& predictor, std::span<const std::byte> state);
  // The log of the model that training goes on from: not a number where it lacks a figure.
  void take_past_log(const std::vector<RoundMetric>& metrics, std::size_t rounds);

  // These return why training ends with them, or nothing.
  std::string whole_round(std::size_t round);
  std::string one_round(std::size_t round);
  std::string take_steps(std::size_t round);
  std::string take_step(RowVectors hypothesis, std::size_t round, Worker& worker);

  // The group of targets whose steps lead to the lowest risk; the first if none lowers it. All see
  // the same samples of the rows and features.
  std::size_t best_group(std::size_t round, std::size_t targets, TargetGroups& groups);
  // The same of single outputs, where the learner can look at all of them at once.
  std::size_t best_output(std::size_t targets, WeakLearner& learner);
  void append_trees(const Worker& worker, const RowVectors& hypothesis, double length);
  // Returns the figures of the round.
  std::vector<RoundMetric> log_round(std::size_t round);

  template <class Use>
  void for_each_valid(const Use& use) {
    if (valid_) use(*valid_);
    for (Validation& valid : also_valid_) use(valid);
  }

  void keep_best_round();
  Model finished_model();

  const Dataset& data_;
  Progress silent_;
  Progress& progress_;
  const Composition chosen_;
  BinnedDataset binned_;
  std::unique_ptr<TrainingDevice> device_;  // null: this process does it all
  std::unique_ptr<Optimizer> optimizer_;
  ScoreBoard train_;
  Workers workers_;
  std::optional<Validation> valid_;    // the one that decides
  std::deque<Validation> also_valid_;  // those that are only logged
  std::vector<std::int8_t> votes_;
  bool looked_at_all_ = false;  // the first worker's learner, at the outputs of this round
  std::size_t round_ = 0;       // that comes next
  bool started_ = false;
  double final_scale_ = 1;
  bool broken_off_ = false;            // the last round was
  bool interrupted_ = false;           // the rounds were
  bool in_round_ = false;              // one that is not done yet,
  bool changed_ = false;               // which has changed the scores
  std::optional<StopPause> pause_;     // the rest of it is short
  std::vector<std::byte> state_ = {};  // of the optimiser when it began
  TrainingLog past_log_;
  std::optional<Ensemble> forest_;  // that the scores start from
  Ensemble ensemble_;               // without it
};

}  // namespace simplexboost
