// The histogram source of a device: bins, statistics and the rows of all nodes stay there, and so
// do the histograms. What comes back is small: the sums of the nodes and the best cut of each
// feature; the rest is judged here, as everywhere (Growth). Categories, and cuts that are drawn,
// are looked at here too: their histograms are brought over.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "cuda/device.h"
#include "cuda/device_bins.h"
#include "cuda/device_exchange.h"
#include "cuda/kernels/histogram_kernels.h"
#include "tree/histogram/histogram_source.h"

namespace simplexboost {

struct DeviceSplit;  // kernels/scan_kernel.h

class DeviceSource : public HistogramSource {
 public:
  // The device and the bins must outlive it. `space`: of the rows that are here, and who else has
  // some; histograms are those of all.
  DeviceSource(Device& device, DeviceBins& bins, const RowSpace& space);

  // The statistics of rows that the device has (RowStats::elsewhere), for the trees to come.
  void set_stats(const std::int32_t* stats) { given_stats_ = stats; }
  // The leaf of each row, on the device; and those that it was grown on as tasks: of each leaf
  // some.
  void assign_leaves_there(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                           std::uint32_t* leaf_of_row);
  const std::uint32_t* rows() const { return rows_.data(); }
  const DeviceArray<RowTask>& leaf_tasks() const { return leaf_tasks_; }

  void start(const Growth& growth) override;
  void split_root() override;
  std::vector<ChannelCut> best_cuts() override;
  std::vector<std::int32_t> choose_batch(const NodeQueue& queue, std::size_t room) override;
  void cut(std::span<const NodeCut> cuts) override;
  // The rows of a node need no order.
  void join(std::size_t /*node*/) override {}
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) const override;

 private:
  static constexpr std::uint32_t kNoPlace = 0xffffffffU;

  // A node that is looked at, and where its histogram is.
  struct Search {
    std::size_t node;
    std::uint32_t place;
  };

  GrownTree& tree() const { return growth_->tree; }
  const GrownNode& node(std::size_t i) const { return tree().nodes[i]; }
  void plan_features();
  void take_criterion();
  void part(std::span<const NodeCut> cuts);
  void count_parted(std::span<const RowTask> tasks) const;
  std::vector<RowTask> tasks_of(std::span<const NodeCut> cuts, bool told_too) const;
  bool any_untold(std::span<const NodeCut> cuts) const;
  void sum_left_children(std::span<const NodeCut> cuts);
  // The sums that are left of a node's cut, as the scan told them; null where it did not.
  std::int32_t* told(std::int32_t node) {
    return is_told_[static_cast<std::size_t>(node)]
               ? told_.data() + static_cast<std::size_t>(node) * tree().channels
               : nullptr;
  }
  void plan_children(std::size_t parent);
  // A place for a histogram; kNoPlace where memory has none.
  std::uint32_t take_place();
  bool grow_pool(std::size_t places);
  void give_place(std::uint32_t place) { free_.push_back(place); }
  void fill_histograms();
  void add_up_filled();
  void search_splits();
  // Of each node that is looked at, for each feature; then what is left of each (ScanCuts).
  std::vector<std::int32_t> scan_cuts();
  void keep_left_sums(std::span<const std::int32_t> sums);
  std::vector<Split> candidates_of(const Search& search, std::span<const DeviceSplit> found) const;
  void keep_histograms();
  std::vector<std::int32_t> feature_histogram(std::uint32_t place, std::size_t i) const;
  void add_tasks(std::uint32_t begin, std::uint32_t end, std::uint32_t of, std::uint32_t rows,
                 std::vector<RowTask>& tasks) const;

  Device& device_;
  DeviceBins& bins_;
  const BinnedDataset& data_;
  RowSpace space_;
  std::unique_ptr<DeviceExchange> exchange_;  // with the devices of the other ranks
  const Growth* growth_ = nullptr;
  const std::int32_t* given_stats_ = nullptr;
  const std::int32_t* stats_ = nullptr;
  mutable RowPartition partition_;  // of the processor, for those who look at leaves there

  std::vector<std::uint32_t> looked_at_;  // features
  std::vector<HistogramFeature> features_;
  std::vector<FeatureGroup> groups_;
  std::size_t shared_bytes_ = 0;
  std::size_t numbers_ = 0;           // of a histogram
  bool judged_here_ = false;          // no cut is judged by the device
  std::size_t planned_channels_ = 0;  // that all features were planned for
  std::size_t row_count_ = 0;

  std::vector<std::uint32_t> places_;  // of the nodes' histograms
  std::vector<std::uint32_t> free_;
  std::size_t pool_size_ = 0;
  std::size_t most_places_ = 0;
  std::vector<std::size_t> filled_;           // nodes of this batch that are filled,
  std::vector<std::uint32_t> filled_places_;  // here
  std::vector<std::uint32_t> subtracted_;     // pairs of places
  std::vector<Search> searches_;
  std::vector<std::int32_t> told_;  // nodes x channels
  std::vector<bool> is_told_;

  DeviceArray<std::int32_t> stats_array_;
  DeviceArray<std::uint32_t> rows_;
  DeviceArray<std::uint32_t> moved_;
  DeviceArray<std::uint8_t> left_;
  DeviceArray<RowTask> tasks_;
  DeviceArray<RowTask> sum_tasks_;
  DeviceArray<RowTask> leaf_tasks_;
  DeviceArray<DeviceCut> cuts_;
  DeviceArray<std::uint32_t> sets_;
  DeviceArray<std::int32_t> counts_;
  DeviceArray<std::int32_t> before_;
  DeviceArray<std::int32_t> lefts_;
  DeviceArray<std::int32_t> sums_;
  DeviceArray<HistogramFeature> feature_array_;
  DeviceArray<FeatureGroup> group_array_;
  DeviceArray<std::int32_t> histograms_;
  DeviceArray<std::uint32_t> filled_array_;
  DeviceArray<std::uint32_t> place_array_;
  DeviceArray<std::uint32_t> pair_array_;
  DeviceArray<std::int32_t> totals_;
  DeviceArray<float> codewords_;
  DeviceArray<std::int32_t> splits_;  // and what is left of each, to be brought at once
};

}  // namespace simplexboost
