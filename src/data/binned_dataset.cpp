#include "data/binned_dataset.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/device_memory.h"

namespace simplexboost {
namespace {

// Rows read of one column at a time: small enough for the first cache with its bins.
constexpr std::size_t kRowBlock = 2048;

template <class Bin>
void fill_group(const Dataset& data, const std::vector<FeatureBins>& bins,
                std::span<const std::uint32_t> features, std::size_t begin, std::size_t end,
                Bin* out) {
  double values[kRowBlock];
  const std::size_t width = features.size();
  for (std::size_t j = 0; j < width; ++j) {
    const std::size_t feature = features[j];
    const FeatureBins& feature_bins = bins[feature];
    if (feature < data.columns.size() && memory_of(data.columns[feature])) continue;
    data.columns[feature_bins.statistic() ? feature_bins.column : feature].copy(begin, end, values);
    for (std::size_t i = begin; i < end; ++i)
      out[i * width + j] = static_cast<Bin>(feature_bins.bin_of(values[i - begin]));
  }
}

}  // namespace

BinnedDataset::BinnedDataset(const Dataset& data, std::vector<FeatureBins> bins, int threads,
                             const StoreChoice& store)
    : rows_(data.rows), bins_(std::move(bins)), slots_(bins_.size()) {
  assert(bins_.size() >= data.columns.size());
  std::vector<std::uint32_t> dense;
  std::vector<std::uint32_t> sparse;
  for (std::uint32_t f = 0; f < bins_.size(); ++f) {
    std::vector<std::uint32_t>& kind = bins_[f].sparse() ? sparse : dense;
    slots_[f] = static_cast<std::uint32_t>(kind.size());
    kind.push_back(f);
  }
  dense_ = dense.size();
  wide_ = std::any_of(bins_.begin(), bins_.end(),
                      [](const FeatureBins& b) { return b.missing_bin() > 255; });
  if (store.folder.empty()) require_memory("bins", rows_, dense_, wide_ ? 2 : 1);
  store_ = ByteStore(rows_ * dense_ * (wide_ ? 2 : 1), store);
  const std::size_t groups = (dense_ + kGroup - 1) / kGroup;
  const std::size_t row_blocks = (rows_ + kRowBlock - 1) / kRowBlock;
  visit([&]<class Bin>(const Bin*) {
    auto* base = reinterpret_cast<Bin*>(store_.data());
    parallel_for(threads, groups * row_blocks, [&](std::size_t task) {
      const std::size_t group = task / row_blocks;
      const std::size_t begin = task % row_blocks * kRowBlock;
      fill_group(data, bins_, std::span(dense).subspan(group * kGroup, group_width(group)), begin,
                 std::min(begin + kRowBlock, rows_), base + group * kGroup * rows_);
    });
  });
  // Numbers of a device get their bins there.
  for (std::size_t f = 0; f < data.columns.size(); ++f)
    if (const DeviceMemory* const memory = memory_of(data.columns[f]))
      set_bins(f,
               memory->bins(data.columns[f], rows_, bins_[f].thresholds, bins_[f].missing_bin()));
  sparse_ = SparseBins(data, bins_, sparse, store, threads);
}

BinnedDataset::BinnedDataset(const BinnedDataset& share, Communicator& ranks)
    : rows_(0),
      bins_(share.bins_),
      slots_(share.slots_),
      dense_(share.dense_),
      wide_(share.wide_),
      sparse_(share.sparse_, ranks) {
  auto rows = static_cast<std::int64_t>(share.rows_);
  ranks.sum({&rows, 1});
  rows_ = static_cast<std::size_t>(rows);
  const std::size_t size = wide_ ? 2 : 1;
  require_memory("bins of all rows", rows_, dense_, size);
  store_ = ByteStore(rows_ * dense_ * size, {});
  for (std::size_t first = 0; first < dense_; first += kGroup) {
    const std::size_t width = group_width(first / kGroup) * size;
    const std::span<const std::uint8_t> mine(share.store_.data() + first * share.rows_ * size,
                                             share.rows_ * width);
    const std::vector<std::uint8_t> all = gather_values(ranks, mine);
    std::copy(all.begin(), all.end(), store_.data() + first * rows_ * size);
  }
}

void BinnedDataset::set_bins(std::size_t feature, std::span<const std::uint16_t> of_rows) {
  assert(of_rows.size() == rows_ && !sparse(feature));
  visit([&]<class Bin>(const Bin*) {
    const std::size_t group = slots_[feature] / kGroup;
    auto* const first =
        reinterpret_cast<Bin*>(store_.data()) + group * kGroup * rows_ + slots_[feature] % kGroup;
    for (std::size_t i = 0; i < rows_; ++i)
      first[i * group_width(group)] = static_cast<Bin>(of_rows[i]);
  });
}

}  // namespace simplexboost
