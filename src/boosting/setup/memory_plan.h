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
  std::uint64_t rows = 0;    // what training keeps of the rows: scores, pulls, their statistics
  std::uint64_t judged = 0;  // bins and scores of the rows that it is judged by
  std::uint64_t histograms = 0;

  std::uint64_t total() const { return taken + bins + rows + judged + histograms; }
};

// `judged`: rows for validation. Of models nothing is said but of forests: how large others grow
// follows from their rounds, which validation may end.
MemoryPlan plan_memory(const Dataset& data, const std::vector<FeatureBins>& bins,
                       const Composition& chosen, std::uint64_t judged);

// Where the bins go by the rules of the process (simplexboost/memory.h). Throws a DataError with
// the sizes, and what would be less, where the training does not fit into what they allow, even
// with bins in a file, or where there is no rule into the memory that is free.
StoreChoice choose_store(const Dataset& data, const std::vector<FeatureBins>& bins,
                         const Composition& chosen, std::uint64_t judged);

}  // namespace simplexboost
