// A weak learner fits a target on a data set and returns a hypothesis: trees for the model, and
// its values on the training rows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/row_space.h"
#include "codeword/codebook.h"
#include "data/binned_dataset.h"
#include "learner/tree_constraints.h"
#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

struct TrainingDevice;

// A data set as it came and in bins. Both outlive whoever holds this.
struct LearnerData {
  const Dataset& raw;
  const BinnedDataset& bins;
  const Codebook* codebook = nullptr;            // for learners that say codewords
  RowSpace space = RowSpace(raw.rows, 1);        // of these rows: who else has some
  const TreeConstraints* constraints = nullptr;  // on trees; null: none
  const TrainingDevice* device = nullptr;        // where trees are grown; null: here
};

class WeakLearner {
 public:
  virtual ~WeakLearner() = default;

  // The hypothesis that fits the target best. Valid until the next call.
  virtual RowVectors fit(const RoundTarget& target, const Sample& sample) = 0;
  // For learners whose hypotheses vote -1 or +1 for one output: the best votes for each output of
  // the target, as fit() of that output alone would find them, all at once: rows x width, -1 or +1.
  // False where the learner cannot.
  virtual bool fit_votes(const FitTarget& /*target*/, const Sample& /*sample*/,
                         std::vector<std::int8_t>& /*votes*/) {
    return false;
  }
  // For learners that can judge what to do for all outputs of the target in one pass over the data:
  // then fit_output() gives what fit() of that output alone would, until the next call of this or
  // of fit(). The target must outlive that. False where the learner cannot.
  virtual bool look_at_all(const RoundTarget& /*target*/, const Sample& /*sample*/) {
    return false;
  }
  virtual RowVectors fit_output(std::size_t /*index*/) { return {}; }
  // Appends the last hypothesis, times `factor`, to the forest.
  virtual void append_to(Forest& forest, double factor) const = 0;
  // Values of the last hypothesis on other data, binned alike. Valid until the next call.
  virtual RowVectors apply(const LearnerData& data) = 0;
};

}  // namespace simplexboost
