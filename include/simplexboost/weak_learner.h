// Weak learners of your own: what one is given in every round of boosting, and the one function
// that it has. docs/weak-learners.md tells the whole story, examples/custom_learner is a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/forest.h"
#include "simplexboost/parameters.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// What a weak learner shall fit, in real numbers, row-major, in the order of the data's rows.
//
// The pull of a row is what its scores shall move by: minus the gradient of its loss in its scores,
// times its weight (of algorithms that know no loss, a vector in its place). Most learners want the
// hypothesis h of largest edge, sum_i <h(x_i), pull_i>; real-valued ones the least squares fit of
// pull_i / weight_i with these weights.
struct FitTarget {
  std::size_t rows = 0;
  std::size_t width = 0;             // d, pulls a row
  const float* pulls = nullptr;      // rows x width
  const float* weights = nullptr;    // of the rows, or a curvature of each; null: all 1
  const float* curvature = nullptr;  // of each pull, rows x width, or null
};

// The part of the data that a round sees; empty spans mean all. Both ascending, without repeats.
struct Sample {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> features;
  // Rows were drawn: where the rows are parted among processes, one may have none of those drawn.
  bool rows_drawn = false;

  bool all_rows() const { return rows.empty() && !rows_drawn; }
};

// What a learner is made with, once for a training. Both outlive it.
struct LearnerContext {
  const Dataset& data;  // the training set
  const Parameters& parameters;
};

// The life of a learner:
//   1. made by TrainOptions::make_learner, once;
//   2. fit() is called once a round, from one thread, and returns the round's hypothesis;
//   3. the library checks it, computes its values on training and validation rows, finds the step,
//      and adds it, times the step, to the model.
class SIMPLEXBOOST_API CustomLearner {
 public:
  virtual ~CustomLearner() = default;

  // One or more trees (append_tree, append_linear), each adding to some of the outputs
  // 0 .. target.width - 1; `outputs` and `round_end` of the forest need not be set. What the values
  // must be depends on the algorithm:
  //
  //   example weights (samme, adaboost-m1, ...)   1 for one class, 0 for the others
  //     grploss, boostma                          shares of the classes that sum to 1
  //   example-class weights (adaboost-mh, ...)    -1 or +1 for every class
  //   mislabel weights                            adaboost-mm: 1 for one class, 0 for the others;
  //                                               adaboost-m2: 0 or 1 for every class;
  //                                               adaboost-mr: -1 or +1 for every class
  //   real-valued (gradient, newton, ...)         any numbers
  //
  // Another value is a ModelError, and so is a forest that is not sound. Use a random generator
  // seeded by parameters.seed if you need one, so that the same seed gives the same model.
  virtual Forest fit(const FitTarget& target, const Sample& sample) = 0;
};

using MakeLearner = std::function<std::unique_ptr<CustomLearner>(const LearnerContext&)>;

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
