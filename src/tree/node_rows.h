// The rows of a growing tree's nodes that are in this process: parting them, and summing their
// statistics, as a whole and by bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/growth.h"
#include "tree/histogram/feature_blocks.h"
#include "tree/row_partition.h"

namespace simplexboost {

// Some of a node's rows: the first of them, and the one behind the last.
struct RowRange {
  std::size_t begin;
  std::size_t end;
};

class NodeRows {
 public:
  // All rows of the sample are in the root, node 0. `growth` must outlive the growth of the tree.
  void start(const Growth& growth, int threads);

  // How many are in a node.
  std::size_t count(std::size_t node) const { return growth_->tree.rows(at(node)).size(); }

  // Parts the rows of a node by its split among its children, `left` and the next one, which have
  // room in the tree.
  void part(std::int32_t node, std::int32_t left, int threads);
  // Undoes that.
  void join(std::size_t node);

  // Sums of the statistics of a node's rows.
  void sum(std::size_t node, int threads, std::int32_t* out) const;
  // Adds them, or those of some, to the histograms of a block.
  void fill(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const {
    fill(block, node, {0, count(node)}, histogram);
  }
  void fill(const FeatureBlock& block, std::size_t node, const RowRange& some,
            std::int32_t* histogram) const;
  // Sets to zero what fill() has touched. A small node touches few of the bins.
  void clear(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const;

  // Of a sparse feature, fill() leaves the default bin out: it is what the others leave of the
  // node's sums.
  void complete(const FeatureBlock& block, std::size_t f, const std::int32_t* total,
                std::int32_t* histogram) const;
  // Whether the rows of a node are all in the default bins of most features of a block; and the
  // features of which they are not, by their numbers in the block.
  bool few_touched(const FeatureBlock& block, std::size_t node) const;
  void touched(const FeatureBlock& block, std::size_t node,
               std::vector<std::uint32_t>& features) const;

 private:
  const GrownNode& at(std::size_t node) const { return growth_->tree.nodes[node]; }
  // Vectors that fill() adds, about.
  std::size_t additions(const FeatureBlock& block, std::size_t rows) const;
  static bool by_bytes(const FeatureBlock& block, std::size_t rows);
  // As fill(), by way of the bytes that features share.
  void fill_bytes(const FeatureBlock& block, std::size_t node, const RowRange& some,
                  std::int32_t* histogram) const;
  void add_codes(const FeatureBlock& block, std::size_t f, const std::int32_t* codes,
                 std::int32_t* histogram) const;
  template <class Use>
  void with_rows(const FeatureBlock& block, std::size_t node, const RowRange& some,
                 std::int32_t* histogram, const Use& use) const;

  const Growth* growth_ = nullptr;
  RowPartition partition_;
};

}  // namespace simplexboost
