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
void fill_group(const Dataset& data, const std::vector<FeatureBins>& bins, std::size_t group,
                std::size_t width, std::size_t begin, std::size_t end, Bin* out) {
  double values[kRowBlock];
  for (std::size_t j = 0; j < width; ++j) {
    const std::size_t feature = group * BinnedDataset::kGroup + j;
    const FeatureBins& feature_bins = bins[feature];
    if (feature < data.columns.size() && memory_of(data.columns[feature])) continue;
    data.columns[feature_bins.statistic() ? feature_bins.column : feature].copy(begin, end, values);
    for (std::size_t i = begin; i < end; ++i)
      out[i * width + j] = static_cast<Bin>(feature_bins.bin_of(values[i - begin]));
  }
}

}  // namespace

BinnedDataset::BinnedDataset(const Dataset& data, std::vector<FeatureBins> bins, int threads)
    : rows_(data.rows), bins_(std::move(bins)) {
  assert(bins_.size() >= data.columns.size());
  wide_ = std::any_of(bins_.begin(), bins_.end(),
                      [](const FeatureBins& b) { return b.missing_bin() > 255; });
  require_memory("bins", rows_, features(), wide_ ? 2 : 1);
  storage_.resize(rows_ * features() * (wide_ ? 2 : 1) + kPadding);
  const std::size_t groups = (features() + kGroup - 1) / kGroup;
  const std::size_t row_blocks = (rows_ + kRowBlock - 1) / kRowBlock;
  visit([&]<class Bin>(const Bin*) {
    auto* base = reinterpret_cast<Bin*>(storage_.data());
    parallel_for(threads, groups * row_blocks, [&](std::size_t task) {
      const std::size_t group = task / row_blocks;
      const std::size_t begin = task % row_blocks * kRowBlock;
      fill_group(data, bins_, group, group_width(group), begin, std::min(begin + kRowBlock, rows_),
                 base + group * kGroup * rows_);
    });
  });
  // Numbers of a device get their bins there.
  for (std::size_t f = 0; f < data.columns.size(); ++f)
    if (const DeviceMemory* const memory = memory_of(data.columns[f]))
      set_bins(f,
               memory->bins(data.columns[f], rows_, bins_[f].thresholds, bins_[f].missing_bin()));
}

BinnedDataset::BinnedDataset(const BinnedDataset& share, Communicator& ranks)
    : rows_(0), bins_(share.bins_), wide_(share.wide_) {
  auto rows = static_cast<std::int64_t>(share.rows_);
  ranks.sum({&rows, 1});
  rows_ = static_cast<std::size_t>(rows);
  const std::size_t size = wide_ ? 2 : 1;
  require_memory("bins of all rows", rows_, features(), size);
  storage_.resize(rows_ * features() * size + kPadding);
  for (std::size_t first = 0; first < features(); first += kGroup) {
    const std::size_t width = group_width(first / kGroup) * size;
    const std::span<const std::uint8_t> mine(share.storage_.data() + first * share.rows_ * size,
                                             share.rows_ * width);
    const std::vector<std::uint8_t> all = gather_values(ranks, mine);
    std::copy(all.begin(), all.end(),
              storage_.begin() + static_cast<std::ptrdiff_t>(first * rows_ * size));
  }
}

void BinnedDataset::set_bins(std::size_t feature, std::span<const std::uint16_t> of_rows) {
  assert(of_rows.size() == rows_);
  visit([&]<class Bin>(const Bin*) {
    const std::size_t group = feature / kGroup;
    auto* const first =
        reinterpret_cast<Bin*>(storage_.data()) + group * kGroup * rows_ + feature % kGroup;
    for (std::size_t i = 0; i < rows_; ++i)
      first[i * group_width(group)] = static_cast<Bin>(of_rows[i]);
  });
}

}  // namespace simplexboost
