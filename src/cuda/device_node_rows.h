// The rows of the nodes of a tree that grows on a device. They are there, beside their bins and
// statistics (ResidentRows); or, where these have no room, here, and those of a node pass through
// the device block by block whenever its histogram is filled (PassingRows). Sums are of integers,
// so both give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "cuda/device.h"
#include "cuda/device_bins.h"
#include "tree/growth.h"
#include "tree/histogram/histogram_source.h"

namespace simplexboost {

class DeviceNodeRows {
 public:
  // Rows that are on the device until the next ones come, and ranges of them.
  struct Part {
    const void* bins;
    const std::uint32_t* rows;  // their numbers in bins and statistics
    const std::int32_t* stats;
    std::vector<RowTask> ranges;
  };
  using Use = std::function<void(const Part&)>;

  virtual ~DeviceNodeRows() = default;

  // A new tree: takes the rows of its root and returns how many there are.
  virtual std::uint32_t start(const Growth& growth) = 0;
  virtual void sum_root(std::span<std::int32_t> sums) = 0;
  // Parts the rows of nodes by their splits; returns how many of each go left, and sets the sums of
  // these, cuts x channels, where `sums` is not empty, of those that are marked.
  virtual std::vector<std::uint32_t> part(std::span<const NodeCut> cuts,
                                          const std::vector<bool>& summed,
                                          std::span<std::int32_t> sums) = 0;
  // Brings the rows of ranges, all of them or some at a time.
  virtual void for_parts(std::span<const RowTask> ranges, const Use& use) = 0;
  // Where the bins of a feature are in Part::bins.
  virtual BinColumn column(std::size_t feature) const = 0;
  virtual void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                             std::uint32_t* leaf_of_row) = 0;
};

class ResidentRows final : public DeviceNodeRows {
 public:
  // Both must outlive it.
  ResidentRows(Device& device, const BinnedDataset& data, const RowSpace& space);

  // Bytes that it takes, beside statistics that it is not given and what depends on how many nodes
  // are cut at a time.
  static std::size_t memory(const BinnedDataset& data);

  // Takes the memory for assign_leaves_there() of trees of so many leaves now.
  void reserve_leaves(std::size_t most);
  // The statistics of rows that the device has (RowStats::elsewhere), for the trees to come.
  void set_stats(const std::int32_t* stats) { given_stats_ = stats; }
  // The leaf of each row, on the device; and those that it was grown on as tasks: of each leaf
  // some.
  void assign_leaves_there(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                           std::uint32_t* leaf_of_row);
  const std::uint32_t* rows() const { return rows_.data(); }
  const DeviceArray<RowTask>& leaf_tasks() const { return leaf_tasks_; }

  std::uint32_t start(const Growth& growth) override;
  void sum_root(std::span<std::int32_t> sums) override;
  std::vector<std::uint32_t> part(std::span<const NodeCut> cuts, const std::vector<bool>& summed,
                                  std::span<std::int32_t> sums) override;
  void for_parts(std::span<const RowTask> ranges, const Use& use) override;
  BinColumn column(std::size_t feature) const override { return bins_.column(feature); }
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) override;

 private:
  std::size_t channels() const { return growth_->tree.channels; }
  const GrownNode& node_of(const NodeCut& cut) const {
    return growth_->tree.nodes[static_cast<std::size_t>(cut.node)];
  }
  std::vector<RowTask> tasks_of(std::span<const NodeCut> cuts,
                                const std::vector<bool>* marked) const;
  void upload_cuts(std::span<const NodeCut> cuts);
  void count_parted(std::span<const RowTask> tasks) const;

  Device& device_;
  const BinnedDataset& data_;
  int threads_;
  DeviceBins bins_;
  const Growth* growth_ = nullptr;
  const std::int32_t* given_stats_ = nullptr;
  const std::int32_t* stats_ = nullptr;
  std::size_t count_ = 0;   // of rows
  RowPartition partition_;  // for those who look at leaves here

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
};

class PassingRows final : public DeviceNodeRows {
 public:
  // At most so many rows are on the device at a time. The others must outlive it.
  PassingRows(Device& device, const BinnedDataset& data, const RowSpace& space,
              std::size_t channels, std::size_t block);

  // Bytes that a row of a block takes.
  static std::size_t row_bytes(const BinnedDataset& data, std::size_t channels);

  std::uint32_t start(const Growth& growth) override;
  void sum_root(std::span<std::int32_t> sums) override;
  std::vector<std::uint32_t> part(std::span<const NodeCut> cuts, const std::vector<bool>& summed,
                                  std::span<std::int32_t> sums) override;
  void for_parts(std::span<const RowTask> ranges, const Use& use) override;
  BinColumn column(std::size_t feature) const override;
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) override;

 private:
  void bring(std::span<const std::uint32_t> rows);

  Device& device_;
  const BinnedDataset& data_;
  int threads_;
  std::size_t block_;
  const Growth* growth_ = nullptr;
  RowPartition partition_;
  std::vector<std::uint32_t> chosen_;  // rows of a block,
  std::vector<std::uint8_t> bins_here_;
  std::vector<std::int32_t> stats_here_;
  DeviceArray<std::uint8_t> bins_;
  DeviceArray<std::int32_t> stats_;
  DeviceArray<std::uint32_t> numbers_;  // 0, 1, 2, ...
};

// Appends the rows [begin, end) in pieces of at most `rows`.
void add_tasks(const RowTask& range, std::uint32_t rows, std::vector<RowTask>& tasks);

}  // namespace simplexboost
