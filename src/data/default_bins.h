// Which features are kept as what is not their default (sparse_bins.h): those of which nearly all
// rows are in one bin, zero as a rule, where there are several of them.
#pragma once

#include <vector>

#include "base/communicator.h"
#include "data/binning.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Sets the default bins of features. Where `data` is a rank's share, all ranks call it together.
void choose_defaults(const Dataset& data, std::vector<FeatureBins>& bins, int threads,
                     Communicator& ranks = no_others());

// All features dense, for those who know no others.
void forget_defaults(std::vector<FeatureBins>& bins);

}  // namespace simplexboost
