// What makes a model round by round: boosting, where a round mends what those before it left, or
// bagging, where the rounds know nothing of each other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/byte_stream.h"
#include "boosting/round_watch.h"
#include "boosting/setup/composition.h"
#include "data/binned_dataset.h"
#include "model/ensemble.h"
#include "simplexboost/model.h"
#include "simplexboost/train.h"

namespace simplexboost {

class Trainer {
 public:
  virtual ~Trainer() = default;

  // Until so many rounds are done; false where training is over.
  virtual bool boost(std::size_t until) = 0;
  virtual std::size_t rounds() const = 0;  // done so far
  virtual const TrainingLog& log() const = 0;
  // Null without validation data.
  virtual const RoundWatch* watch() const = 0;
  // All that later rounds depend on, for load() of a trainer of the same data and settings that has
  // done none. False where the last round was broken off so that it cannot be taken back.
  virtual bool save(ByteWriter& out) const = 0;
  // Throws ModelError where the bytes are no such thing.
  virtual void load(ByteReader& in) = 0;
  // How many rounds it likes to do at once.
  virtual std::size_t stride() const { return 1; }
  // Of forests: what the trees so far say of the training rows that they did not see, rows x
  // classes.
  virtual std::optional<Matrix> out_of_bag() const { return std::nullopt; }
  // Nothing can be done with the trainer after it.
  virtual Model finish() = 0;
};

// An array of a checkpoint. Throws ModelError unless it has so many numbers, all of them finite.
std::vector<float> read_scores(ByteReader& in, std::size_t count);

// The training rows in bins: in those given, or what the rows of all ranks suggest, and with
// statistics of columns of many categories (data/target_statistics.h). Refuses what will not fit
// into memory, the rows for validation among it.
BinnedDataset bin_rows(const Dataset& data, const Composition& chosen, const TrainOptions& options,
                       const std::vector<FeatureBins>* given);

// Throws ParameterError where training cannot go on from a model, since it has such statistics.
void check_past_statistics(const Dataset& data, const Parameters& parameters);

// Gives the rows their images, where they are some.
void set_images(const Dataset& data, const Composition& chosen, BinnedDataset& bins);

// What is known of a model before its first round.
Ensemble new_ensemble(const Dataset& data, const Composition& chosen, const TrainOptions& options);

// As the parameter leaf-precision names it.
inline constexpr const char* kHalfName = "bfloat16";

// By the parameters' early-stopping rule and start, for the metric that is watched.
RoundWatch make_round_watch(const Composition& chosen);
RoundWatch make_round_watch(const Composition& chosen, bool higher_is_better);

}  // namespace simplexboost
