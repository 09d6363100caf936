#include "data/binning.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/fixed_point.h"
#include "base/row_weights.h"
#include "base/threads/parallel.h"
#include "data/default_bins.h"
#include "data/device_memory.h"
#include "data/rows/stored_values.h"
#include "data/value_sample.h"

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

std::uint64_t count_values(const Dataset& data, const Column& column) {
  if (const DeviceMemory* const memory = memory_of(column))
    return memory->count_values(column, data.rows, data.weights);
  std::uint64_t counted = 0;
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      counted += counts(values[i], RowWeights(data.weights)[begin + i]) ? 1U : 0U;
    return true;
  });
  return counted;
}

// Of so many values, on this rank and those before it, and on all.
Sampling plan_sampling(std::uint64_t before, std::uint64_t all) {
  Sampling sampling{1, before};
  while (all / sampling.step > kBinningSample) sampling.step *= 2;
  return sampling;
}

// All values of a sparse column, zeros as one.
std::vector<Mass> stored_masses(const Dataset& data, const Column& column) {
  std::vector<Mass> all;
  for_each_value(column, data.rows, [&](std::size_t, double value) {
    if (!std::isnan(value)) all.push_back({value + 0.0, 1});
  });
  const std::size_t zeros = data.rows - stored_rows(column).size();
  if (zeros > 0) all.push_back({0, static_cast<double>(zeros)});
  return all;
}

std::vector<Mass> sample_of(const Dataset& data, const Column& column, const Sampling& sampling) {
  // Sums of ones are exact in any order; those of other weights are not.
  if (column.sparse && sampling.step == 1 && data.weights.empty())
    return stored_masses(data, column);
  std::vector<Mass> sample;
  if (const DeviceMemory* const memory = memory_of(column)) {
    for (const SampledValue& one : memory->sample(column, data.rows, data.weights, sampling))
      sample.push_back({one.value + 0.0, RowWeights(data.weights)[one.row]});
    return sample;
  }
  std::uint64_t number = sampling.first;
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = RowWeights(data.weights)[begin + i];
      if (counts(values[i], weight) && sampling.takes(number++))
        sample.push_back({values[i] + 0.0, weight});
    }
    return true;
  });
  return sample;
}

// What one pass over a numeric column tells.
struct FirstLook {
  bool has_missing = false;
  bool few = true;  // no more values than there may be bins
  std::vector<Mass> distinct = {};
};

// Whether a row of some weight is not among those that a sparse column stores.
bool has_zeros(const Dataset& data, const Column& column) {
  const std::span<const std::uint32_t> stored = stored_rows(column);
  std::size_t next = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (next < stored.size() && stored[next] == row)
      ++next;
    else if (RowWeights(data.weights)[row] > 0)
      return true;
  }
  return false;
}

// Of a sparse column, in the time of what it stores. Zeros are one value, whose weight nobody asks
// for where values are few.
FirstLook look_at_stored(const Dataset& data, const Column& column, std::size_t max_values) {
  FirstLook look;
  DistinctValues distinct(std::min(max_values, stored_rows(column).size() + 1));
  for_each_value(column, data.rows, [&](std::size_t row, double value) {
    const double weight = RowWeights(data.weights)[row];
    if (std::isnan(value))
      look.has_missing = true;
    else if (look.few && weight > 0)
      look.few = distinct.add(value, weight);
  });
  if (look.few && has_zeros(data, column)) look.few = distinct.add(0, 1);
  if (look.few) look.distinct = distinct.sorted();
  return look;
}

// Of a column that is on a device, where there are so many rows that it does not come here. Nobody
// asks for the weights of values that are few.
FirstLook look_at(const DeviceMemory& memory, const Dataset& data, const Column& column,
                  std::size_t max_values) {
  FirstLook look;
  DistinctValues distinct(max_values);
  std::vector<double> known;
  for (;;) {
    const UnseenValues found = memory.unseen(column, data.rows, data.weights, known);
    look.has_missing = found.missing;
    look.few = std::all_of(found.values.begin(), found.values.end(),
                           [&](double value) { return distinct.add(value, 1); });
    if (!look.few || found.values.empty()) break;
    look.distinct = distinct.sorted();
    known.clear();
    for (const Mass& mass : look.distinct) known.push_back(mass.value);
  }
  return look;
}

FirstLook look_at(const Dataset& data, const Column& column, std::size_t max_values) {
  constexpr std::size_t kFewRows = 16'384;  // sooner here than looked at there, pass by pass
  if (const DeviceMemory* const memory = memory_of(column))
    return data.rows > kFewRows ? look_at(*memory, data, column, max_values)
                                : look_at(data, brought_here(column, 0, data.rows), max_values);
  if (column.sparse) return look_at_stored(data, column, max_values);
  FirstLook look;
  DistinctValues distinct(max_values);
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        look.has_missing = true;
      } else if (look.few) {
        const double weight = RowWeights(data.weights)[begin + i];
        if (weight > 0) look.few = distinct.add(values[i], weight);
      }
    }
    return look.few || !look.has_missing;
  });
  if (look.few) look.distinct = distinct.sorted();
  return look;
}

