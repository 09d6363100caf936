// What passes between an optimiser and a weak learner: what each row wants, and what the learner
// gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "optimizer/leaf_target.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

struct StepCurves;

// Where the values of a hypothesis go.
struct Destination {
  std::size_t output = 0;  // the first of the outputs that they are for
  // The first of the outputs that the same values are subtracted from.
  std::uint32_t minus_output = kNoOutput;
  // Where one number serves several outputs (width 1): output + j moves by code[j] times it. Empty:
  // the hypothesis says what each output moves by.
  std::span<const float> code = {};
};

// A target of a round: what shapes the hypothesis is what a user's learner sees of it.
struct RoundTarget : FitTarget {
  // What fills its leaves; null: what shapes it. The weights of the rows stand apart, so that a row
  // of weight 3 gives the sums of three rows to the last bit; null: all 1.
  const LeafTarget* leaves = nullptr;
  const float* leaf_weights = nullptr;
  double l2_factor = 1;  // of the penalty on leaf values: that of the pulls and curvatures
  float leaf_limit = 0;  // leaves say no more than this, nor less than minus this; 0: no limit

  Destination to = {};

  // Names the random numbers of this fit: those of its round and target.
  std::uint64_t stream = 0;
  double split_noise = 0;  // in the scores of cuts, against what rows without order would give

  // Where the worth of a hypothesis is not linear in its values (dmcboost): in the place of pulls.
  const StepCurves* curves = nullptr;
};

// The values of a weak hypothesis on all rows: row i has the vector at index[i], or at i where
// there is no index. The rest is as Destination has it.
struct RowVectors {
  const std::uint32_t* index = nullptr;
  const float* values = nullptr;
  std::size_t width = 0;
  std::size_t output = 0;
  std::span<const float> code = {};
  std::uint32_t minus_output = kNoOutput;
  bool by_leaf = false;  // the index has the leaves of the one tree that the hypothesis is
  // So many vectors, and a device alone knows which of them a row has; 0: this process does.
  std::size_t elsewhere = 0;

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
