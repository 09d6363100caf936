// The rows of a feature that are not in its default bin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "data/binning.h"
#include "data/rows/stored_values.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Whether a value is in the default bin of a feature.
class DefaultTest {
 public:
  explicit DefaultTest(const FeatureBins& bins) : bins_(bins) {
    const bool number = bins.type == FeatureType::kNumeric && !bins.statistic();
    if (!number || bins.default_bin >= bins.value_bins) return;
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    range_ = true;
    all_below_ = bins.default_bin == 0;
    above_ = all_below_ ? -kEndless : bins.thresholds[bins.default_bin - 1];
    to_ = bins.default_bin + 1 == bins.value_bins ? kEndless : bins.thresholds[bins.default_bin];
  }

  bool operator()(double value) const {
    if (!range_) return bins_.bin_of(value) == bins_.default_bin;
    return (value > above_ || (all_below_ && value == above_)) && value <= to_;
  }

 private:
  const FeatureBins& bins_;
  bool range_ = false;
  bool all_below_ = false;  // minus infinity too
  double above_ = 0;
  double to_ = 0;
};

// Calls use(row, value) for the rows of [begin, end) that are not in the default bin.
template <class Use>
void for_others(const Column& column, const DefaultTest& is_default, std::size_t begin,
                std::size_t end, const Use& use) {
  constexpr std::size_t kAtOnce = 512;
  double values[kAtOnce];
  if (!column.sparse || !is_default(0)) {
    for (std::size_t i = begin; i < end; i += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, end - i);
      column.copy(i, i + count, values);
      for (std::size_t k = 0; k < count; ++k)
        if (!is_default(values[k])) use(i + k, values[k]);
    }
    return;
  }
  const std::span<const std::uint32_t> rows = stored_rows(column);
  const auto at = [&](std::size_t row) {
    return static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
  };
  const std::size_t last = at(end);
  for (std::size_t k = at(begin); k < last; k += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, last - k);
    copy_stored(column, k, k + count, values);
    for (std::size_t j = 0; j < count; ++j)
      if (!is_default(values[j])) use(rows[k + j], values[j]);
  }
}

}  // namespace simplexboost
