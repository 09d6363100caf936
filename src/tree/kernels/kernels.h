// The inner loops of tree growth, compiled once for each level of vector instructions
// (base/simd/isa.h). Sums are integers, so they are exact in any order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// Layout of one statistics vector ("channels"), as 32-bit integers:
//
//   [ count | weight | pull 0 .. pull d-1 | 0 padding ]            and, for diagonal curvature,
//   [ 0     | 0      | curvature 0 .. curvature d-1 | 0 padding ]  behind it
//
// Integers make sums exact, so they do not depend on the order of rows, threads or machines, and
// a sibling is its parent minus its other child to the last bit.
inline constexpr std::size_t kCountChannel = 0;
inline constexpr std::size_t kWeightChannel = 1;
inline constexpr std::size_t kPullChannel = 2;

// What one pass over rows fills should stay in the second cache. A pass takes so many vectors of
// eight channels at most, and longer statistics take several passes.
inline constexpr std::size_t kBlockBytes = std::size_t{384} * 1024;
inline constexpr std::size_t kBlockFeatures = 8;
inline constexpr std::size_t kMostVectors = 8;

// Whether histograms of so many bins can be filled together.
constexpr bool fits_block(std::size_t features, std::size_t bins, std::size_t channels) {
  const std::size_t in_a_pass = channels < 8 * kMostVectors ? channels : 8 * kMostVectors;
  return features <= kBlockFeatures && bins * in_a_pass * 4 <= kBlockBytes;
}

// Adds the statistics of rows to the histograms of a block of features that lie close together.
template <class Bin>
struct FillArgs {
  const Bin* bins;               // of row 0, first feature of the block
  std::size_t bin_stride;        // from row to row
  std::size_t width;             // features in the block, at most kBlockFeatures
  const std::uint32_t* offsets;  // first bin of each feature in `histogram`, in bins
  const std::int32_t* stats;     // rows x channels
  std::size_t channels;
  const std::uint32_t* rows;  // null: rows 0 .. count - 1
  std::size_t count;
  std::int32_t* histogram;
  const std::uint32_t* columns = nullptr;  // of each feature, from the first; null: neighbours
  // Features that share bytes (data/shared_bytes.h): the bin of each for every value of its byte.
  // There may be more of them than kBlockFeatures, and `columns` tells their bytes.
  const std::uint8_t* const* digits = nullptr;
};

// The same of features whose default bins are left out (data/sparse_bins.h): each entry of a row is
// a bin of the block.
template <class Entry>
struct SparseFillArgs {
  const Entry* entries;
  const std::uint32_t* starts;  // of the entries of each row, and where the last one's end
  const std::uint32_t* places;  // the bin that each entry means, or kNoPlace; null: itself
  const std::int32_t* stats;    // rows x channels
  std::size_t channels;
  const std::uint32_t* rows;  // null: rows 0 .. count - 1
  std::size_t count;
  std::int32_t* histogram;
};
inline constexpr std::uint32_t kNoPlace = 0xffff'ffff;

enum class CriterionKind : std::uint8_t {
  kLeastSquares,  // sum over sides of |G|^2 / (W + l2): also Gini and scalar Newton
  kVote,          // sum_j |G_right,j - G_left,j|
  kClass,         // max_j G_left,j + max_j G_right,j: codewords seen from the classes
  kSubset,        // sum_j max(G_left,j, 0) + max(G_right,j, 0)
  kCodeword,      // max_k <y_k, G_left> + max_k <y_k, G_right>
  kConfidence,    // minus the sum over sides and channels of sqrt(W_j^2 - G_j^2)
  kShare,         // sum over sides of <G, P> / sum_j P_j: the edge of the shares of P
};

// Whether a criterion looks at a weight of each channel beside the pulls (FitTarget::curvature).
constexpr bool diagonal(CriterionKind kind) {
  return kind == CriterionKind::kConfidence || kind == CriterionKind::kShare;
}

// What a score means, in the units of the integers.
struct CriterionSpec {
  CriterionKind kind = CriterionKind::kLeastSquares;
  std::size_t channels = 0;          // padded length of a statistics vector
  std::size_t pulls = 0;             // d
  float l2 = 0;                      // in units of the weights
  const float* codewords = nullptr;  // kCodeword: d x padded classes, transposed
  std::size_t codeword_stride = 0;   // padded classes, a multiple of 8; padding repeats a column
};

struct ScanArgs {
  const std::int32_t* histogram;  // value bins, then the missing bin
  std::uint32_t value_bins;
  bool has_missing;
  const std::int32_t* total;
  const CriterionSpec* criterion;
  std::int32_t min_rows;
  float min_weight;  // in units of the weights
};

// The score where no cut is allowed: below every real one.
inline constexpr float kNoCut = -3e38F;

// The best cut of one feature: bins 0 .. bin go left.
struct ScanResult {
  float score = kNoCut;
  std::uint32_t bin = 0;
  bool missing_left = false;
};

// Which bins go left by a cut of a numeric feature: those up to `bin`, and the missing one if
// wanted.
template <class Bin>
struct PartArgs {
  const Bin* bins;     // of row 0; readable for three bytes behind the last one
  std::size_t stride;  // from row to row, in bins
  std::int32_t bin;    // below the missing one; -1: none
  std::int32_t missing_bin;
  bool missing_left;
  std::uint32_t* rows;   // left ones are gathered in place
  std::uint32_t* right;  // the others here; room for `count`
  std::size_t count;
  // Of bytes: which of the 256 go left, a bit for each; null: by `bin` and `missing_bin`.
  const std::uint32_t* left_set = nullptr;
};
inline constexpr std::size_t kByteSetWords = 8;

