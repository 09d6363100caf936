// What a weak learner is given in every round of boosting: what each row wants, how much it counts,
// and which part of the data to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace simplexboost {

// What a weak learner shall fit, in real numbers, row-major, in the order of the data's rows.
// Most want the hypothesis h of largest edge, sum_i <h(x_i), pull_i>; real-valued ones the least
// squares fit of pull_i / weight_i with these weights.
struct FitTarget {
  std::size_t rows = 0;
  std::size_t width = 0;             // d, pulls a row
  const float* pulls = nullptr;      // rows x width
  const float* weights = nullptr;    // rows, or a scalar curvature; null: all 1
  const float* curvature = nullptr;  // rows x width, or null
};

// The part of the data that a round sees; empty spans mean all. Both ascending, without repeats.
struct Sample {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> features;
};

}  // namespace simplexboost
