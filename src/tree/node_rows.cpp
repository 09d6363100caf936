#include "tree/node_rows.h"

#include <algorithm>

#include "base/threads/parallel.h"

namespace simplexboost {

void NodeRows::start(const Growth& growth, int threads) {
  growth_ = &growth;
  partition_.reset(growth.data.rows(), growth.sample, threads);
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

void NodeRows::sum(std::size_t node, int threads, std::int32_t* out) const {
  constexpr std::size_t kBlock = 8192;
  const std::size_t channels = growth_->tree.channels;
  const std::span<const std::uint32_t> rows = growth_->tree.rows(at(node));
  if (threads <= 1 || rows.size() < 2 * kBlock) return growth_->stats.sum_rows(rows, out);
  AlignedVector<std::int32_t> sums((rows.size() + kBlock - 1) / kBlock * channels);
  parallel_blocks(threads, rows.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    growth_->stats.sum_rows(rows.subspan(begin, end - begin),
                            sums.data() + begin / kBlock * channels);
  });
  std::fill_n(out, channels, 0);
  for (std::size_t i = 0; i < sums.size(); i += channels)
    kernels().add_integers(sums.data() + i, channels, out);
}

// Calls use(args) with what the kernels need to walk some of a node's rows in a block.
template <class Use>
void NodeRows::with_rows(const FeatureBlock& block, std::size_t node, const RowRange& some,
                         std::int32_t* histogram, const Use& use) const {
  const BinnedDataset& data = growth_->data;
  const std::size_t channels = growth_->tree.channels;
  // Rows that follow each other need no list.
  const std::size_t skipped = partition_.identity() ? some.begin : 0;
  const std::uint32_t* const list =
      partition_.identity() ? nullptr : growth_->tree.rows(at(node)).data() + some.begin;
  data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(block.features[0]);
    const bool packed = block.columns.back() + 1 != block.width();
    use(FillArgs<Bin>{values.data + skipped * values.stride, values.stride, block.width(),
                      block.offsets.data(), growth_->stats.data() + skipped * channels, channels,
                      list, some.end - some.begin, histogram,
                      packed ? block.columns.data() : nullptr});
  });
}

void NodeRows::fill(const FeatureBlock& block, std::size_t node, const RowRange& some,
                    std::int32_t* histogram) const {
  with_rows(block, node, some, histogram, [](const auto& args) { kernels().fill(args); });
}

void NodeRows::clear(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const {
  const std::size_t rows = count(node);
  constexpr std::size_t kBinsForARow = 4;  // which take as long, one after the other
  if (rows * block.width() * kBinsForARow < block.bins) {
    with_rows(block, node, {0, rows}, histogram, [](const auto& args) { kernels().clear(args); });
  } else {
    std::fill(histogram, histogram + block.bins * growth_->tree.channels, 0);
  }
}

}  // namespace simplexboost
