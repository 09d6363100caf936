#include "data/target_statistics.h"

#include <cmath>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/fixed_point.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/row_weights.h"
#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostStatistics = 16;
// Rows of a block do not see each other: of the rows of a category all but one in so many see as
// many as they would row by row.
constexpr std::size_t kOrderBlocks = 32;
// Bins of a statistic are quantiles of its cells, which are even in the square root of the share:
// there the error of a small share is the same whatever it is.
constexpr std::size_t kCells = std::size_t{1} << 14U;
constexpr std::uint32_t kNoCode = std::numeric_limits<std::uint32_t>::max();

std::uint16_t cell_of(double share) {
  const double place = std::sqrt(std::clamp(share, 0.0, 1.0)) * static_cast<double>(kCells);
  return static_cast<std::uint16_t>(std::min(place, static_cast<double>(kCells - 1)));
}

// Which classes each statistic counts: rows of statistics x classes.
std::vector<std::vector<bool>> groups_of_classes(std::size_t classes, std::uint64_t seed) {
  if (classes == 2) return {{false, true}};
  std::vector<std::vector<bool>> groups(std::min(classes, kMostStatistics));
  for (std::size_t s = 0; s < groups.size(); ++s) {
    groups[s].resize(classes);
    if (classes <= kMostStatistics) {
      groups[s][s] = true;
      continue;
    }
    std::vector<std::size_t> order(classes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random(seed, s).shuffle(order);
    for (std::size_t i = 0; i < classes / 2; ++i) groups[s][order[i]] = true;
  }
  return groups;
}

// log Gamma(x + by) / Gamma(x), without the state of std::lgamma that threads would share.
double log_rising(double x, double by) {
  int sign = 0;
  return by > 0 ? lgamma_r(x + by, &sign) - lgamma_r(x, &sign) : 0;
}

// What all columns have in common: who counts for which statistic, and in which order.
class RowOrder {
 public:
  RowOrder(const Dataset& data, const StatisticsOptions& options, const RowSpace& space)
      : weights_(data.weights),
        groups_(groups_of_classes(data.labels.classes.size(), options.seed)),
        labels_(data.labels.codes),
        mean_weight_(weights_.sum(space) /
                     static_cast<double>(std::max<std::size_t>(space.all(), 1))),
        round_(largest_weight(data, space) * static_cast<double>(space.all())),
        rows_(data.rows) {
    std::vector<std::uint8_t> block(data.rows);
    ends_.resize(kOrderBlocks);
    for (std::size_t i = 0; i < data.rows; ++i) {
      block[i] = static_cast<std::uint8_t>(Random(options.seed, space.first() + i + 1).next() %
                                           kOrderBlocks);
      ++ends_[block[i]];
    }
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::array<std::size_t, kOrderBlocks> next{};
    for (std::size_t b = 1; b < kOrderBlocks; ++b) next[b] = ends_[b - 1];
    for (std::size_t i = 0; i < data.rows; ++i)
      rows_[next[block[i]]++] = static_cast<std::uint32_t>(i);
  }

  std::size_t statistics() const { return groups_.size(); }
  bool counts(std::size_t statistic, std::size_t row) const {
    return groups_[statistic][static_cast<std::size_t>(labels_[row])];
  }
  // In units whose sums are exact in any order.
  double weight(std::size_t row) const { return round_(weights_[row]); }
  double mean_weight() const { return mean_weight_; }
  std::span<const std::uint32_t> block(std::size_t b) const {
    const std::size_t begin = b == 0 ? 0 : ends_[b - 1];
    return std::span(rows_).subspan(begin, ends_[b] - begin);
  }

 private:
  static double largest_weight(const Dataset& data, const RowSpace& space) {
    double largest = data.weights.empty() ? 1 : 0;
    for (const double weight : data.weights) largest = std::max(largest, weight);
    return space.largest(largest);
  }

  RowWeights weights_;
  std::vector<std::vector<bool>> groups_;
  std::span<const std::int32_t> labels_;
  double mean_weight_;
  FixedPoint round_;
  std::vector<std::uint32_t> rows_;  // block by block
  std::vector<std::size_t> ends_;
};

// Weights by category: of all rows, and of those that each statistic counts.
struct Counts {
  explicit Counts(std::size_t categories, std::size_t statistics)
      : width(statistics + 1), values(categories * width) {}

  double* of(std::size_t category) { return values.data() + category * width; }
  const double* of(std::size_t category) const { return values.data() + category * width; }
  void add(const RowOrder& order, std::size_t row, std::size_t category) {
    double* const here = of(category);
    const double weight = order.weight(row);
    here[0] += weight;
    for (std::size_t s = 0; s + 1 < width; ++s)
      if (order.counts(s, row)) here[s + 1] += weight;
  }

  std::size_t width;
  std::vector<double> values;
};

// One column.
class ColumnStatistics {
 public:
  ColumnStatistics(const Dataset& data, std::size_t column, const RowOrder& order,
                   const RowSpace& space)
      : column_(column),
        order_(order),
        space_(space),
        codes_(read_codes(data, column)),
        all_(data.columns[column].schema.categories.size(), order.statistics()) {
    for (std::size_t i = 0; i < codes_.size(); ++i)
      if (codes_[i] != kNoCode) all_.add(order_, i, codes_[i]);
    space_.add_up(all_.values);
    set_prior();
  }

  // Appends the bins of its statistics, and those of the rows.
  void append_to(TargetStatistics& result, std::size_t max_values, bool has_missing) {
    const std::vector<std::vector<std::uint16_t>> cells = ordered_cells();
    for (std::size_t s = 0; s < cells.size(); ++s) {
      if (!(prior_[s] > 0 && prior_[s] < 1)) continue;  // says nothing
      const std::vector<std::uint16_t> bin_of_cell = quantiles(cells[s], max_values);
      FeatureBins bins;
      bins.column = static_cast<std::uint32_t>(column_);
      bins.value_bins = bin_of_cell.back() + 1U;
      bins.has_missing = has_missing;
      bins.unseen_bin = bin_of_cell[cell_of(prior_[s])];
      for (std::size_t c = 0; c < all_.values.size() / all_.width; ++c)
        bins.category_bin.push_back(bin_of_cell[cell_of(share(all_.of(c), s))]);
      std::vector<std::uint16_t>& of_rows = result.of_rows.emplace_back(codes_.size());
      for (std::size_t i = 0; i < codes_.size(); ++i)
        of_rows[i] = codes_[i] == kNoCode ? static_cast<std::uint16_t>(bins.missing_bin())
                                          : bin_of_cell[cells[s][i]];
      result.bins.push_back(std::move(bins));
    }
  }

 private:
  static std::vector<std::uint32_t> read_codes(const Dataset& data, std::size_t column) {
    const auto categories = static_cast<double>(data.columns[column].schema.categories.size());
    std::vector<double> values(data.rows);
    data.columns[column].copy(0, data.rows, values.data());
    std::vector<std::uint32_t> codes(data.rows, kNoCode);
    for (std::size_t i = 0; i < data.rows; ++i)
      if (values[i] < categories) codes[i] = static_cast<std::uint32_t>(values[i]);
    return codes;
  }

  // The shares of all rows, and how many of such rows each category is given beside its own: as
  // many as make the counts of the categories likeliest if their shares are drawn from a beta
  // distribution around those of all rows. A sample of the categories says so.
  void set_prior() {
    const std::size_t categories = all_.values.size() / all_.width;
    std::vector<double> total(all_.width);
    for (std::size_t c = 0; c < categories; ++c)
      for (std::size_t s = 0; s < all_.width; ++s) total[s] += all_.of(c)[s];
    for (std::size_t s = 1; s < all_.width; ++s)
      prior_.push_back(total[0] > 0 ? total[s] / total[0] : 0);
    constexpr std::size_t kLookedAt = 1000;
    const std::size_t step = std::max<std::size_t>(categories / kLookedAt, 1);
    double best = -std::numeric_limits<double>::infinity();
    for (const double strength : {512.0, 128.0, 32.0, 8.0, 2.0, 0.5}) {
      double likelihood = 0;
      for (std::size_t c = 0; c < categories; c += step)
        likelihood += log_likelihood(all_.of(c), strength);
      if (!(likelihood > best)) continue;
      best = likelihood;
      strength_ = strength * order_.mean_weight();
    }
  }

  double log_likelihood(const double* counts, double strength) const {
    const double rows = counts[0] / order_.mean_weight();
    double sum = 0;
    for (std::size_t s = 0; s < prior_.size(); ++s) {
      if (!(prior_[s] > 0 && prior_[s] < 1)) continue;
      const double with = counts[s + 1] / order_.mean_weight();
      sum += log_rising(strength * prior_[s], with) +
             log_rising(strength * (1 - prior_[s]), rows - with) - log_rising(strength, rows);
    }
    return sum;
  }

  double share(const double* counts, std::size_t s) const {
    return (counts[s + 1] + strength_ * prior_[s]) / (counts[0] + strength_);
  }

  // Of each statistic: what the rows before each row say of its category.
  std::vector<std::vector<std::uint16_t>> ordered_cells() const {
    std::vector<std::vector<std::uint16_t>> cells(order_.statistics());
    for (auto& of_rows : cells) of_rows.resize(codes_.size());
    Counts before(all_.values.size() / all_.width, order_.statistics());
    for (std::size_t b = 0; b < kOrderBlocks; ++b) {
      const std::span<const std::uint32_t> rows = order_.block(b);
      parallel_blocks(space_.threads(), rows.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (const std::uint32_t row : rows.subspan(begin, end - begin)) {
          if (codes_[row] == kNoCode) continue;
          const double* const counts = before.of(codes_[row]);
          for (std::size_t s = 0; s < cells.size(); ++s) cells[s][row] = cell_of(share(counts, s));
        }
      });
      add_block(rows, before);
    }
    return cells;
  }

  void add_block(std::span<const std::uint32_t> rows, Counts& before) const {
    const auto add = [&](Counts& counts) {
      for (const std::uint32_t row : rows)
        if (codes_[row] != kNoCode) counts.add(order_, row, codes_[row]);
    };
    if (!space_.parted()) return add(before);
    Counts here(all_.values.size() / all_.width, order_.statistics());
    add(here);
    space_.add_up(here.values);
    for (std::size_t i = 0; i < before.values.size(); ++i) before.values[i] += here.values[i];
  }

  // The bin of each cell: about as many rows, by weight, in each bin.
  std::vector<std::uint16_t> quantiles(const std::vector<std::uint16_t>& cells,
                                       std::size_t max_values) const {
    std::vector<double> weights(kCells);
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (codes_[i] != kNoCode) weights[cells[i]] += order_.weight(i);
    space_.add_up(weights);
    double left = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::uint16_t> bins(kCells);
    std::uint16_t bin = 0;
    double inside = 0;
    for (std::size_t c = 0; c < kCells; ++c) {
      // A cell that fills a bin by itself has one; what came before it is closed.
      const double even = left / static_cast<double>(max_values - bin);
      if (inside > 0 && weights[c] > 0 && inside + weights[c] / 2 > even && bin + 1U < max_values) {
        left -= inside;
        inside = 0;
        ++bin;
      }
      bins[c] = bin;
      inside += weights[c];
    }
    return bins;
  }

  std::size_t column_;
  const RowOrder& order_;
  const RowSpace& space_;
  std::vector<std::uint32_t> codes_;
  Counts all_;
  std::vector<double> prior_;  // of each statistic
  double strength_ = 1;
};

