// Members that are trained become one model: their weights, its temperature and what to expect of
// it, by what they say of rows that they have not seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ensemble.h"
#include "quality/cross_fit.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

struct TrainedMembers {
  std::vector<CrossFit> fits;  // without their probabilities
  std::vector<Matrix> proba;   // of each; and one more, that of a guess, where labels are wrong
  std::vector<std::string> names;
};

struct PoolingRows {
  const Dataset& data;
  const std::vector<std::uint16_t>& fold_of_row;
  int folds;
  int threads;
};

struct PoolingOptions {
  bool wrong_labels = false;      // a guess has a part of its own
  bool try_class_scales = false;  // beside the temperature
};

struct PooledMembers {
  Ensemble ensemble;  // with the estimate; the rest of what is told of a model is not there
  Matrix proba;       // of each row, by weights and scales that its label had no part in
  std::vector<double> weights;  // of the members, 0 for those left out
  std::vector<Choice> choices;  // how they are pooled, and why
};

// Takes the first member's ensemble out of `members` where it is all there is.
PooledMembers pool_members(TrainedMembers& members, const PoolingRows& rows,
                           const PoolingOptions& options);

}  // namespace simplexboost
