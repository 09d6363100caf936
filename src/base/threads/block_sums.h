// Sums over many things by threads: those of blocks, which their order tells apart, and these added
// up in that order. So the sums do not depend on the number of threads, whatever the numbers are.
#pragma once

#include <cstddef>
#include <vector>

#include "base/threads/parallel.h"

namespace simplexboost {

// add(begin, end, sums) adds what a block of [0, size) has to sums[0 .. width), which are 0 before.
// Returns the sums of all blocks, one block after the other.
template <class Part, class Add>
std::vector<Part> block_sums(int threads, std::size_t size, std::size_t block, std::size_t width,
                             const Add& add) {
  std::vector<Part> parts((size + block - 1) / block * width);
  parallel_blocks(threads, size, block, [&](std::size_t begin, std::size_t end) {
    add(begin, end, parts.data() + begin / block * width);
  });
  return parts;
}

// Adds the sums of blocks to totals[0 .. width).
template <class Part, class Total>
void add_blocks(const std::vector<Part>& parts, std::size_t width, Total* totals) {
  for (std::size_t i = 0; i < parts.size(); i += width)
    for (std::size_t j = 0; j < width; ++j) totals[j] += static_cast<Total>(parts[i + j]);
}

}  // namespace simplexboost
