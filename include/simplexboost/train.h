// Training: from a data set and parameters to a model, at one go or round by round.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simplexboost/checkpoint.h"
#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/loss.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// A figure of your own, of validation data after every round.
struct RoundFigure {
  std::string name;  // as in the log, behind "valid_"
  bool higher_is_better = false;
  bool probabilities = false;  // it is given these; else class scores
  // `set` is 0 for TrainOptions::valid, 1 for the first of `also_valid`, and so on; `values` are
  // rows x classes. Called from one thread, the one that trains; what it throws ends training and
  // reaches the caller.
  std::function<double(std::size_t set, const Dataset& data, const Matrix& values)> value;
};

struct TrainOptions {
  // Data to judge after every round, matched with the training data's schema: it says which round
  // is the best and when to stop.
  const Dataset* valid = nullptr;
  // More data to judge, for the log alone: its figures are valid_0_error, valid_1_error and so on.
  std::vector<const Dataset*> also_valid = {};
  // More figures of all of these for the log: metrics by name (simplexboost/evaluate.h), and your
  // own.
  std::vector<std::string> metrics = {};
  std::vector<RoundFigure> figures = {};
  // The first of `figures` says which round is the best, not Parameters::early_stopping_metric.
  bool watch_figure = false;
  Progress* progress = nullptr;

  // Go on from this model, of the same algorithm, features and classes: its rounds count among
  // Parameters::rounds, and the new ones start from the scores that it gives the rows. With the
  // same data, parameters and seed the result is that of one run (docs/algorithms.md says where it
  // is so to the last bit). Algorithms that cannot go on say so by a ParameterError.
  const Model* init = nullptr;

  // Keeps the rounds so far in a file, and goes on from it where it is there, to the bytes of a run
  // that was never broken off. Only for train(); not with a loss or learner of your own.
  CheckpointOptions checkpoint = {};

  MakeLearner make_learner;  // a weak learner of your own; Parameters::learner must be "auto" then

  // Codewords of your own, classes x dimension, row-major, for the algorithms that have a choice of
  // them; Parameters::codewords must be "auto" then. No two classes may have the same.
  std::vector<float> codewords = {};

  // A loss of your own, in one of two forms, for the algorithms that have a choice of losses;
  // Parameters::loss must be "auto" then. The model has classes, scores and margins as ever, but no
  // probabilities of its own: Model::predict_proba takes the pair.
  std::shared_ptr<const GammaPhi> loss = nullptr;
  std::shared_ptr<const Objective> objective = nullptr;
};

// A training that can be halted after any round and go on later, for those who decide in between
// whether it is worth going on.
class SIMPLEXBOOST_API Training {
 public:
  // `data` and what `options` points to must outlive it.
  Training(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {});
  ~Training();
  Training(Training&&) noexcept;

  // Boosts until `rounds` rounds are done; false where training is over: all rounds that the
  // parameters say are done, or a reason to stop was met. Where work is stopped from elsewhere (a
  // signal to the command) it throws; finish() then gives the rounds that were done.
  bool boost(std::size_t rounds);

  std::size_t rounds() const;      // done so far
  const TrainingLog& log() const;  // of the rounds so far
  // How many rounds the validation data would keep, by the early-stopping metric and rule, and the
  // metric's value there; all rounds and NaN without validation data.
  std::size_t best_rounds() const;
  double best_value() const;
  // The early-stopping metric on the validation data after each round; empty without such data.
  std::span<const double> validation_values() const;

  // The model; nothing can be done with the training after it.
  Model finish();

  struct Access;  // the library's own way in

 private:
  struct State;
  explicit Training(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// All rounds.
SIMPLEXBOOST_API Model train(const Dataset& data, const Parameters& parameters,
                             const TrainOptions& options = {});

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
