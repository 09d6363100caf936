// Sums over blocks of rows, taken in the order of the blocks: the same for any number of threads.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.h"

namespace simplexboost {

// block(begin, end) gives the sum of its rows.
template <class Block>
double sum_blocks(int threads, std::size_t size, std::size_t block_size, const Block& block) {
  std::vector<double> sums((size + block_size - 1) / block_size);
  parallel_blocks(threads, size, block_size, [&](std::size_t begin, std::size_t end) {
    sums[begin / block_size] = block(begin, end);
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace simplexboost
