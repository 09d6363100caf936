#include "data/binned_dataset.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/device_memory.h"
#include "data/exclusive_features.h"
#include "data/other_rows.h"

namespace simplexboost {
namespace {

// Rows read of one column at a time: small enough for the first cache with its bins.
constexpr std::size_t kRowBlock = 2048;

// Calls use(row, bin) for rows [begin, end) of a feature, unless they are on a device.
template <class Use>
void for_bins(const Dataset& data, const FeatureBins& bins, std::size_t feature, std::size_t begin,
              std::size_t end, const Use& use) {
  if (feature < data.columns.size() && memory_of(data.columns[feature])) return;
  double values[kRowBlock];
  data.columns[bins.statistic() ? bins.column : feature].copy(begin, end, values);
  for (std::size_t i = begin; i < end; ++i) use(i, bins.bin_of(values[i - begin]));
}

// `columns`: of a group, each of one feature or of those that share its bytes.
template <class Bin>
void fill_group(const Dataset& data, const std::vector<FeatureBins>& bins,
                const SharedBytes& shared, std::span<const std::vector<std::uint32_t>> columns,
                std::size_t begin, std::size_t end, Bin* out) {
  const std::size_t width = columns.size();
  for (std::size_t j = 0; j < width; ++j) {
    const std::uint32_t first = columns[j][0];
    if (columns[j].size() == 1) {
      for_bins(data, bins[first], first, begin, end, [&](std::size_t row, std::uint32_t bin) {
        out[row * width + j] = static_cast<Bin>(bin);
      });
      continue;
    }
    for (std::size_t row = begin; row < end; ++row) out[row * width + j] = 0;
    for (const std::uint32_t feature : columns[j]) {
      const auto add = [&](std::size_t row, std::uint32_t bin) {
        assert(bin < bins[feature].histogram_bins());
        Bin& byte = out[row * width + j];
        byte = static_cast<Bin>(byte + shared.addend(feature, bin));
      };
      // Of features that exclude each other a default bin adds nothing.
      if (bins[feature].sparse())
        for_others(data.columns[feature], DefaultTest(bins[feature]), begin, end,
                   [&](std::size_t row, double value) { add(row, bins[feature].bin_of(value)); });
      else
        for_bins(data, bins[feature], feature, begin, end, add);
    }
  }
}

}  // namespace

BinnedDataset::BinnedDataset(const Dataset& data, std::vector<FeatureBins> bins, int threads,
                             const StoreChoice& store, ByteUse use)
    : rows_(data.rows), bins_(std::move(bins)), slots_(bins_.size()) {
  assert(bins_.size() >= data.columns.size());
  std::vector<std::uint32_t> dense;
  std::vector<std::uint32_t> sparse;
  for (std::uint32_t f = 0; f < bins_.size(); ++f)
    (bins_[f].sparse() ? sparse : dense).push_back(f);
  wide_ = std::any_of(bins_.begin(), bins_.end(),
                      [](const FeatureBins& b) { return b.missing_bin() > 255; });
  if (use != ByteUse::kOneFeature && !wide_) share_bytes(data, use, dense, sparse);
  for (std::uint32_t i = 0; i < sparse.size(); ++i) slots_[sparse[i]] = i;
  const std::vector<std::vector<std::uint32_t>> columns = plan_columns(dense);
  dense_ = columns.size();
  if (store.folder.empty()) require_memory("bins", rows_, dense_, wide_ ? 2 : 1);
  store_ = ByteStore(rows_ * dense_ * (wide_ ? 2 : 1), store);
  const std::size_t groups = (dense_ + kGroup - 1) / kGroup;
  const std::size_t row_blocks = (rows_ + kRowBlock - 1) / kRowBlock;
  visit([&]<class Bin>(const Bin*) {
    auto* base = reinterpret_cast<Bin*>(store_.data());
    parallel_for(threads, groups * row_blocks, [&](std::size_t task) {
      const std::size_t group = task / row_blocks;
      const std::size_t begin = task % row_blocks * kRowBlock;
      fill_group(data, bins_, shared_,
                 std::span(columns).subspan(group * kGroup, group_width(group)), begin,
                 std::min(begin + kRowBlock, rows_), base + group * kGroup * rows_);
    });
  });
  for (std::size_t f = 0; f < data.columns.size(); ++f)
    if (const DeviceMemory* const memory = memory_of(data.columns[f]))
      set_bins(f,
               memory->bins(data.columns[f], rows_, bins_[f].thresholds, bins_[f].missing_bin()));
  sparse_ = SparseBins(data, bins_, sparse, store, threads);
}

void BinnedDataset::share_bytes(const Dataset& data, ByteUse use,
                                const std::vector<std::uint32_t>& dense,
                                std::vector<std::uint32_t>& sparse) {
  // Numbers of a device get their bins there, column by column.
  if (std::any_of(data.columns.begin(), data.columns.end(),
                  [](const Column& column) { return memory_of(column) != nullptr; }))
    return;
  std::vector<std::vector<std::uint32_t>> exclusive;
  if (use == ByteUse::kShared) exclusive = find_exclusive(data, bins_, sparse);
  shared_ = SharedBytes(bins_, dense, exclusive);
  std::erase_if(sparse, [&](std::uint32_t feature) { return shares_byte(feature); });
}

// Those that stand alone come first.
std::vector<std::vector<std::uint32_t>> BinnedDataset::plan_columns(
    const std::vector<std::uint32_t>& dense) {
  std::vector<std::vector<std::uint32_t>> columns;
  for (const std::uint32_t feature : dense)
    if (!shares_byte(feature)) columns.push_back({feature});
  for (const SharedBytes::Byte& byte : shared_.bytes()) columns.push_back(byte.features);
  for (std::uint32_t column = 0; column < columns.size(); ++column)
    for (const std::uint32_t feature : columns[column]) slots_[feature] = column;
  return columns;
}

BinnedDataset::BinnedDataset(const BinnedDataset& share, Communicator& ranks)
    : rows_(0),
      bins_(share.bins_),
      slots_(share.slots_),
      dense_(share.dense_),
      wide_(share.wide_),
      shared_(share.shared_),
      sparse_(share.sparse_, ranks) {
  auto rows = static_cast<std::int64_t>(share.rows_);
  ranks.sum({&rows, 1});
  rows_ = static_cast<std::size_t>(rows);
  const std::size_t size = wide_ ? 2 : 1;
  if (share.store().folder.empty()) require_memory("bins of all rows", rows_, dense_, size);
  store_ = ByteStore(rows_ * dense_ * size, share.store());
  for (std::size_t first = 0; first < dense_; first += kGroup) {
    const std::size_t width = group_width(first / kGroup) * size;
    const std::span<const std::uint8_t> mine(share.store_.data() + first * share.rows_ * size,
                                             share.rows_ * width);
    const std::vector<std::uint8_t> all = gather_values(ranks, mine);
    std::copy(all.begin(), all.end(), store_.data() + first * rows_ * size);
  }
}

void BinnedDataset::set_bins(std::size_t feature, std::span<const std::uint16_t> of_rows) {
  assert(of_rows.size() == rows_ && !sparse(feature) && !shares_byte(feature));
  visit([&]<class Bin>(const Bin*) {
    const std::size_t group = slots_[feature] / kGroup;
    auto* const first =
        reinterpret_cast<Bin*>(store_.data()) + group * kGroup * rows_ + slots_[feature] % kGroup;
    for (std::size_t i = 0; i < rows_; ++i)
      first[i * group_width(group)] = static_cast<Bin>(of_rows[i]);
  });
}

}  // namespace simplexboost
