// Sparse features that exclude each other: no row is outside the default bins of two of them.
// Columns that tell categories apart do so. A byte of each row says all of them (shared_bytes.h),
// where they would be found in a list of what is not the default.
#pragma once

#include <cstdint>
#include <vector>

#include "data/binning.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Sets of such features, each ascending, whose bins a byte can tell; only where enough rows are
// outside a default bin of the set. `sparse`: ascending.
std::vector<std::vector<std::uint32_t>> find_exclusive(const Dataset& data,
                                                       const std::vector<FeatureBins>& bins,
                                                       const std::vector<std::uint32_t>& sparse);

}  // namespace simplexboost