FeatureBins numeric_bins(bool has_missing, std::vector<double> thresholds) {
  FeatureBins bins;
  bins.has_missing = has_missing;
  bins.thresholds = std::move(thresholds);
  bins.value_bins = static_cast<std::uint32_t>(bins.thresholds.size() + 1);
  return bins;
}

FeatureBins numeric_bins(const Dataset& data, const Column& column, std::size_t max_values) {
  const FirstLook look = look_at(data, column, max_values);
  if (look.few)
    return numeric_bins(look.has_missing, quantile_thresholds(look.distinct, max_values));
  const Sampling sampling =
      data.rows > kBinningSample ? plan_sampling(0, count_values(data, column)) : Sampling{};
  return numeric_bins(
      look.has_missing,
      quantile_thresholds(sorted_masses(sample_of(data, column, sampling)), max_values));
}

// The weights of the categories of a column, and behind them whether values are missing.
std::vector<double> category_weights(const Dataset& data, const Column& column,
                                     const FixedPoint& round) {
  const std::size_t categories = column.schema.categories.size();
  std::vector<double> weights(categories + 1);
  for_each_block(column, data.rows, [&](std::size_t begin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      // A code without a name is as good as missing, here and in bin_of.
      if (values[i] < static_cast<double>(categories)) {
        weights[static_cast<std::size_t>(values[i])] += round(RowWeights(data.weights)[begin + i]);
      } else {
        weights[categories] = 1;
      }
    }
    return true;
  });
  return weights;
}

// Categories keep their codes as bins; if there are too many, the rarest share the last bin.
FeatureBins categorical_bins(std::span<const double> weights, std::size_t max_values) {
  FeatureBins bins;
  bins.type = FeatureType::kCategorical;
  bins.has_missing = weights.back() > 0;
  const std::size_t categories = weights.size() - 1;
  std::vector<std::size_t> order(categories);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (categories > max_values) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  }
  bins.category_bin.resize(categories);
  for (std::size_t i = 0; i < categories; ++i)
    bins.category_bin[order[i]] = static_cast<std::uint16_t>(std::min(i, max_values - 1));
  bins.value_bins = static_cast<std::uint32_t>(std::clamp<std::size_t>(categories, 1, max_values));
  return bins;
}

// Sums of weights that do not depend on the order of the rows.
FixedPoint weight_rounding(const Dataset& data, Communicator& ranks) {
  double largest = data.weights.empty() ? 1 : 0;
  for (const double weight : data.weights) largest = std::max(largest, weight);
  ranks.maximum({&largest, 1});
  auto rows = static_cast<std::int64_t>(data.rows);
  ranks.sum({&rows, 1});
  return FixedPoint(largest * static_cast<double>(rows));
}

bool is_categorical(const Column& column) {
  return column.schema.type == FeatureType::kCategorical;
}

// The bins that one process would choose that has the rows of all ranks. No call to the others is
// made from within a loop over threads.
class PartedBinning {
 public:
  PartedBinning(const Dataset& data, const BinningOptions& options, Communicator& ranks)
      : data_(data),
        threads_(options.threads),
        max_values_(static_cast<std::size_t>(options.max_bins - 1)),
        ranks_(ranks),
        bins_(data.columns.size()) {}

  std::vector<FeatureBins> run() {
    choose_categorical();
    choose_few();
    for (std::size_t i = 0; i < many_.size(); i += kAtOnce)
      choose_many({many_.data() + i, std::min(kAtOnce, many_.size() - i)});
    return std::move(bins_);
  }

 private:
  // Columns whose samples are held at a time: 50 MB.
  static constexpr std::size_t kAtOnce = 16;

