// Labels that are wrong: found by what trainings that have not seen a row say of it.
#pragma once

#include <optional>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// No row is lost altogether: its class may have no other.
inline constexpr double kLeastTrust = 1e-3;

struct LabelTrust {
  double wrong = 0;             // the share of labels that say nothing
  std::vector<double> of_rows;  // the chance that the label of a row is not one of them
  double gain = 0;              // in log likelihood, over all labels right
};

// A label is either drawn by q ~ p^t, or, with the chance `wrong`, a guess among all classes; both
// t and the chance are those of the greatest likelihood. `proba`: of single-label rows, by
// trainings that had not seen them, whose labels are all known.
LabelTrust fit_trust(const Matrix& proba, const Labels& labels, const std::vector<double>& weights,
                     int threads);
// Nothing where the rows do not speak for wrong labels, or labels are not known; nor where guesses
// would be less than a third of the errors.
std::optional<LabelTrust> judge_labels(const Matrix& proba, const Labels& labels,
                                       const std::vector<double>& weights, int threads);

// The same rows, each counting as much as its label is trusted.
Dataset weigh_by_trust(Dataset data, const std::vector<double>& trust);

}  // namespace simplexboost