bool tells_by_statistics(const Column& column, const StatisticsOptions& options) {
  return column.schema.type == FeatureType::kCategorical &&
         column.schema.categories.size() > options.above;
}

}  // namespace

bool has_target_statistics(const Dataset& data, const StatisticsOptions& options) {
  return !data.labels.multi_label() && data.labels.classes.size() > 1 &&
         std::any_of(data.columns.begin(), data.columns.end(),
                     [&](const Column& column) { return tells_by_statistics(column, options); });
}

TargetStatistics make_target_statistics(const Dataset& data, std::vector<FeatureBins> bins,
                                        const StatisticsOptions& options, const RowSpace& space) {
  TargetStatistics result{std::move(bins), {}};
  if (!has_target_statistics(data, options)) return result;
  const RowOrder order(data, options, space);
  for (std::size_t c = 0; c < data.columns.size(); ++c) {
    if (!tells_by_statistics(data.columns[c], options)) continue;
    require_memory("statistics of '" + data.columns[c].schema.name + "'",
                   data.columns[c].schema.categories.size(), 3 * (order.statistics() + 1),
                   sizeof(double));
    FeatureBins& own = result.bins[c];
    const bool has_missing = own.has_missing;
    std::fill(own.category_bin.begin(), own.category_bin.end(), std::uint16_t{0});
    own.value_bins = 1;
    own.default_bin = FeatureBins::kNoDefault;
    ColumnStatistics(data, c, order, space)
        .append_to(result, static_cast<std::size_t>(options.max_bins - 1), has_missing);
  }
  return result;
}

}  // namespace simplexboost
