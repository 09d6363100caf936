// Grows a tree that votes for one label in each leaf, where the worth of its votes depends on the
// step taken along it (kdd2014, Algorithm 1.2).
//
// At a given step the objective adds up over rows (optimizer/search/step_curves.h), so each leaf
// may choose its label for itself: with env(k) = max_y sum_{i in leaf} cell_i(y, k), the objective
// of a tree is the largest over k of offset_k + factor_k * (sum of env(k) over its leaves), and a
// cut changes that sum by what it does to one node. Labels are set at the end, for the best k. That
// is at least as good as fixing the label of one side before that of the other, as the paper does,
// and costs the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_dataset.h"
#include "optimizer/search/step_curves.h"
#include "tree/growth.h"
#include "tree/split/filter_search.h"

namespace simplexboost {

class DirectGrower {
 public:
  // `data` must outlive the grower.
  DirectGrower(const BinnedDataset& data, const GrowthOptions& options, int threads);

  // Valid until the next call.
  // `weights`: of the rows, for min_weight; null: all 1. `chance`: where filters are drawn from.
  const GrownTree& grow(const StepCurves& curves, const float* weights, const Sample& sample = {},
                        const SplitChance& chance = {});

  // Of each node of the last tree; those of leaves count.
  const std::vector<std::int32_t>& labels() const { return labels_; }
  // The objective of the last tree at its best step among those of the curves.
  double objective() const { return objective_; }

 private:
  using Sums = std::vector<std::int32_t>;
  // How good a tree is: by its best step and, among equals, by all steps together. Where the error
  // itself is the objective, Algorithm 1.2 takes cuts that gain nothing, too, and of these the ones
  // that part the labels most are most likely to be of use to those below them.
  struct Worth {
    double best = 0;
    double all = 0;
    double parted = 0;
    bool operator>(const Worth& other) const {
      if (best != other.best) return best > other.best;
      return all != other.all ? all > other.all : parted > other.parted;
    }
  };
  struct Candidate {
    bool found = false;
    Worth worth;
    Split split;
    Sums left, right;  // envelopes of the sides
  };
  struct Scratch {
    // Sets counts, slots and bins for the node that has these rows.
    template <class Values>
    void count(std::size_t all_bins, std::span<const std::uint32_t> rows, const Values& values);

    std::vector<std::uint32_t> counts;  // rows of each bin
    std::vector<std::uint32_t> slots;   // of each bin that has rows
    std::vector<std::uint32_t> bins;    // of each slot, ascending
    std::vector<std::uint64_t> seen;    // a bit for each bin, 0 but while counting
    Sums histogram;                     // slots x labels x steps
    Sums left, left_envelope, right_envelope;
    std::vector<double> weights;       // of the slots, where asked for
    std::vector<std::int64_t> masses;  // likewise in the units of the curves
    // Of a filter: its values on the node's rows, their bins, and these by row.
    std::vector<std::int32_t> filter_values;
    FilterBins filter_bins;
    std::vector<std::uint8_t> bin_of_row;
  };
  // A row that adds something to the sums of its node: its cells, or its marks and their weight.
  struct AddingRow {
    std::uint32_t row = 0;
    std::int32_t weight = 0;
    const std::int32_t* cells = nullptr;
    std::span<const std::uint32_t> marks;
  };
  struct Search;  // of one feature or filter at one node
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  void integrate(std::int32_t* sums) const;
  Sums node_sums(const GrownNode& node) const;
  bool settled(const GrownNode& node, const Sums& sums) const;
  void envelope(const Sums& sums, Sums& out) const;
  Worth worth(const std::int32_t* change_a, const std::int32_t* change_b,
              const std::int32_t* without) const;
  std::size_t best_step() const;
  bool may_split(const GrownNode& node) const;
  void find_split(std::int32_t node);
  void list_adding_rows(const GrownNode& node);
  static std::uint32_t rest_slot(const Scratch& scratch, std::size_t rows);
  void fill_histogram(Scratch& scratch, std::uint32_t rest, const Sums& total) const;
  void search_feature(std::uint32_t feature, std::size_t node, Scratch& scratch,
                      Candidate& candidate) const;
  void search_filter(const ImageFilter& filter, std::size_t node, Scratch& scratch,
                     Candidate& candidate) const;
  template <class Values>
  void sum_bins(const Values& values, const FeatureBins& bins, std::size_t node,
                Scratch& scratch) const;
  void search_bins(const FeatureBins& bins, std::size_t node, Scratch& scratch,
                   Candidate& candidate) const;
  void cut(std::int32_t node);
  void set_labels();

  const BinnedDataset& data_;
  GrowthOptions options_;
  int threads_;
  const StepCurves* curves_ = nullptr;
  const float* weights_ = nullptr;
  SplitChance chance_;
  std::span<const std::uint32_t> features_;
  std::vector<std::uint32_t> all_features_;
  double share_ = 1;  // rows of the data to one that the tree sees
  GrownTree tree_;
  RowPartition partition_;
  std::vector<std::int32_t> labels_;
  std::vector<Sums> sums_;         // of each node that may be cut: labels x steps
  std::vector<Sums> envelopes_;    // of each node
  std::vector<Candidate> found_;   // of each node
  Sums total_;                     // sum of the envelopes of the leaves
  Sums without_;                   // the same but for the node that is looked at
  Worth worth_;                    // of the tree so far
  std::vector<AddingRow> adding_;  // of the node that is looked at
  std::size_t tie_step_ = 0;       // at which cuts of equal worth are compared
  double objective_ = 0;
  std::vector<Scratch> scratch_;       // a thread each
  std::vector<Candidate> candidates_;  // a feature each
};

}  // namespace simplexboost
