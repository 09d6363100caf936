// What a tree shall do where its worth depends on the step taken along it and is not linear in its
// votes (dmcboost): for a few steps alpha_k, what a row adds to the objective if the tree votes for
// label y there. At a given step that adds up over rows,
//
//   objective(alpha_k, h) = offset_k + factor_k * sum_i cell_i(h(x_i), k)
//
// so these curves over alpha are summed once for a node's bins, and a cut or a label is judged
// from the sums, without a line search of its own. For the error (phase I of kdd2014) values at the
// alpha_k are exact; what is quantised is alpha. For the margins (phase II) there is one,
// infinitely short step, and what is judged is the slope of a smoothed objective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"

namespace simplexboost {

// The cells of some neighbouring rows, in one of two forms.
struct CurveBlock {
  std::vector<std::uint32_t> begin;  // rows + 1: of each row's marks or cells
  // Step functions: the cells of label y change by the row's weight from step k on. A mark is
  // 2 * (y * steps + k), plus 1 where they fall.
  std::vector<std::uint32_t> marks;
  // Dense, for a single step: the cells of all labels, or none where all are 0.
  AlignedVector<std::int32_t> cells;
};

struct StepCurves {
  static constexpr std::size_t kRowBlock = 4096;

  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t steps = 0;
  bool dense = false;
  std::vector<CurveBlock> blocks;     // of kRowBlock rows
  std::vector<std::int32_t> weights;  // of the rows, for marks; sum at most 2^30
  std::vector<double> offset;         // steps
  std::vector<double> factor;         // steps, positive
  double least_gain = 0;              // a cut that gains something must gain more than this

  std::span<const std::uint32_t> marks(std::size_t row) const {
    return part(row, &CurveBlock::marks);
  }
  std::span<const std::int32_t> cells(std::size_t row) const {
    return part(row, &CurveBlock::cells);
  }

  // Set where trees are to be searched for without these curves: the best objective along a
  // classifier that votes for votes[i], -1: not at all, by a line search of its own.
  std::function<double(const std::vector<std::int32_t>& votes)> exact;

 private:
  // A row's part of what its block holds.
  template <class Items>
  std::span<const typename Items::value_type> part(std::size_t row,
                                                   Items CurveBlock::*items) const {
    const CurveBlock& block = blocks[row / kRowBlock];
    const std::uint32_t begin = block.begin[row % kRowBlock];
    const std::uint32_t end = block.begin[row % kRowBlock + 1];
    return {(block.*items).data() + begin, end - begin};
  }
};

}  // namespace simplexboost
