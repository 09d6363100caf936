#include "explain/shap_kernels.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(ShapKernels, kShapKernels)

const ShapKernels& shap_kernels() {
  static const ShapKernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kShapKernels);
  return chosen;
}

}  // namespace simplexboost
