#include "tree/node_rows.h"

#include <algorithm>

namespace simplexboost {

void NodeRows::start(const Growth& growth) {
  growth_ = &growth;
  partition_.reset(growth.data.rows(), growth.sample);
  growth.tree.partition = &partition_;
  growth.tree.nodes[0].end = static_cast<std::uint32_t>(partition_.size());
}

void NodeRows::part(std::int32_t node, std::int32_t left, int threads) {
  part_node(growth_->tree, partition_, node, left, growth_->data, threads);
}

void NodeRows::join(std::size_t node) {
  GrownTree& tree = growth_->tree;
  const GrownNode& joined = tree.nodes[node];
  partition_.join(joined.begin, tree.nodes[static_cast<std::size_t>(joined.left)].end, joined.end);
}

void NodeRows::sum(std::size_t node, std::int32_t* out) const {
  growth_->stats.sum_rows(growth_->tree.rows(growth_->tree.nodes[node]), out);
}

// Calls use(args) with what the kernels need to walk a node's rows in a block.
template <class Use>
void NodeRows::with_rows(const FeatureBlock& block, std::size_t node, std::int32_t* histogram,
                         const Use& use) const {
  const BinnedDataset& data = growth_->data;
  const std::span<const std::uint32_t> rows = growth_->tree.rows(growth_->tree.nodes[node]);
  data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(block.features[0]);
    const bool packed = block.columns.back() + 1 != block.width();
    use(FillArgs<Bin>{values.data, values.stride, block.width(), block.offsets.data(),
                      growth_->stats.data(), growth_->tree.channels,
                      partition_.identity() ? nullptr : rows.data(), rows.size(), histogram,
                      packed ? block.columns.data() : nullptr});
  });
}

void NodeRows::fill(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const {
  with_rows(block, node, histogram, [](const auto& args) { kernels().fill(args); });
}

void NodeRows::clear(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const {
  const std::size_t rows = growth_->tree.rows(growth_->tree.nodes[node]).size();
  if (rows * block.width() < block.bins) {
    with_rows(block, node, histogram, [](const auto& args) { kernels().clear(args); });
  } else {
    std::fill(histogram, histogram + block.bins * growth_->tree.channels, 0);
  }
}

}  // namespace simplexboost
