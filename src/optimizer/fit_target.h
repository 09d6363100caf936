// What passes between an optimiser and a weak learner: what each row wants, and what the learner
// gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simplexboost/weak_learner.h"

namespace simplexboost {

// The values of a weak hypothesis on all rows: row i has the vector at index[i], or at i where
// there is no index. They count for the outputs from `output` on, and with a counter against those
// from there on; with a code they are numbers, and output + j moves by code[j] times that
// (FitTarget::code).
struct RowVectors {
  const std::uint32_t* index = nullptr;
  const float* values = nullptr;
  std::size_t width = 0;
  std::size_t output = 0;
  std::span<const float> code = {};
  std::uint32_t counter = kNoOutput;

  const float* of(std::size_t row) const { return values + (index ? index[row] : row) * width; }
};

// Where an array begins, and never null: whether a target has one must not depend on whether there
// are rows here.
template <class Floats>
const float* present(const Floats& values) {
  static constexpr float kNothing = 0;
  return values.empty() ? &kNothing : values.data();
}

}  // namespace simplexboost
