// The trees of an ensemble packed for speed, and the walks over them. Rows are taken in blocks
// that stay in cache, each block through all trees in order, so a row's score never depends on
// the block, the thread or the batch it came in. Many rows go through trees of numbers and a
// moderate number of leaves by masks (node_masks.h), all others from node to node; both find the
// same leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/image/filter_taps.h"
#include "model/ensemble.h"
#include "model/predict/node_masks.h"
#include "model/predict/packed_forest.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

class Predictor {
 public:
  // `ensemble` must have passed check_ensemble and must outlive the predictor.
  explicit Predictor(const Ensemble& ensemble);

  // Computes u (rows x classes) block by block, after the first `rounds` rounds, and hands each
  // block to `use` with the number of its first row: the memory does not grow with the data. Blocks
  // come in any order, on several threads at once.
  using BlockUse = std::function<void(std::size_t first, const Matrix& scores)>;
  void score_blocks(const Dataset& data, std::size_t rounds, int threads,
                    const BlockUse& use) const;

  // The same in steps, for all rows: f (rows x outputs) before the first round; f after adding the
  // rounds [begin, end); u from f.
  Matrix start(std::size_t rows) const;
  void add_rounds(const Dataset& data, std::size_t begin, std::size_t end, int threads,
                  Matrix& outputs) const;
  Matrix class_scores(Matrix outputs, int threads) const;

  // The leaf of each row in each tree of the first `rounds` rounds, rows x trees.
  std::vector<std::uint32_t> leaves(const Dataset& data, std::size_t rounds, int threads) const;

  // u of one row, without allocation.
  void score_row(std::span<const double> features, std::span<float> scores) const;

  // What devices take to do the same.
  const PackedForest& packed() const { return packed_; }
  bool pooled() const { return !ensemble_.members.empty(); }
  // Outputs x classes, halved; empty where there are none, or those of a simplex.
  const std::vector<float>& half_codewords() const { return codewords_; }
  const std::vector<double>& half_diagonal() const { return half_diagonal_; }
  const std::vector<double>& half_below() const { return half_below_; }

 private:
  std::size_t block_rows(std::size_t rows, std::size_t trees, int threads) const;
  bool masks_pay(std::size_t rows, std::size_t trees) const;
  const NodeMasks& masks() const;
  void add_by_masks(const Dataset& data, std::size_t first, std::size_t last,
                    std::size_t tree_begin, std::size_t tree_end, float* out) const;
  // Whether leaves of both trees are added by one loop.
  bool alike(const NodeMasks& all, std::size_t tree, std::size_t other) const;
  void add_leaves(std::size_t tree_begin, std::size_t tree_end, const std::uint8_t* leaves,
                  std::size_t rows, float* out) const;
  void gather(const Dataset& data, std::size_t begin, std::size_t end, double* rows) const;
  void gather_images(const Dataset& data, std::size_t begin, std::size_t end, double* rows) const;
  std::vector<double> gathered(const Dataset& data, std::size_t first, std::size_t last) const;
  // Adds the trees [tree_begin, tree_end) to the outputs of the rows [first, last): by the way that
  // is faster for so many.
  using AddBlock = void (Predictor::*)(const Dataset& data, std::size_t first, std::size_t last,
                                       std::size_t tree_begin, std::size_t tree_end,
                                       float* out) const;
  AddBlock adder(std::size_t rows, std::size_t trees) const;
  void add_by_walks(const Dataset& data, std::size_t first, std::size_t last,
                    std::size_t tree_begin, std::size_t tree_end, float* out) const;
  void add_trees(std::size_t tree_begin, std::size_t tree_end, const double* rows,
                 std::size_t count, float* out) const;
  void add_leaf(const PackedTree& tree, std::uint32_t leaf, float* out) const;
  // What a sparse leaf adds to the outputs [begin, begin + part.size()).
  void add_entries(const PackedTree& tree, std::size_t leaf, std::size_t begin,
                   std::span<float> part) const;
  void add_linear(const PackedTree& tree, const double* rows, std::size_t count, float* out) const;
  template <bool kMixed>
  void add_tree(const PackedTree& tree, const double* rows, std::size_t count, float* out) const;
  // Calls use(row, leaf) for every row of a block.
  template <bool kMixed, class Use>
  void walk(const PackedTree& tree, const double* rows, std::size_t count, const Use& use) const;
  template <bool kMixed, class Features>
  std::uint32_t step(const PackedNode* nodes, std::uint32_t at, const Features& features) const;
  // Class scores, before anything is adjusted (adjusted.h).
  Matrix own_scores(Matrix outputs, int threads) const;
  void own_row(std::span<const double> features, std::span<float> scores) const;
  bool has_codewords() const { return ensemble_.simplex || !codewords_.empty(); }
  // The outputs [begin, begin + part.size()) of one row, of which `row` has what gather() takes.
  template <bool kMixed>
  void walk_row(std::span<const PackedTree* const> trees, const double* row,
                std::uint32_t* leaves) const;
  void add_row_leaf(const PackedTree& tree, std::size_t leaf, const double* row, std::size_t begin,
                    std::span<float> part) const;
  void row_outputs(const double* row, std::size_t begin, std::span<float> part) const;
  // What these outputs, those from `first_output` on, add to the class scores of a row. Parts of a
  // row come in order; `carry` is 0 at the first and kept between them.
  void add_codewords(std::size_t first_output, std::span<const float> outputs,
                     std::span<float> scores, double& carry) const;

  const Ensemble& ensemble_;
  PackedForest packed_;
  std::vector<FilterTaps> filters_;
  std::size_t stride_ = 0;  // numbers of a gathered row: used features, then its integral image
  std::vector<float> codewords_;       // the loop over classes is inside
  std::vector<double> half_diagonal_;  // of the simplex, which is not stored
  std::vector<double> half_below_;
  mutable std::mutex masks_mutex_;
  mutable std::unique_ptr<const NodeMasks> masks_;  // made when they are wanted for the first time
};

}  // namespace simplexboost
