#include "data/default_bins.h"

#include <algorithm>
#include <cstdint>

#include "base/threads/parallel.h"
#include "data/device_memory.h"
#include "data/rows/stored_values.h"

namespace simplexboost {
namespace {

// A row that is not in the default bin costs about as much time as so many that are dense.
constexpr std::int64_t kRowsOfAnEntry = 8;
// Fewer such features than this are not worth a second way of keeping them.
constexpr std::size_t kFewestFeatures = 8;
// Rows at which it is looked first.
constexpr std::size_t kSampledRows = 512;

// How many of the rows of a column that are here are in a bin.
std::int64_t rows_in(const Dataset& data, const Column& column, const FeatureBins& bins,
                     std::uint32_t bin) {
  std::int64_t others = 0;
  std::int64_t seen = 0;
  for_each_value(column, data.rows, [&](std::size_t, double value) {
    ++seen;
    others += bins.bin_of(value) == bin ? 0 : 1;
  });
  const bool zero = bins.bin_of(0) == bin;
  const std::int64_t unseen = static_cast<std::int64_t>(data.rows) - seen;
  return seen - others + (zero ? unseen : 0);
}

// The bins of some rows of a column, counted.
std::vector<std::int64_t> sampled_bins(const Dataset& data, const Column& column,
                                       const FeatureBins& bins) {
  std::vector<std::int64_t> counts(bins.missing_bin() + std::size_t{1});
  if (column.sparse) {
    const auto stored = static_cast<std::int64_t>(stored_rows(column).size());
    counts[bins.bin_of(0)] = static_cast<std::int64_t>(data.rows) - stored;
    return counts;
  }
  const std::size_t count = std::min(data.rows, kSampledRows);
  for (std::size_t i = 0; i < count; ++i) {
    double value = 0;
    const std::size_t row = i * data.rows / count;
    column.copy(row, row + 1, &value);
    ++counts[bins.bin_of(value)];
  }
  return counts;
}

}  // namespace

void choose_defaults(const Dataset& data, std::vector<FeatureBins>& bins, int threads,
                     Communicator& ranks) {
  // What comes from a device is trained on there, where bins are dense.
  if (std::any_of(data.columns.begin(), data.columns.end(),
                  [](const Column& column) { return memory_of(column) != nullptr; }))
    return;
  const std::size_t features = std::min(bins.size(), data.columns.size());
  std::vector<std::vector<std::int64_t>> sampled(features);
  parallel_for(threads, features,
               [&](std::size_t f) { sampled[f] = sampled_bins(data, data.columns[f], bins[f]); });
  std::vector<std::int64_t> counts;
  for (const std::vector<std::int64_t>& some : sampled)
    counts.insert(counts.end(), some.begin(), some.end());
  if (ranks.size() > 1) ranks.sum(counts);
  // The bin of the most, where it may be that of nearly all.
  std::vector<std::uint32_t> candidates(features, FeatureBins::kNoDefault);
  const std::int64_t* at = counts.data();
  for (std::size_t f = 0; f < features; at += sampled[f++].size()) {
    const std::int64_t* const end = at + sampled[f].size();
    const std::int64_t* const most = std::max_element(at, end);
    std::int64_t all = 0;
    for (const std::int64_t* one = at; one != end; ++one) all += *one;
    if (*most > 0 && (all - *most) * kRowsOfAnEntry <= 2 * all)
      candidates[f] = static_cast<std::uint32_t>(most - at);
  }
  std::vector<std::int64_t> inside(features + 1);
  parallel_for(threads, features, [&](std::size_t f) {
    if (candidates[f] != FeatureBins::kNoDefault)
      inside[f] = rows_in(data, data.columns[f], bins[f], candidates[f]);
  });
  inside[features] = static_cast<std::int64_t>(data.rows);
  if (ranks.size() > 1) ranks.sum(inside);
  const std::int64_t rows = inside[features];
  const auto sparse = [&](std::size_t f) {
    return candidates[f] != FeatureBins::kNoDefault && (rows - inside[f]) * kRowsOfAnEntry <= rows;
  };
  std::size_t count = 0;
  for (std::size_t f = 0; f < features; ++f) count += sparse(f) ? 1U : 0U;
  if (count < kFewestFeatures) return;
  for (std::size_t f = 0; f < features; ++f) {
    if (!sparse(f)) continue;
    bins[f].default_bin = candidates[f];
    bins[f].others = static_cast<float>(rows - inside[f]) / static_cast<float>(rows);
  }
}

void forget_defaults(std::vector<FeatureBins>& bins) {
  for (FeatureBins& one : bins) one.default_bin = FeatureBins::kNoDefault;
}

}  // namespace simplexboost
