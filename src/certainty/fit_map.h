// How probabilities should have been told, by rows that the model had not seen: maps of them that
// have the least log loss there (ProbabilityMap).
#pragma once

#include <array>
#include <string_view>

#include "metric/estimate.h"
#include "model/ensemble.h"

namespace simplexboost {

// From few numbers to many.
inline constexpr std::array<std::string_view, 3> kMapMethods{"temperature", "vector", "isotonic"};

// By one of these names. `rows` have the probabilities of the model's link.
//   temperature   one scale of their logarithms (metric/temperature.h)
//   vector        a scale and a shift for each class, drawn to those of the temperature and to 0 as
//                 if by a few rows more (Guo et al. 2017)
//   isotonic      for each class the rising curve of least squares (Zadrozny and Elkan 2002)
// `prior_rows`: how many, for "vector".
inline constexpr double kUsualPriorRows = 5;
ProbabilityMap fit_map(std::string_view method, const JudgedRows& rows, int threads,
                       double prior_rows = kUsualPriorRows);

// Whether there are rows enough that it might be worth while.
bool worth_fitting(std::string_view method, std::size_t rows, std::size_t classes);

}  // namespace simplexboost
