#include "cuda/device_bins.h"

#include <algorithm>

namespace simplexboost {
namespace {

// Words of the set of a split, at most.
std::size_t set_words(const BinnedDataset& data) {
  constexpr std::size_t kBits = 32;
  std::size_t bins = 0;
  for (const FeatureBins& feature : data.all_bins())
    bins = std::max<std::size_t>(bins, feature.histogram_bins());
  return bins / kBits + 1;
}

}  // namespace

DeviceBins::DeviceBins(Device& device, const BinnedDataset& data)
    : device_(device),
      data_(data),
      bytes_(device, "the binned data"),
      nodes_(device, "the nodes of a tree"),
      sets_(device, "sets of categories") {
  if (data.features() == 0 || data.rows() == 0) return;
  data.visit([&]<class Bin>(const Bin*) {
    bytes_.upload(
        {reinterpret_cast<const std::uint8_t*>(data.values<Bin>(0).data), data.dense_bytes()});
  });
}

BinColumn DeviceBins::column(std::size_t feature) const {
  return data_.visit([&]<class Bin>(const Bin*) {
    const auto values = data_.values<Bin>(feature);
    return BinColumn{static_cast<std::uint64_t>(values.data - data_.values<Bin>(0).data),
                     static_cast<std::uint32_t>(values.stride)};
  });
}

DeviceTest device_test(const Split& split, const FeatureBins& bins,
                       std::vector<std::uint32_t>& sets) {
  const auto first = static_cast<std::uint32_t>(sets.size());
  sets.insert(sets.end(), split.left_set.begin(), split.left_set.end());
  return {{split.bin, bins.missing_bin(), split.missing_left, split.categorical, nullptr,
           split.left_set.size()},
          first};
}

std::size_t DeviceBins::walk_memory(const BinnedDataset& data, std::size_t most_leaves) {
  return most_leaves * (2 * sizeof(WalkNode) + set_words(data) * sizeof(std::uint32_t));
}

void DeviceBins::reserve_walk(std::size_t most_leaves) {
  nodes_.resize(2 * most_leaves);
  sets_.resize(most_leaves * set_words(data_));
}

void DeviceBins::walk(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                      std::uint32_t* leaf_of_row) {
  std::vector<WalkNode> nodes;
  std::vector<std::uint32_t> sets;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    WalkNode walked{node.left, node.right, 0, {}, {}, 0};
    if (node.leaf()) {
      walked.leaf = static_cast<std::uint32_t>(leaf_of_node[i]);
    } else {
      const DeviceTest asked = device_test(node.split, data_.bins(node.split.feature), sets);
      walked.column = column(node.split.feature);
      walked.test = asked.test;
      walked.first_word = asked.first_word;
    }
    nodes.push_back(walked);
  }
  nodes_.upload(nodes);
  sets_.upload(sets);
  data_.visit([&]<class Bin>(const Bin*) {
    device_.run(
        WalkTree<Bin>{values<Bin>(), nodes_.data(), sets_.data(), data_.rows(), leaf_of_row},
        blocks_for(data_.rows(), WalkTree<Bin>::kThreads));
  });
}

}  // namespace simplexboost
