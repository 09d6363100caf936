#include "tree/kernels/side_counts.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(SideKernel, kSideKernel)

SideCounts count_side(const SideArgs& args) {
  static const SideKernel& chosen = SIMPLEXBOOST_ISA_CHOICE(kSideKernel);
  return chosen.count(args);
}

}  // namespace simplexboost
