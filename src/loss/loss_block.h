// The rows that a loss looks at: class scores, labels, weights and costs, none of them owned.
#pragma once

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
};

}  // namespace simplexboost
