// A scale and a shift for each class beside the temperature, where rows that the model had not seen
// speak for them.
#pragma once

#include <cstdint>
#include <span>

#include "metric/estimate.h"
#include "model/ensemble.h"

namespace simplexboost {

// Whether to try: there are rows enough, and not so many numbers that it would take long.
bool may_have_class_scales(std::size_t rows, std::size_t classes);

// By the rows that are seen.
ProbabilityMap fit_class_scales(const JudgedRows& rows, int threads);

// Whether `scaled` has a lower log loss than `tempered`, by twice the standard error of the
// difference: both are probabilities of single-label rows by maps that were fitted to other ones.
bool speaks_for_class_scales(const Labels& labels, const std::vector<double>& weights,
                             const Matrix& tempered, const Matrix& scaled);

}  // namespace simplexboost
