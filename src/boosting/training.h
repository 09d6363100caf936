// What the library itself may tell a training, beside what users may.
#pragma once

#include <vector>

#include "base/communicator.h"
#include "data/binning.h"
#include "simplexboost/train.h"

namespace simplexboost {

struct TrainingContext {
  // With several ranks, each gives its share of the rows (and of the validation rows), and all make
  // the same calls: they train one model, that of one rank with all rows. Where one throws, the
  // others throw a CommunicationError.
  Communicator& ranks = no_others();
  // Bins chosen before, of these columns; null: they are chosen from the training rows. For those
  // who train on parts of one set over and over.
  const std::vector<FeatureBins>* bins = nullptr;
};

Training make_training(const Dataset& data, const Parameters& parameters,
                       const TrainOptions& options, const TrainingContext& context);

// All rounds.
Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options,
            const TrainingContext& context);

// The bins that training on `data` would choose, for TrainingContext.
std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& parameters);

}  // namespace simplexboost