  void choose_categorical() {
    const FixedPoint round = weight_rounding(data_, ranks_);
    std::vector<std::vector<double>> weights(bins_.size());
    parallel_for(threads_, bins_.size(), [&](std::size_t i) {
      if (is_categorical(data_.columns[i]))
        weights[i] = category_weights(data_, data_.columns[i], round);
    });
    std::vector<double> all;
    for (const std::vector<double>& some : weights) all.insert(all.end(), some.begin(), some.end());
    ranks_.sum(all);
    const double* at = all.data();
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (!is_categorical(data_.columns[i])) continue;
      bins_[i] = categorical_bins({at, weights[i].size()}, max_values_);
      at += weights[i].size();
    }
  }

  // Columns of no more values than bins; the others are left for choose_many().
  void choose_few() {
    std::vector<FirstLook> looks(bins_.size());
    parallel_for(threads_, bins_.size(), [&](std::size_t i) {
      if (!is_categorical(data_.columns[i]))
        looks[i] = look_at(data_, data_.columns[i], max_values_);
    });
    std::vector<std::int64_t> missing;
    std::vector<std::int64_t> many;
    std::vector<std::vector<Mass>> distinct;
    for (FirstLook& look : looks) {
      missing.push_back(look.has_missing ? 1 : 0);
      many.push_back(look.few ? 0 : 1);
      distinct.push_back(std::move(look.distinct));
    }
    ranks_.maximum(missing);
    ranks_.maximum(many);
    distinct = gather_lists(ranks_, distinct);
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (is_categorical(data_.columns[i])) continue;
      const std::vector<Mass> all = sorted_masses(std::move(distinct[i]));
      if (many[i] == 0 && all.size() <= max_values_) {
        bins_[i] = numeric_bins(missing[i] != 0, quantile_thresholds(all, max_values_));
      } else {
        bins_[i].has_missing = missing[i] != 0;
        many_.push_back(i);
      }
    }
  }

  // Each rank chooses for some of the columns.
  void choose_many(std::span<const std::size_t> columns) {
    const std::vector<Sampling> samplings = plan_samples(columns);
    std::vector<std::vector<Mass>> samples(columns.size());
    parallel_for(threads_, columns.size(), [&](std::size_t c) {
      samples[c] = sample_of(data_, data_.columns[columns[c]], samplings[c]);
    });
    samples = gather_lists(ranks_, samples);
    const auto rank = static_cast<std::size_t>(ranks_.rank());
    const auto size = static_cast<std::size_t>(ranks_.size());
    std::vector<std::vector<double>> thresholds(columns.size());
    parallel_for(threads_, columns.size(), [&](std::size_t c) {
      if (c % size == rank)
        thresholds[c] = quantile_thresholds(sorted_masses(std::move(samples[c])), max_values_);
    });
    thresholds = gather_lists(ranks_, thresholds);
    for (std::size_t c = 0; c < columns.size(); ++c)
      bins_[columns[c]] = numeric_bins(bins_[columns[c]].has_missing, std::move(thresholds[c]));
  }

  // As one process samples.
  std::vector<Sampling> plan_samples(std::span<const std::size_t> columns) {
    std::vector<std::uint64_t> counted(columns.size());
    parallel_for(threads_, columns.size(), [&](std::size_t c) {
      counted[c] = count_values(data_, data_.columns[columns[c]]);
    });
    const std::vector<std::uint64_t> all = gather_values<std::uint64_t>(ranks_, counted);
    std::vector<Sampling> samplings(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::uint64_t before = 0;
      std::uint64_t total = 0;
      for (std::size_t rank = 0; rank * columns.size() < all.size(); ++rank) {
        if (rank == static_cast<std::size_t>(ranks_.rank())) before = total;
        total += all[rank * columns.size() + c];
      }
      samplings[c] = plan_sampling(before, total);
    }
    return samplings;
  }

  const Dataset& data_;
  int threads_;
  std::size_t max_values_;
  Communicator& ranks_;
  std::vector<FeatureBins> bins_;
  std::vector<std::size_t> many_;
};

}  // namespace

std::uint32_t FeatureBins::bin_of(double value) const {
  // What training never saw is like what it knows nothing of, where it saw no missing values.
  const std::uint32_t absent = statistic() && !has_missing ? unseen_bin : missing_bin();
  if (std::isnan(value)) return absent;
  if (type == FeatureType::kCategorical || statistic()) {
    const auto code = static_cast<std::size_t>(value);
    return code < category_bin.size() ? category_bin[code] : absent;
  }
  return thresholds_below(thresholds.data(), thresholds.size(), value);
}

std::vector<FeatureBins> choose_bins(const Dataset& data, const BinningOptions& options,
                                     Communicator& ranks) {
  assert(options.max_bins >= 2 && options.max_bins <= 65536);
  if (ranks.size() > 1) {
    std::vector<FeatureBins> result = PartedBinning(data, options, ranks).run();
    choose_defaults(data, result, options.threads, ranks);
    return result;
  }
  // One bin is kept for missing values, so that data to come can have them too.
  const auto max_values = static_cast<std::size_t>(options.max_bins - 1);
  const FixedPoint round = weight_rounding(data, ranks);
  std::vector<FeatureBins> result(data.columns.size());
  parallel_for(options.threads, result.size(), [&](std::size_t i) {
    const Column& column = data.columns[i];
    result[i] = is_categorical(column)
                    ? categorical_bins(category_weights(data, column, round), max_values)
                    : numeric_bins(data, column, max_values);
  });
  choose_defaults(data, result, options.threads);
  return result;
}

}  // namespace simplexboost
