#include "loss/beaten_rows.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(BeatenRowsKernel, kBeatenRows)

void find_beaten_rows(const float* scores, std::size_t rows, std::size_t classes,
                      const std::int32_t* labels, std::uint8_t* beaten) {
  static const BeatenRowsKernel& chosen = SIMPLEXBOOST_ISA_CHOICE(kBeatenRows);
  chosen.find(scores, rows, classes, labels, beaten);
}

}  // namespace simplexboost
