// What the library itself may tell a training, beside what users may.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "data/binning.h"
#include "simplexboost/train.h"

namespace simplexboost {

class CheckpointFile;

struct TrainingContext {
  // With several ranks, each gives its share of the rows (and of the validation rows), and all make
  // the same calls: they train one model, that of one rank with all rows. Where one throws, the
  // others throw a CommunicationError.
  Communicator& ranks = no_others();
  // Bins chosen before, of these columns; null: they are chosen from the training rows. For those
  // who train on parts of one set over and over.
  const std::vector<FeatureBins>* bins = nullptr;
  // What training_state() gave of a training of the same data and settings; null: none.
  const std::string* past = nullptr;
  // A file of several trainings that train() keeps its rounds in, under this name; null: none.
  CheckpointFile* checkpoint = nullptr;
  std::string part = "training";
};

Training make_training(const Dataset& data, const Parameters& parameters,
                       const TrainOptions& options, const TrainingContext& context);

// The rounds so far, to go on from to the same bytes; nothing where the last one was broken off so
// that it cannot be taken back.
std::optional<std::string> training_state(const Training& training);

// Of a forest: what its trees say of rows that they did not see, rows x classes; nothing where
// there are no such rows. Rows of weight 0 are no training rows.
std::optional<Matrix> out_of_bag(const Training& training);

// All rounds.
Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options,
            const TrainingContext& context);

// The bins that training on `data` would choose, for TrainingContext.
std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& parameters);

}  // namespace simplexboost
