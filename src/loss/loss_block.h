// The rows that a loss looks at: class scores, labels, weights and costs, none of them owned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simplexboost {

struct LossBlock {
  std::size_t rows = 0;
  std::size_t classes = 0;
  const float* scores = nullptr;         // rows x classes: u
  const std::int32_t* labels = nullptr;  // 0 .. classes - 1
  const float* weights = nullptr;        // of the rows, not negative; null: all 1
  // classes x classes, not negative; null: all 1. The loss of a row of class c is then
  // gamma( sum_l C[c][l] phi(v_l) ): the costs of mistakes are inside the sum.
  const float* costs = nullptr;

  // Rows [begin, end).
  LossBlock part(std::size_t begin, std::size_t end) const {
    LossBlock block = *this;
    block.rows = end - begin;
    block.scores += begin * classes;
    block.labels += begin;
    if (weights) block.weights += begin;
    return block;
  }

  double weight(std::size_t row) const { return weights ? static_cast<double>(weights[row]) : 1.0; }
};

// visit(begin, block) for parts of so many rows.
template <class Visit>
void for_parts(const LossBlock& block, std::size_t rows, const Visit& visit) {
  for (std::size_t begin = 0; begin < block.rows; begin += rows)
    visit(begin, block.part(begin, std::min(begin + rows, block.rows)));
}

}  // namespace simplexboost
