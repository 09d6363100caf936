#include "tree/node_rows.h"

#include <algorithm>
#include <type_traits>

#include "base/threads/block_sums.h"
#include "base/threads/thread_scratch.h"

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
  const auto of_block = [&](std::size_t begin, std::size_t end, std::int32_t* sums) {
    growth_->stats.sum_rows(rows.subspan(begin, end - begin), sums);
  };
  std::fill_n(out, channels, 0);
  add_blocks(block_sums<std::int32_t>(threads, rows.size(), kBlock, channels, of_block), channels,
             out);
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
  if (block.sparse) {
    const SparseBins& sparse = data.sparse_bins();
    const SparseBins::Group& group = sparse.groups()[block.group];
    return sparse.visit([&]<class Entry>(const Entry*) {
      use(SparseFillArgs<Entry>{
          sparse.entries<Entry>(group), group.starts.data() + skipped,
          block.bin_of_position.empty() ? nullptr : block.bin_of_position.data(),
          growth_->stats.data() + skipped * channels, channels, list, some.end - some.begin,
          histogram});
    });
  }
  data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(block.features[0]);
    const bool packed = block.shared || block.columns.back() + 1 != block.width();
    use(FillArgs<Bin>{values.data + skipped * values.stride, values.stride, block.width(),
                      block.offsets.data(), growth_->stats.data() + skipped * channels, channels,
                      list, some.end - some.begin, histogram,
                      packed ? block.columns.data() : nullptr,
                      block.shared ? block.digits.data() : nullptr});
  });
}

// Whether rows are so many that it takes less time to fill the histograms of the bytes, and to add
// up the bins of features from them, than to fill those of features.
bool NodeRows::by_bytes(const FeatureBlock& block, std::size_t rows) {
  constexpr std::size_t kTimes = 2;  // that of an addition for a row
  if (!block.shared || block.exclusive) return block.shared;
  return rows * (block.width() - block.byte_columns.size()) > kTimes * block.code_additions;
}

void NodeRows::fill_bytes(const FeatureBlock& block, std::size_t node, const RowRange& some,
                          std::int32_t* histogram) const {
  const std::size_t channels = growth_->tree.channels;
  auto& codes = thread_scratch<struct CodeSums, AlignedVector<std::int32_t>>();
  codes.assign((block.codes + block.byte_columns.size()) * channels, 0);  // and sums of bytes
  with_rows(block, node, some, codes.data(), [&](const auto& args) {
    auto of_bytes = args;
    if constexpr (std::is_same_v<decltype(of_bytes), FillArgs<std::uint8_t>>) {
      const bool neighbours = block.byte_columns.back() + 1 == block.byte_columns.size();
      of_bytes.width = block.byte_columns.size();
      of_bytes.offsets = block.code_offsets.data();
      of_bytes.columns = neighbours ? nullptr : block.byte_columns.data();
      of_bytes.digits = nullptr;
      kernels().fill(of_bytes);
    }
  });
  for (std::size_t b = 0; block.exclusive && b < block.byte_columns.size(); ++b) {
    const std::size_t end =
        b + 1 < block.code_offsets.size() ? block.code_offsets[b + 1] : block.codes;
    kernels().add_bins(codes.data() + block.code_offsets[b] * channels, end - block.code_offsets[b],
                       channels, codes.data() + (block.codes + b) * channels);
  }
  for (std::size_t f = 0; f < block.width(); ++f)
    add_codes(block, f, codes.data(), histogram + block.offsets[f] * channels);
}