// Sums over rows of what leaf values are made of (LeafTarget), as SumUnit has them
// (base/fixed_point.h).
struct ValueArgs {
  const float* pulls = nullptr;      // of row 0; `width` for each row
  const float* curvature = nullptr;  // likewise; null: |pull| (1 - curvature_factor |pull|)
  std::size_t width = 0;
  float curvature_factor = 1;
  const float* weights = nullptr;       // of row 0; null: all 1
  double factor = 1;                    // of all addends
  const std::uint32_t* rows = nullptr;  // null: `first` and those that follow it
  std::size_t first = 0;
  std::size_t count = 0;
  const std::uint32_t* leaf_of_row = nullptr;  // null: all are of one leaf
  double* sums = nullptr;                      // leaves x (pulls, then curvatures), added to
};

// Likewise of the products of a row's shares with that of class `k`, w p_k p_j, where the pulls are
// w (r_j - p_j) and r is 1 for the one class whose pull is positive.
struct ProductArgs {
  const float* pulls = nullptr;  // of row 0; `width` for each row
  std::size_t width = 0;
  const float* weights = nullptr;  // of row 0; rows that have none add nothing
  const std::uint32_t* rows = nullptr;
  std::size_t count = 0;
  std::size_t k = 0;
  double factor = 1;
  double* sums = nullptr;  // `width`, added to
};

// Takes what was added to such sums, which began at `starts`, to integers, and begins them anew.
struct TakeArgs {
  double* sums;  // leaves x (pulls, then curvatures)
  std::size_t leaves;
  std::size_t width;
  double pull_start;
  double curvature_start;
  std::int64_t* units;  // likewise, added to
};

struct Kernels {
  void (*fill8)(const FillArgs<std::uint8_t>&);
  void (*fill16)(const FillArgs<std::uint16_t>&);
  void (*fill_sparse16)(const SparseFillArgs<std::uint16_t>&);
  void (*fill_sparse32)(const SparseFillArgs<std::uint32_t>&);
  void (*subtract)(std::int32_t* out, const std::int32_t* whole, const std::int32_t* part,
                   std::size_t size);  // size: a multiple of 4
  // `left` is scratch for one statistics vector.
  ScanResult (*scan)(const ScanArgs&, std::int32_t* left);
  // Score of one cut, given the sums of its left side and of the whole.
  float (*score)(const CriterionSpec&, const std::int32_t* left, const std::int32_t* total);
  // Zeroes what fill would touch: cheaper than the whole histogram of a small node.
  void (*clear8)(const FillArgs<std::uint8_t>&);
  void (*clear16)(const FillArgs<std::uint16_t>&);
  void (*clear_sparse16)(const SparseFillArgs<std::uint16_t>&);
  void (*clear_sparse32)(const SparseFillArgs<std::uint32_t>&);
  // out = round(values * scale); sums += |values|; sums += values (count a multiple of 4).
  void (*quantise)(const float* values, std::size_t count, float scale, std::int32_t* out);
  // The statistics vectors of rows with one pull each: [1, weight, pull, 0], rounded likewise.
  void (*quantise_scalars)(const float* weights, const float* pulls, std::size_t count,
                           float weight_scale, float pull_scale, std::int32_t* out);
  void (*add_absolute)(const float* values, std::size_t count, float* sums);
  void (*add_integers)(const std::int32_t* values, std::size_t count, std::int32_t* sums);
  // sums += the statistics vectors of bins that follow each other.
  void (*add_bins)(const std::int32_t* values, std::size_t bins, std::size_t channels,
                   std::int32_t* sums);
  void (*add_values)(const ValueArgs&);
  void (*add_products)(const ProductArgs&);
  void (*take_values)(const TakeArgs&);
  // The largest size of a number; 0 of none, infinite where one is not finite.
  float (*largest_size)(const float* values, std::size_t count);
  // Part rows, both sides in their order; return how many go left.
  std::size_t (*part8)(const PartArgs<std::uint8_t>&);
  std::size_t (*part16)(const PartArgs<std::uint16_t>&);

  void clear(const FillArgs<std::uint8_t>& args) const { clear8(args); }
  void clear(const FillArgs<std::uint16_t>& args) const { clear16(args); }
  std::size_t part(const PartArgs<std::uint8_t>& args) const { return part8(args); }
  std::size_t part(const PartArgs<std::uint16_t>& args) const { return part16(args); }
  void fill(const FillArgs<std::uint8_t>& args) const { fill8(args); }
  void fill(const FillArgs<std::uint16_t>& args) const { fill16(args); }
  void fill(const SparseFillArgs<std::uint16_t>& args) const { fill_sparse16(args); }
  void fill(const SparseFillArgs<std::uint32_t>& args) const { fill_sparse32(args); }
  void clear(const SparseFillArgs<std::uint16_t>& args) const { clear_sparse16(args); }
  void clear(const SparseFillArgs<std::uint32_t>& args) const { clear_sparse32(args); }
};

// The copy for this machine.
const Kernels& kernels();

// Rounds a number of channels up to what the kernels work on: 4, or a multiple of 8.
constexpr std::size_t padded_channels(std::size_t used) {
  return used <= 4 ? 4 : (used + 7) / 8 * 8;
}

}  // namespace simplexboost
