// What a training will take, before it takes it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/files/byte_store.h"
#include "boosting/setup/composition.h"
#include "data/binning.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// In bytes.
struct MemoryPlan {
  std::uint64_t taken = 0;  // by the process so far: the data above all
  std::uint64_t bins = 0;
  std::uint64_t rows = 0;  // what training keeps of the rows: scores, pulls, their sums
  std::uint64_t histograms = 0;

  std::uint64_t total() const { return taken + bins + rows + histograms; }
};

MemoryPlan plan_memory(const Dataset& data, const std::vector<FeatureBins>& bins,
                       const Composition& chosen);

// Where the bins go by the rules of the process (simplexboost/memory.h). Throws a DataError with
// the sizes, and what would be less, where even bins in a file do not make it fit.
StoreChoice choose_store(const Dataset& data, const std::vector<FeatureBins>& bins,
                         const Composition& chosen);

}  // namespace simplexboost
