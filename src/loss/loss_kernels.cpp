#include "loss/loss_kernels.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(LossKernelTable, kLossKernels)

const LossKernelTable& loss_kernels() {
  static const LossKernelTable& chosen = SIMPLEXBOOST_ISA_CHOICE(kLossKernels);
  return chosen;
}

}  // namespace simplexboost
