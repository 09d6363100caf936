// What sets of classes are made by (model/predict/prediction_sets.h), from probabilities of rows
// that the model had not seen.
#pragma once

#include <string>

#include "metric/estimate.h"
#include "model/ensemble.h"

namespace simplexboost {

// Of single-label rows. The penalty is that of the smallest sets that hold nine of ten true
// classes, on the same rows. Nothing (SetScores::empty) where no row tells.
SetScores set_scores_from(std::string method, const JudgedRows& rows, int threads);

}  // namespace simplexboost
