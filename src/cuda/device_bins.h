// The bins of a data set in the memory of a device, where they are brought once.
#pragma once

#include <vector>

#include "cuda/device.h"
#include "cuda/kernels/partition_kernels.h"
#include "data/binned_dataset.h"
#include "tree/grown_tree.h"

namespace simplexboost {

class DeviceBins {
 public:
  // Both must outlive it.
  DeviceBins(Device& device, const BinnedDataset& data);

  const BinnedDataset& data() const { return data_; }
  BinColumn column(std::size_t feature) const;
  template <class Bin>
  const Bin* values() const {
    return reinterpret_cast<const Bin*>(bytes_.data());
  }

  // Bytes that walk() takes of trees of so many leaves, at most; and takes them now.
  static std::size_t walk_memory(const BinnedDataset& data, std::size_t most_leaves);
  void reserve_walk(std::size_t most_leaves);
  // The leaf of each row by a tree whose nodes have these.
  void walk(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
            std::uint32_t* leaf_of_row);

 private:
  Device& device_;
  const BinnedDataset& data_;
  DeviceArray<std::uint8_t> bytes_;
  DeviceArray<WalkNode> nodes_;
  DeviceArray<std::uint32_t> sets_;
};

// What a split asks of a bin, its set at the end of `sets`.
struct DeviceTest {
  BinTest test;
  std::uint32_t first_word;
};
DeviceTest device_test(const Split& split, const FeatureBins& bins,
                       std::vector<std::uint32_t>& sets);

}  // namespace simplexboost
