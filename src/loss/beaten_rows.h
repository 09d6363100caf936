// Which rows have another class than theirs as the one of largest score, by the vector instructions
// of this machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// beaten[i] is 1 where another class than labels[i] has the largest of the scores of row i, which
// are `classes` in number; among equals the first one has it. A label below 0 is beaten always.
void find_beaten_rows(const float* scores, std::size_t rows, std::size_t classes,
                      const std::int32_t* labels, std::uint8_t* beaten);

// Its copies, one for each level (base/simd/isa.h).
struct BeatenRowsKernel {
  void (*find)(const float* scores, std::size_t rows, std::size_t classes,
               const std::int32_t* labels, std::uint8_t* beaten);
};

}  // namespace simplexboost
