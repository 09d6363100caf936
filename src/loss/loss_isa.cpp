// The loops of the built-in losses, one copy for each instruction level (see base/simd/isa.h).
#include "loss/loss_loops.h"
#include "loss/loss_table.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class... Formulas>
constexpr LossKernels kRowsOf[] = {kKernelsOf<Formulas>...};

template <class... Formulas>
constexpr LossKernelTable kernels_of(const LossTable<Formulas...>&) {
  return {kRowsOf<Formulas...>};
}

}  // namespace

extern const LossKernelTable kLossKernels;
const LossKernelTable kLossKernels = kernels_of(kLossTable);

}  // namespace simplexboost::SIMPLEXBOOST_ISA
