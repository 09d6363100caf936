// What makes a model round by round: boosting, where a round mends what those before it left, or
// bagging, where the rounds know nothing of each other.
#pragma once

#include <cstddef>
#include <vector>

#include "boosting/round_watch.h"
#include "boosting/setup/composition.h"
#include "data/binning.h"
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
  // Nothing can be done with the trainer after it.
  virtual Model finish() = 0;
};

// Those given, or what the rows of all ranks suggest.
std::vector<FeatureBins> bins_for(const Dataset& data, const Composition& chosen,
                                  const std::vector<FeatureBins>* given);

// What is known of a model before its first round.
Ensemble new_ensemble(const Dataset& data, const Composition& chosen, const TrainOptions& options);

// As the parameter leaf-precision names it.
inline constexpr const char* kHalfName = "bfloat16";

// By the parameters' early-stopping rule and start, for the metric that is watched.
RoundWatch make_round_watch(const Composition& chosen);

}  // namespace simplexboost
