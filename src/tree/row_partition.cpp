#include "tree/row_partition.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/threads/parallel.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {
namespace {

// Rows to a task, at least and at most; smaller nodes are parted without waking threads.
constexpr std::size_t kLeastRows = 4096;
constexpr std::size_t kMostRows = 16384;
constexpr std::size_t kTasksOfAThread = 2;

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

void RowPartition::reset(std::size_t rows, const Sample& sample, int threads) {
  complete_ = identity_ = sample.all_rows();
  rows_.resize(identity_ ? rows : sample.rows.size());
  buffer_.resize(rows_.size());
  parallel_blocks(rows_.size() > 2 * kMostRows ? threads : 1, rows_.size(), kMostRows,
                  [&](std::size_t begin, std::size_t end) {
                    std::uint32_t* const to = rows_.data() + begin;
                    if (identity_) {
                      std::iota(to, rows_.data() + end, static_cast<std::uint32_t>(begin));
                    } else {
                      std::copy_n(sample.rows.data() + begin, end - begin, to);
                    }
                  });
}

void RowPartition::set_order(std::span<const std::uint32_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  identity_ = false;
}

// part_block(rows, right, count) parts some rows: left ones in place, the others to `right`, and
// returns how many are left. Blocks do so at the same time, and gather both in the buffer; then
// each copies its own to where they belong.
template <class PartBlock>
std::size_t RowPartition::split_blocks(std::uint32_t* rows, std::uint32_t* buffer,
                                       std::size_t count, int threads,
                                       const PartBlock& part_block) {
  const std::size_t tasks = kTasksOfAThread * static_cast<std::size_t>(threads);
  const std::size_t size = std::clamp((count + tasks - 1) / tasks, kLeastRows, kMostRows);
  const std::size_t blocks = (count + size - 1) / size;
  std::vector<std::size_t> lefts(blocks + 1);  // before each block
  parallel_blocks(threads, count, size, [&](std::size_t begin, std::size_t end) {
    const std::size_t left = part_block(rows + begin, buffer + begin, end - begin);
    std::copy_n(rows + begin, left, buffer + end - left);
    lefts[begin / size + 1] = left;
  });
  std::partial_sum(lefts.begin(), lefts.end(), lefts.begin());
  parallel_blocks(threads, count, size, [&](std::size_t begin, std::size_t end) {
    const std::size_t before = lefts[begin / size];
    const std::size_t left = lefts[begin / size + 1] - before;
    std::copy_n(buffer + end - left, left, rows + before);
    std::copy_n(buffer + begin, end - begin - left, rows + lefts[blocks] + (begin - before));
  });
  return lefts[blocks];
}

std::uint32_t RowPartition::split(std::uint32_t begin, std::uint32_t end, const Split& split,
                                  const BinnedDataset& data, int threads) {
  if (identity_) identity_ = false;  // other nodes may be split at the same time
  const std::size_t count = end - begin;
  std::uint32_t* const rows = rows_.data() + begin;
  std::uint32_t* const buffer = buffer_.data() + begin;
  const SplitPredicate predicate(split, data.bins(split.feature));
  const auto finish = [&](const auto& part_block) {
    std::size_t lefts = 0;
    if (threads > 1 && count > 2 * kLeastRows) {
      lefts = split_blocks(rows, buffer, count, threads, part_block);
    } else {
      lefts = part_block(rows, buffer, count);
      std::copy_n(buffer, count - lefts, rows + lefts);
    }
    return static_cast<std::uint32_t>(begin + lefts);
  };
  const auto part_by = [&](const auto& goes_left) {
    return finish([&](std::uint32_t* some, std::uint32_t* right, std::size_t size) {
      return part({some, size}, goes_left, some, right);
    });
  };
  if (split.filtered) return part_by(FilterPredicate(split, *data.images()));
  if (data.shares_byte(split.feature)) {
    const auto bytes = data.values<std::uint8_t>(split.feature);
    const std::uint8_t* const digits = data.shared_bytes().digits(split.feature);
    std::array<std::uint32_t, kByteSetWords> left{};
    for (std::uint32_t byte = 0; byte < SharedBytes::kCodes; ++byte)
      left[byte / 32] |= (predicate(digits[byte]) ? 1U : 0U) << byte % 32;
    return finish([&](std::uint32_t* some, std::uint32_t* right, std::size_t size) {
      return kernels().part(PartArgs<std::uint8_t>{bytes.data, bytes.stride, 0, 0, false, some,
                                                   right, size, left.data()});
    });
  }
  if (split.categorical || data.sparse(split.feature))
    return data.visit_values(split.feature, [&](const auto& values) {
      return part_by([&](std::uint32_t row) { return predicate(values[row]); });
    });
  const auto bin = static_cast<std::int32_t>(split.bin);
  const auto missing_bin = static_cast<std::int32_t>(data.bins(split.feature).missing_bin());
  return data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(split.feature);
    return finish([&](std::uint32_t* some, std::uint32_t* right, std::size_t size) {
      return kernels().part(PartArgs<Bin>{values.data, values.stride,
                                          std::min(bin, missing_bin - 1), missing_bin,
                                          split.missing_left, some, right, size});
    });
  });
}

void RowPartition::join(std::uint32_t begin, std::uint32_t middle, std::uint32_t end) {
  std::uint32_t* const rows = rows_.data();
  std::merge(rows + begin, rows + middle, rows + middle, rows + end, buffer_.data() + begin);
  std::copy(buffer_.data() + begin, buffer_.data() + end, rows + begin);
}

}  // namespace simplexboost
