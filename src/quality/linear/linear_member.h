// A member that is linear (logistic_fit.h), cross-fitted. Trees part space into boxes; where the
// classes are parted by a slope, by many weak features or by the sum of all, on few rows, it knows
// what they do not.
#pragma once

#include <cstdint>
#include <span>

#include "quality/cross_fit.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// What its ensemble tells of its choices, as parameters of that.
inline constexpr const char* kPenaltyName = "penalty";
inline constexpr const char* kInputsName = "inputs";

// The penalty is that of the least log loss over the rows of all folds. `first`: what the first
// member says of rows that it has not seen; null: it is not asked. Left out where there is no
// input, or too many for their worth, or where, before much work, a trial on some of the rows finds
// nothing to add to it.
CrossFit linear_fit(const Dataset& data, std::span<const std::uint16_t> fold_of_row, int folds,
                    int threads, const Matrix* first);

// It costs so little that no trial is made.
bool linear_fit_is_cheap(const Dataset& data);

}  // namespace simplexboost
