// The loops of node_masks.h, compiled once for each level of vector instructions
// (base/simd/isa.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// Rows are taken so many at a time; arrays of ranks and leaves are padded to a multiple.
inline constexpr std::size_t kMaskRows = 128;
constexpr std::size_t padded_rows(std::size_t rows) {
  return (rows + kMaskRows - 1) / kMaskRows * kMaskRows;
}

// A node, as far as 8 leaves are concerned that follow each other.
struct MaskStep {
  std::uint16_t column;
  std::int8_t rank;
  std::uint8_t kept;  // a bit for each leaf that a row can still reach if its rank is above
};

// The leaves of rows, counted from the left.
struct LeafArgs {
  const MaskStep* steps = nullptr;           // word by word of 8 leaves
  const std::uint32_t* word_ends = nullptr;  // of each word's steps
  std::size_t words = 0;
  const std::int8_t* ranks = nullptr;  // columns x rows
  std::size_t rows = 0;                // a multiple of kMaskRows
  std::uint8_t* leaves = nullptr;
};

// Adds what leaves say to the outputs of rows, tree by tree.
template <class Value>
struct LeafSumArgs {
  const Value* values = nullptr;
  const std::uint32_t* const* places = nullptr;  // of each tree: where its leaves' values begin
  const std::uint8_t* leaves = nullptr;          // trees x stride
  std::size_t stride = 0;
  std::size_t trees = 0;
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t outputs = 0;  // from one row to the next, `width` and more
  float* out = nullptr;     // of the first row, the first to which something is added
};

// How many thresholds are below each value, counted from the least byte on (rank_columns.h).
struct RankArgs {
  const double* values = nullptr;
  std::size_t rows = 0;  // a multiple of kMaskRows
  double low = 0;        // cells
  double scale = 0;
  const std::uint8_t* starts = nullptr;  // of each cell, of which there are kRankCells
  const double* thresholds = nullptr;
  std::size_t most = 0;     // in one cell
  std::int8_t missing = 0;  // the rank of what is not a number
  std::int8_t* ranks = nullptr;
};
inline constexpr int kRankCells = 256;

struct MaskKernels {
  void (*set_ranks)(const RankArgs&);
  void (*find_leaves)(const LeafArgs&);
  void (*add_floats)(const LeafSumArgs<float>&);
  void (*add_shorts)(const LeafSumArgs<std::uint16_t>&);

  void add(const LeafSumArgs<float>& args) const { add_floats(args); }
  void add(const LeafSumArgs<std::uint16_t>& args) const { add_shorts(args); }
};

const MaskKernels& mask_kernels();

}  // namespace simplexboost
