#include "model/predict/rank_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "model/predict/node_mask_kernels.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostThresholds = 255;
constexpr std::size_t kMostColumns = 65536;
constexpr std::uint32_t kNotOpen = 0xffffffff;

std::size_t column_key(const Node& node) {
  return 2 * std::size_t{node.feature} + (node.missing_left ? 0 : 1);
}

// Ranks begin with the least of their integers.
std::int8_t byte_rank(std::size_t below) {
  return static_cast<std::int8_t>(static_cast<int>(below) +
                                  std::numeric_limits<std::int8_t>::min());
}

}  // namespace

bool RankColumns::add(std::span<const Node> nodes, std::uint16_t* columns) {
  if (columns_.size() + nodes.size() > kMostColumns) return false;
  std::vector<std::pair<std::size_t, double>> wanted;
  for (const Node& node : nodes) {
    const std::size_t key = column_key(node);
    if (key >= open_.size()) open_.resize(key + 1, kNotOpen);
    const std::uint32_t open = open_[key];
    if (open == kNotOpen || !std::binary_search(columns_[open].thresholds.begin(),
                                                columns_[open].thresholds.end(), node.threshold))
      wanted.emplace_back(key, node.threshold);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (std::size_t i = 0, end = 0; i < wanted.size(); i = end) {
    const std::size_t key = wanted[i].first;
    while (end < wanted.size() && wanted[end].first == key) ++end;
    const bool fresh = open_[key] == kNotOpen ||
                       columns_[open_[key]].thresholds.size() + (end - i) > kMostThresholds;
    if (fresh) {
      open_[key] = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back({static_cast<std::uint32_t>(key / 2), key % 2 == 1, {}, 0, 0, {}, 0});
    }
    // All that the tree compares, those that only the column before had too.
    std::vector<double>& all = columns_[open_[key]].thresholds;
    if (fresh) {
      for (const Node& node : nodes)
        if (column_key(node) == key) all.push_back(node.threshold);
    } else {
      for (std::size_t k = i; k < end; ++k) all.push_back(wanted[k].second);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    columns[i] = static_cast<std::uint16_t>(open_[column_key(nodes[i])]);
  return true;
}

// As the kernel has it. Grows with x. Where it is not a number at all, as 0 x infinity, there is
// but one cell.
std::size_t RankColumns::Column::cell(double x) const {
  const double place = (x - low) * scale;
  const double above = place > 0 ? place : 0;
  return static_cast<std::size_t>(
      static_cast<std::int32_t>(above < kRankCells - 1 ? above : double{kRankCells - 1}));
}

void RankColumns::Column::make_cells() {
  const double width = thresholds.back() - thresholds.front();
  const double cells_to_a_unit = (kRankCells - 1) / width;
  if (std::isfinite(width) && std::isfinite(cells_to_a_unit) && cells_to_a_unit > 0) {
    low = thresholds.front();
    scale = cells_to_a_unit;
  }
  std::array<std::size_t, kRankCells> counts{};
  for (const double threshold : thresholds) ++counts[cell(threshold)];
  starts.resize(kRankCells);
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::uint8_t{0});
  most = *std::max_element(counts.begin(), counts.end());
  thresholds.insert(thresholds.end(), most, std::numeric_limits<double>::infinity());
}

void RankColumns::finish() {
  for (Column& column : columns_) column.make_cells();
  by_feature_.resize(columns_.size());
  std::iota(by_feature_.begin(), by_feature_.end(), std::uint16_t{0});
  std::stable_sort(by_feature_.begin(), by_feature_.end(), [&](std::size_t a, std::size_t b) {
    return columns_[a].feature < columns_[b].feature;
  });
}

std::int8_t RankColumns::rank(std::size_t column, double threshold) const {
  const std::vector<double>& all = columns_[column].thresholds;
  return byte_rank(
      static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), threshold) - all.begin()));
}

void RankColumns::set_ranks(const Dataset& data, std::size_t begin, std::size_t end,
                            std::int8_t* ranks) const {
  const std::size_t stride = padded_rows(end - begin);
  std::vector<double> values(stride);
  const Column* before = nullptr;
  for (const std::uint16_t number : by_feature_) {
    const Column& column = columns_[number];
    if (!before || before->feature != column.feature)
      data.columns[column.feature].copy(begin, end, values.data());
    before = &column;
    const std::size_t all = column.thresholds.size() - column.most;
    const std::int8_t missing = byte_rank(column.missing_high ? all : 0);
    mask_kernels().set_ranks({values.data(), stride, column.low, column.scale, column.starts.data(),
                              column.thresholds.data(), column.most, missing,
                              ranks + number * stride});
  }
}

}  // namespace simplexboost
