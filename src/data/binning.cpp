#include "data/binning.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"

namespace simplexboost {
namespace {

// A value that occurs, with the weight of its rows.
struct Mass {
  double value;
  double weight;
};

// Distinct numbers of a column, counted until there are more than a limit of them.
class DistinctValues {
 public:
  explicit DistinctValues(std::size_t limit)
      : limit_(limit), slots_(std::bit_ceil(4 * limit + 4)), used_(slots_.size()) {}

  // False as soon as the limit is passed.
  bool add(double value, double weight) {
    value += 0.0;  // -0 and 0 are one value
    auto slot = hash(value);
    while (used_[slot] && slots_[slot].value != value) slot = (slot + 1) % slots_.size();
    if (!used_[slot]) {
      if (++count_ > limit_) return false;
      used_[slot] = true;
      slots_[slot] = {value, 0};
    }
    slots_[slot].weight += weight;
    return true;
  }

  std::vector<Mass> sorted() const {
    std::vector<Mass> result;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (used_[i]) result.push_back(slots_[i]);
    std::sort(result.begin(), result.end(),
              [](const Mass& a, const Mass& b) { return a.value < b.value; });
    return result;
  }

 private:
  std::size_t hash(double value) const {
    const auto bits = std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ULL;
    return (bits >> 32) % slots_.size();
  }

  std::size_t limit_;
  std::size_t count_ = 0;
  std::vector<Mass> slots_;
  std::vector<bool> used_;
};

std::vector<Mass> sorted_masses(std::vector<Mass> values) {
  std::sort(values.begin(), values.end(), [](const Mass& a, const Mass& b) {
    return a.value != b.value ? a.value < b.value : a.weight < b.weight;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].value == values[last].value) {
      values[last].weight += values[i].weight;
    } else {
      values[++last] = values[i];
    }
  }
  if (!values.empty()) values.resize(last + 1);
  return values;
}

// Between a < b, never b itself, whatever the rounding, and finite where a is not.
double threshold_between(double a, double b) {
  const double middle = std::midpoint(a, b);
  return std::max(middle < b ? middle : a, std::numeric_limits<double>::lowest());
}

// Weighted quantiles: closes a bin when its weight reaches an even share of what is left, so that
// a heavy value takes a bin of its own and the rest shares the others.
std::vector<double> quantile_thresholds(const std::vector<Mass>& masses, std::size_t max_values) {
  std::vector<double> thresholds;
  if (masses.size() <= max_values) {
    for (std::size_t i = 1; i < masses.size(); ++i)
      thresholds.push_back(threshold_between(masses[i - 1].value, masses[i].value));
    return thresholds;
  }
  double left = 0;
  for (const Mass& mass : masses) left += mass.weight;
  double inside = 0;
  for (std::size_t i = 0; i + 1 < masses.size() && thresholds.size() + 1 < max_values; ++i) {
    inside += masses[i].weight;
    const double share = left / static_cast<double>(max_values - thresholds.size());
    // Close here if the next value would overshoot the share by more than this one falls short.
    if (inside >= share || inside + masses[i + 1].weight - share > share - inside) {
      thresholds.push_back(threshold_between(masses[i].value, masses[i + 1].value));
      left -= inside;
      inside = 0;
    }
  }
  return thresholds;
}

// Reads a column in blocks; row_block(begin, values) may return false to end.
template <class RowBlock>
void for_each_block(const Column& column, std::size_t rows, const RowBlock& row_block) {
  constexpr std::size_t kBlock = 4096;
  std::vector<double> buffer(std::min(rows, kBlock));
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, rows);
    column.copy(begin, end, buffer.data());
    if (!row_block(begin, std::span<const double>(buffer.data(), end - begin))) return;
  }
}

double weight_of(const Dataset& data, std::size_t row) {
  return data.weights.empty() ? 1.0 : data.weights[row];
}

