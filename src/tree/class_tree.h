// Grows one tree of a forest: features drawn anew for each node, thresholds drawn or searched for,
// cuts judged by the Gini index, leaves that say the shares of the classes. Its nodes soon have few
// rows, where histograms would be mostly empty, so it counts the classes of a node's rows
// themselves: the work does not grow with the number of classes, nor do its leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/binned_dataset.h"
#include "simplexboost/forest.h"
#include "tree/split.h"

namespace simplexboost {

struct ClassTreeOptions {
  std::size_t features = 1;  // looked at in a node, of those that differ there
  bool drawn = false;        // one threshold a feature, drawn; else the best
  int max_depth = 0;         // 0: no limit
  int min_rows = 1;          // in a leaf
  double min_weight = 0;     // in a leaf
  double min_gain = 0;       // of a cut, in weight
};

struct ClassNode {
  Split split;
  std::int32_t left = -1;  // as those of Node
  std::int32_t right = -1;
  float gain = 0;
};

// Parents stand before their children. A leaf's entries are the shares of the classes that it has:
// they sum to 1, or, for several labels a row, each is one label's share of the rows.
struct ClassTree {
  std::vector<ClassNode> nodes;
  SparseLeaves leaves;
};

class ClassTreeGrower {
 public:
  // Both must outlive it.
  ClassTreeGrower(const BinnedDataset& data, const Labels& labels, const ClassTreeOptions& options);

  // A row and how much it counts, more than 0.
  struct Item {
    std::uint32_t row;
    std::int32_t label;  // set by grow(); -1 for several labels a row
    float weight;
  };
  // `features`: those to draw from; empty: all. The items are put into another order.
  ClassTree grow(std::vector<Item>& items, std::span<const std::uint32_t> features, Random& random);

 private:
  struct Open;
  // A way to part the rows of a node at hand, before it is a Split.
  struct Candidate {
    double score = -1;
    std::uint32_t threshold = 0;  // values up to this one go left
    bool missing_left = false;
  };
  struct Side;

  bool by_classes(std::span<const Item> items) const;
  void count(std::span<const Item> items);
  void forget(std::span<const Item> items);
  bool pure(std::span<const Item> items) const;
  template <class Bin>
  Split best_split(std::span<const Item> items, std::size_t& constants, Random& random);
  // Writes what the cut of a feature compares, one value a row, to values_; false where the rows do
  // not differ.
  template <class Bin>
  bool take_values(std::span<const Item> items, std::uint32_t feature, Random& random);
  void rank_categories(std::span<const Item> items, std::uint32_t bins, Random& random);
  Candidate drawn_cut(std::span<const Item> items, Random& random);
  Candidate searched_cut(std::span<const Item> items);
  Side send_left(std::span<const Item> items, std::uint32_t threshold, bool missing_left);
  void sort_values(std::size_t count);
  double judge(const Side& left, double rows) const;
  template <class Use>
  void each_label(const Item& item, const Use& use) const;
  void add_left(const Item& item, double weight, Side& left);
  Split make_split(std::uint32_t feature, const Candidate& candidate) const;
  void send_missing(Split& split, bool left) const;
  template <class Bin>
  std::size_t part(std::span<Item> items, const Split& split);
  void add_leaf(std::span<const Item> items, ClassTree& tree);

  const BinnedDataset& data_;
  const Labels& labels_;
  ClassTreeOptions options_;
  std::vector<std::uint32_t> features_;  // in the order in which they were drawn
  // Of the node at hand.
  std::vector<double> counts_;  // weight of each class
  double total_ = 0;            // weight of the rows
  double squares_ = 0;          // of counts_, their sum
  // Of the feature at hand.
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> ranks_;  // of each category, kNoRank: none of its rows are here
  std::uint32_t least_ = 0;
  std::uint32_t most_ = 0;
  std::size_t missing_ = 0;  // rows
  // Scratch.
  std::vector<double> left_counts_;  // all 0 between uses
  std::vector<std::uint64_t> order_;
  std::vector<std::uint32_t> places_;
  std::vector<Item> right_;
  std::vector<double> category_weights_;
};

// The leaf of a row of binned data.
std::size_t leaf_of(const ClassTree& tree, const BinnedDataset& data, std::size_t row);

// Appends the tree, its leaves' entries or, with `dense`, 2 share - 1 for every label.
void append_class_tree(Forest& forest, const ClassTree& tree, const std::vector<FeatureBins>& bins,
                       std::size_t outputs, bool dense);

}  // namespace simplexboost
