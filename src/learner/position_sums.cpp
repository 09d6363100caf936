#include "learner/position_sums.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(PositionKernels, kPositionKernels)

void position_sums(const PositionSumsArgs& args) {
  SIMPLEXBOOST_ISA_CHOICE(kPositionKernels).sums(args);
}

}  // namespace simplexboost
