// Training: from a data set and parameters to a model.
#pragma once

#include <memory>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/loss.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

struct FeatureBins;  // src/data/binning.h

struct TrainOptions {
  const Dataset* valid = nullptr;  // matched with the training data's schema
  Progress* progress = nullptr;

  // Go on from this model, of the same algorithm, features and classes: its rounds count among
  // Parameters::rounds, and the new ones start from the scores that it gives the rows. With the
  // same data, parameters and seed the result is that of one run (docs/algorithms.md says where it
  // is so to the last bit). Algorithms that cannot go on say so by a ParameterError.
  const Model* init = nullptr;

  // Bins chosen before, of these columns (choose_bins); null: they are chosen from the training
  // rows. For those who train on parts of one set over and over.
  const std::vector<FeatureBins>* bins = nullptr;
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

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {});

}  // namespace simplexboost
