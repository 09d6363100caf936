#include "tree/kernels/kernels.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(Kernels, kKernels)

const Kernels& kernels() {
  static const Kernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kKernels);
  return chosen;
}

}  // namespace simplexboost
