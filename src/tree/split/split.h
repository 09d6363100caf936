// How a node sends its rows left and right, in bins.
#pragma once

#include <cstdint>
#include <vector>

#include "data/binned_dataset.h"
#include "tree/kernels/kernels.h"
#include "tree/split/bin_test.h"

namespace simplexboost {

struct Split {
  float score = kNoCut;  // of both sides together, in the units of the statistics
  std::uint32_t feature = 0;
  std::uint32_t bin = 0;  // numeric: bins up to this one go left
  bool missing_left = false;
  bool missing_seen = false;  // numeric: the node has missing values
  bool categorical = false;
  bool constant = false;  // no cut: all rows stay, with a vote of their own (see TreeGrower)
  // By a filter of the image instead of a bin: values up to `limit` go left. `feature` is the pixel
  // at its middle then.
  bool filtered = false;
  std::int32_t limit = 0;
  ImageFilter filter = {};
  std::vector<std::uint32_t> left_set;  // categorical: a bit for each bin, the missing one included

  bool valid() const { return score > kNoCut; }
};

// Of equals the one of the first feature is better.
inline bool worse(const Split& a, const Split& b) {
  return a.score < b.score || (a.score == b.score && a.feature > b.feature);
}

// For another rank (base/byte_stream.h).
template <class Bytes>
void carry_split(Bytes& bytes, Split& split) {
  bytes(split.score)(split.feature)(split.bin)(split.missing_left)(split.missing_seen);
  bytes(split.categorical)(split.constant)(split.filtered)(split.limit)(split.filter);
  bytes(split.left_set);
}

inline bool in_set(const std::vector<std::uint32_t>& set, std::uint32_t bin) {
  return in_set(set.data(), set.size(), bin);
}

// Whether a bin goes left, as a small table lookup-free predicate over one feature.
class SplitPredicate {
 public:
  SplitPredicate(const Split& split, const FeatureBins& bins)
      : test_{split.bin,         bins.missing_bin(),    split.missing_left,
              split.categorical, split.left_set.data(), split.left_set.size()} {}

  bool operator()(std::uint32_t bin) const { return test_.goes_left(bin); }

 private:
  BinTest test_;
};

// Likewise whether a row goes left by a filter.
class FilterPredicate {
 public:
  FilterPredicate(const Split& split, const IntegralImages& images)
      : images_(images), taps_(filter_taps(split.filter, images.shape())), limit_(split.limit) {}

  bool operator()(std::size_t row) const { return images_.value(taps_, row) <= limit_; }

 private:
  const IntegralImages& images_;
  FilterTaps taps_;
  std::int32_t limit_;
};

}  // namespace simplexboost