// Values at regular distances among those that count, so that rows without value or weight, however
// they are spread, cost no precision. The distance doubles whenever the sample is full.
std::vector<Mass> sample_of(const Dataset& data, const Column& column) {
  std::vector<Mass> sample;
  std::size_t step = 1;
  std::size_t seen = 0;
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = weight_of(data, begin + i);
      if (std::isnan(values[i]) || !(weight > 0) || seen++ % step != 0) continue;
      if (sample.size() == kBinningSample) {
        for (std::size_t k = 0; 2 * k < sample.size(); ++k) sample[k] = sample[2 * k];
        sample.resize((sample.size() + 1) / 2);
        step *= 2;
        if ((seen - 1) % step != 0) continue;
      }
      sample.push_back({values[i] + 0.0, weight});
    }
    return true;
  });
  return sample;
}

FeatureBins numeric_bins(const Dataset& data, const Column& column, std::size_t max_values) {
  FeatureBins bins;
  DistinctValues distinct(max_values);
  bool few = true;
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        bins.has_missing = true;
      } else if (few) {
        const double weight = weight_of(data, begin + i);
        if (weight > 0) few = distinct.add(values[i], weight);
      }
    }
    return few || !bins.has_missing;
  });
  bins.thresholds = quantile_thresholds(
      few ? distinct.sorted() : sorted_masses(sample_of(data, column)), max_values);
  bins.value_bins = static_cast<std::uint32_t>(bins.thresholds.size() + 1);
  return bins;
}

// Categories keep their codes as bins; if there are too many, the rarest share the last bin.
FeatureBins categorical_bins(const Dataset& data, const Column& column, std::size_t max_values) {
  FeatureBins bins;
  bins.type = FeatureType::kCategorical;
  const std::size_t categories = column.schema.categories.size();
  std::vector<double> weight(categories);
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      // A code without a name is as good as missing, here and in bin_of.
      if (values[i] < static_cast<double>(categories)) {
        weight[static_cast<std::size_t>(values[i])] += weight_of(data, begin + i);
      } else {
        bins.has_missing = true;
      }
    }
    return true;
  });
  std::vector<std::size_t> order(categories);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (categories > max_values) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  }
  bins.category_bin.resize(categories);
  for (std::size_t i = 0; i < categories; ++i)
    bins.category_bin[order[i]] = static_cast<std::uint16_t>(std::min(i, max_values - 1));
  bins.value_bins = static_cast<std::uint32_t>(std::clamp<std::size_t>(categories, 1, max_values));
  return bins;
}

}  // namespace

std::uint32_t FeatureBins::bin_of(double value) const {
  if (std::isnan(value)) return missing_bin();
  if (type == FeatureType::kCategorical) {
    const auto code = static_cast<std::size_t>(value);
    return code < category_bin.size() ? category_bin[code] : missing_bin();
  }
  // Branch-free lower bound: the number of thresholds below the value.
  const double* base = thresholds.data();
  std::size_t length = thresholds.size();
  while (length > 0) {
    const std::size_t half = (length + 1) / 2;
    base += base[half - 1] < value ? half : 0;
    length -= half;
  }
  return static_cast<std::uint32_t>(base - thresholds.data());
}

std::vector<FeatureBins> choose_bins(const Dataset& data, const BinningOptions& options) {
  assert(options.max_bins >= 2 && options.max_bins <= 65536);
  // One bin is kept for missing values, so that data to come can have them too.
  const auto max_values = static_cast<std::size_t>(options.max_bins - 1);
  std::vector<FeatureBins> result(data.columns.size());
  parallel_for(options.threads, result.size(), [&](std::size_t i) {
    const Column& column = data.columns[i];
    result[i] = column.schema.type == FeatureType::kCategorical
                    ? categorical_bins(data, column, max_values)
                    : numeric_bins(data, column, max_values);
  });
  return result;
}

}  // namespace simplexboost
