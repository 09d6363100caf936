// The histogram source of a device: bins, statistics and the rows of all nodes stay there, and so
// do the histograms. What comes back is small: the sums of the nodes and the best cut of each
// feature; the rest is judged here, as everywhere (Growth). Categories, and cuts that are drawn,
// are looked at here too: their histograms are brought over.
//
// Memory is planned before the first tree: where rows have none beside the least of histograms,
// they stay here and pass through the device in blocks (device_node_rows.h). Plans are of what is
// wanted at most, so that more memory never does worse.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "cuda/device.h"
#include "cuda/device_bins.h"
#include "cuda/device_exchange.h"
#include "cuda/device_node_rows.h"
#include "cuda/kernels/histogram_kernels.h"
#include "tree/histogram/histogram_source.h"

namespace simplexboost {

struct DeviceSplit;  // kernels/scan_kernel.h

class DeviceSource : public HistogramSource {
 public:
  // The rows of `space` that are here, and who else has some: histograms are those of all. With
  // rows that the device has; or it finds them a place itself. Device, data and rows must outlive
  // it.
  DeviceSource(Device& device, const BinnedDataset& data, const RowSpace& space,
               ResidentRows& rows);
  DeviceSource(Device& device, const BinnedDataset& data, const RowSpace& space);

  // Bytes that it takes at least, beside rows, for statistics of so many channels.
  static std::size_t least_memory(const BinnedDataset& data, std::size_t channels,
                                  const CriterionSpec& criterion = {});

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
  void place_rows();
  void plan_places();
  void plan_features();
  void take_criterion();
  void part(std::span<const NodeCut> cuts);
  // The sums that are left of a node's cut, as the scan told them; null where it did not.
  std::int32_t* told(std::int32_t node) {
    return is_told_[static_cast<std::size_t>(node)]
               ? told_.data() + static_cast<std::size_t>(node) * tree().channels
               : nullptr;
  }
  void plan_children(std::size_t parent);
  // A place for a histogram; those that are kept for later make room where there is no other.
  std::uint32_t take_place();
  void grow_pool(std::size_t places);
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

  Device& device_;
  const BinnedDataset& data_;
  RowSpace space_;
  std::unique_ptr<DeviceExchange> exchange_;  // with the devices of the other ranks
  const Growth* growth_ = nullptr;
  std::unique_ptr<DeviceNodeRows> own_rows_;  // null: they are somebody else's
  DeviceNodeRows* rows_ = nullptr;
  std::size_t most_channels_ = 0;  // that memory is planned for

  std::vector<std::uint32_t> looked_at_;  // features
  std::vector<HistogramFeature> features_;
  std::vector<FeatureGroup> groups_;
  std::size_t shared_bytes_ = 0;
  std::size_t numbers_ = 0;           // of a histogram
  bool judged_here_ = false;          // no cut is judged by the device
  std::size_t planned_channels_ = 0;  // that all features were planned for

  std::vector<std::uint32_t> places_;  // of the nodes' histograms
  std::vector<std::uint32_t> free_;
  std::size_t pool_size_ = 0;
  std::size_t most_places_ = 0;  // that memory has room for, beside a pool that grows to as many
  std::vector<std::size_t> filled_;           // nodes of this batch that are filled,
  std::vector<std::uint32_t> filled_places_;  // here
  std::vector<std::uint32_t> subtracted_;     // pairs of places
  std::vector<Search> searches_;
  std::vector<std::int32_t> told_;  // nodes x channels
  std::vector<bool> is_told_;

  DeviceArray<RowTask> tasks_;
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
