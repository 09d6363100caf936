// How sure probabilities should have been: the one factor on their logarithms with which rows that
// the model had not seen would have had the least log loss (Guo et al. 2017, whose temperature is
// its inverse).
#pragma once

#include "metric/estimate.h"

namespace simplexboost {

// For Ensemble::link_scale, where the class scores are log p (one label a row) or log-odds
// (several). Within 1/8 to 8; 1 where there is nothing to judge by.
double fit_score_scale(const JudgedRows& rows, int threads);

}  // namespace simplexboost
