#include "tree/row_partition.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/threads/parallel.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {
namespace {

// Rows to a task; smaller nodes are parted without waking threads.
constexpr std::size_t kBlock = 16384;

// Rows that go left are written from `left` up, the others from `right` up.
template <class Goes>
std::size_t part(std::span<const std::uint32_t> rows, const Goes& goes_left, std::uint32_t* left,
                 std::uint32_t* right) {
  std::uint32_t* const start = left;
  for (const std::uint32_t row : rows) {
    const bool is_left = goes_left(row);
    *left = row;
    *right = row;
    left += is_left ? 1 : 0;
    right += is_left ? 0 : 1;
  }
  return static_cast<std::size_t>(left - start);
}

}  // namespace

void RowPartition::reset(std::size_t rows, const Sample& sample) {
  complete_ = identity_ = sample.all_rows();
  rows_.resize(identity_ ? rows : sample.rows.size());
  // One spare place: part() writes before it knows the side.
  buffer_.resize(rows_.size() + 1);
  if (identity_) {
    std::iota(rows_.begin(), rows_.end(), 0U);
  } else {
    std::copy(sample.rows.begin(), sample.rows.end(), rows_.begin());
  }
}

std::uint32_t RowPartition::split(std::uint32_t begin, std::uint32_t end, const Split& split,
                                  const BinnedDataset& data, int threads) {
  if (identity_) identity_ = false;  // other nodes may be split at the same time
  const std::size_t count = end - begin;
  std::uint32_t* const rows = rows_.data() + begin;
  const SplitPredicate predicate(split, data.bins(split.feature));
  const auto bin = static_cast<std::int32_t>(split.bin);
  const auto missing_bin = static_cast<std::int32_t>(data.bins(split.feature).missing_bin());
  return data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(split.feature);
    const std::optional<FilterPredicate> filter =
        split.filtered ? std::optional<FilterPredicate>(std::in_place, split, *data.images())
                       : std::nullopt;
    const auto goes_left = [&](std::uint32_t row) {
      return filter ? (*filter)(row) : predicate(values[row]);
    };
    // Each block parts its own rows: left ones in place, right ones to the same place of the
    // buffer. Then the blocks' pieces are joined in order.
    const std::size_t blocks = (count + kBlock - 1) / kBlock;
    std::vector<std::size_t> left(blocks);
    parallel_for(count > 2 * kBlock ? threads : 1, blocks, [&](std::size_t b) {
      const std::size_t from = b * kBlock;
      const std::size_t to = std::min(from + kBlock, count);
      std::uint32_t* spill = buffer_.data() + begin + from;
      std::vector<std::uint32_t> right;  // only where a neighbour block follows
      if (blocks > 1) {
        right.resize(to - from + 1);
        spill = right.data();
      }
      left[b] = split.categorical || filter
                    ? part({rows + from, to - from}, goes_left, rows + from, spill)
                    : kernels().part(PartArgs<Bin>{
                          values.data, values.stride, std::min(bin, missing_bin - 1), missing_bin,
                          split.missing_left, rows + from, spill, to - from});
      std::copy(spill, spill + (to - from - left[b]), buffer_.data() + begin + from);
    });
    std::size_t lefts = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      if (lefts != b * kBlock)
        std::copy(rows + b * kBlock, rows + b * kBlock + left[b], rows + lefts);
      lefts += left[b];
    }
    std::size_t place = lefts;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t size = std::min(kBlock, count - b * kBlock) - left[b];
      const std::uint32_t* from = buffer_.data() + begin + b * kBlock;
      std::copy(from, from + size, rows + place);
      place += size;
    }
    return static_cast<std::uint32_t>(begin + lefts);
  });
}

void RowPartition::join(std::uint32_t begin, std::uint32_t middle, std::uint32_t end) {
  std::uint32_t* const rows = rows_.data();
  std::merge(rows + begin, rows + middle, rows + middle, rows + end, buffer_.data() + begin);
  std::copy(buffer_.data() + begin, buffer_.data() + end, rows + begin);
}

}  // namespace simplexboost
