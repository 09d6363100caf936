// One level's copy of the kernels (see base/simd/isa.h).
#include "tree/kernels/kernel_parts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {

extern const Kernels kKernels;
const Kernels kKernels{fill,
                       fill,
                       fill,
                       fill,
                       subtract,
                       scan,
                       score,
                       clear,
                       clear,
                       clear,
                       clear,
                       quantise,
                       quantise_scalars,
                       add_absolute,
                       add_integers,
                       add_bins,
                       add_values,
                       add_products,
                       take_values,
                       largest_size,
                       part,
                       part};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