// To the histogram of a feature, what was added to the numbers of its byte.
void NodeRows::add_codes(const FeatureBlock& block, std::size_t f, const std::int32_t* codes,
                         std::int32_t* histogram) const {
  const std::size_t channels = growth_->tree.channels;
  const SharedBytes& shared = growth_->data.shared_bytes();
  const std::size_t code_count = shared.bytes()[shared.byte_of(block.features[f])].codes;
  const std::int32_t* const from = codes + block.code_offsets[block.byte_of[f]] * channels;
  const std::uint8_t* const digits = block.digits[f];
  const auto add = [&](std::size_t code) {
    if (from[code * channels + kCountChannel] != 0)
      kernels().add_integers(from + code * channels, channels, histogram + digits[code] * channels);
  };
  if (!block.exclusive) {
    for (std::size_t code = 0; code < code_count; ++code) add(code);
    return;
  }
  // All numbers but a few are those of the default bin.
  const FeatureBins& bins = growth_->data.bins(block.features[f]);
  const std::size_t first = shared.addend(block.features[f], bins.default_bin == 0 ? 1 : 0);
  std::int32_t* const rest = histogram + bins.default_bin * channels;
  kernels().add_integers(codes + (block.codes + block.byte_of[f]) * channels, channels, rest);
  for (std::size_t code = first; code < first + bins.histogram_bins() - 1; ++code) {
    add(code);
    kernels().subtract(rest, rest, from + code * channels, channels);
  }
}

void NodeRows::fill(const FeatureBlock& block, std::size_t node, const RowRange& some,
                    std::int32_t* histogram) const {
  if (by_bytes(block, some.end - some.begin)) return fill_bytes(block, node, some, histogram);
  with_rows(block, node, some, histogram, [](const auto& args) { kernels().fill(args); });
}

std::size_t NodeRows::additions(const FeatureBlock& block, std::size_t rows) const {
  if (block.exclusive) return rows * block.byte_columns.size();
  if (!block.sparse) return rows * block.width();
  const BinnedDataset& data = growth_->data;
  const std::size_t entries = data.sparse_bins().groups()[block.group].starts.back();
  return rows * entries / std::max<std::size_t>(data.rows(), 1);
}

void NodeRows::complete(const FeatureBlock& block, std::size_t f, const std::int32_t* total,
                        std::int32_t* histogram) const {
  if (!block.sparse) return;
  const std::size_t channels = growth_->tree.channels;
  const FeatureBins& bins = growth_->data.bins(block.features[f]);
  std::int32_t* const rest = histogram + bins.default_bin * channels;
  std::copy_n(total, channels, rest);
  for (std::uint32_t bin = 0; bin < bins.histogram_bins(); ++bin) {
    const std::int32_t* const other = histogram + bin * channels;
    if (bin != bins.default_bin && other[kCountChannel] != 0)
      kernels().subtract(rest, rest, other, channels);
  }
}

bool NodeRows::few_touched(const FeatureBlock& block, std::size_t node) const {
  return block.sparse && additions(block, count(node)) < block.width() / 2;
}

void NodeRows::touched(const FeatureBlock& block, std::size_t node,
                       std::vector<std::uint32_t>& features) const {
  features.clear();
  const SparseBins& sparse = growth_->data.sparse_bins();
  const SparseBins::Group& group = sparse.groups()[block.group];
  sparse.visit([&]<class Entry>(const Entry*) {
    const auto* const entries = sparse.entries<Entry>(group);
    for (const std::uint32_t row : growth_->tree.rows(at(node)))
      for (std::uint32_t e = group.starts[row]; e < group.starts[row + std::size_t{1}]; ++e) {
        const std::uint32_t bin =
            block.bin_of_position.empty() ? entries[e] : block.bin_of_position[entries[e]];
        if (bin == kNoPlace) continue;
        const auto next = std::upper_bound(block.offsets.begin(), block.offsets.end(), bin);
        features.push_back(static_cast<std::uint32_t>(next - block.offsets.begin() - 1));
      }
  });
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

void NodeRows::clear(const FeatureBlock& block, std::size_t node, std::int32_t* histogram) const {
  const std::size_t rows = count(node);
  constexpr std::size_t kBinsForARow = 4;  // which take as long, one after the other
  if (!block.exclusive && additions(block, rows) * kBinsForARow < block.bins) {
    with_rows(block, node, {0, rows}, histogram, [](const auto& args) { kernels().clear(args); });
  } else {
    std::fill(histogram, histogram + block.bins * growth_->tree.channels, 0);
  }
}

}  // namespace simplexboost
