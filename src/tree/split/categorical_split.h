// The best way to part the categories of one feature in two.
#pragma once

#include <cstdint>

#include "tree/kernels/kernels.h"
#include "tree/split/cuts.h"
#include "tree/split/split.h"

namespace simplexboost {

// Missing values count as one more category. With more than kExactCategories present, subsets are
// prefixes of an ordering: by the projection of the categories' mean pulls (by weight, or by
// curvature) on the direction in which these means vary most (their first principal component,
// weighted likewise). For one channel, and for two classes, that is the order of the means, in
// which the best subset is known to be a prefix (Fisher 1958; Breiman et al. 1984, theorem 4.5);
// for more it is the approximation of Coppersmith, Hong and Hosking (1999). Each category against
// the rest is tried too.
Split best_categorical_split(const ScanArgs& args, CategoricalSplits kind);

}  // namespace simplexboost
