// How a node sends its rows left and right, in bins.
#pragma once

#include <cstdint>
#include <vector>

#include "data/binned_dataset.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {

struct Split {
  float score = kNoCut;  // of both sides together, in the units of the statistics
  std::uint32_t feature = 0;
  std::uint32_t bin = 0;  // numeric: bins up to this one go left
  bool missing_left = false;
  bool missing_seen = false;  // numeric: the node has missing values
  bool categorical = false;
  bool constant = false;  // no cut: all rows stay, with a vote of their own (see TreeGrower)
  std::vector<std::uint32_t> left_set;  // categorical: a bit for each bin, the missing one included

  bool valid() const { return score > kNoCut; }
};

inline bool in_set(const std::vector<std::uint32_t>& set, std::uint32_t bin) {
  return bin / 32 < set.size() && (set[bin / 32] >> (bin % 32) & 1) != 0;
}

// Whether a bin goes left, as a small table lookup-free predicate over one feature.
class SplitPredicate {
 public:
  SplitPredicate(const Split& split, const FeatureBins& bins)
      : split_(split), missing_bin_(bins.missing_bin()) {}

  bool operator()(std::uint32_t bin) const {
    if (bin == missing_bin_) return split_.missing_left;
    return split_.categorical ? in_set(split_.left_set, bin) : bin <= split_.bin;
  }

 private:
  const Split& split_;
  std::uint32_t missing_bin_;
};

}  // namespace simplexboost
