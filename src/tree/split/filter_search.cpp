#include "tree/split/filter_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/threads/parallel.h"
#include "base/threads/thread_scratch.h"

namespace simplexboost {
namespace {

// Filters whose histograms are filled in one pass.
constexpr std::size_t kFilterBlock = kBlockFeatures;
// Purposes of a node's random numbers, apart from those of its features.
constexpr std::uint64_t kDrawFilters = std::uint64_t{1} << 40U;
constexpr std::uint64_t kDrawCuts = std::uint64_t{1} << 41U;
// Values of filters below which threads are not worth waking.
constexpr std::size_t kParallelValues = 1U << 15U;

struct FilterScratch {
  std::vector<std::int32_t> values;  // of one filter on the node's rows
  std::vector<std::uint8_t> bins;    // all rows x kFilterBlock
  AlignedVector<std::int32_t> histogram;
  AlignedVector<std::int32_t> left;
  std::array<FilterBins, kFilterBlock> made;
};

// The cuts of a node by some filters, whose numbers begin at `first`.
class BlockSearch {
 public:
  BlockSearch(const Growth& growth, std::size_t node, std::span<const ImageFilter> filters,
              std::size_t first)
      : growth_(growth),
        node_(node),
        filters_(filters),
        first_(first),
        rows_(growth.tree.rows(growth.tree.nodes[node])),
        scratch_(thread_scratch<struct FilterSearchScratch, FilterScratch>()) {}

  // The best of each.
  void run(Split* splits) {
    for (std::size_t f = 0; f < filters_.size(); ++f) {
      scratch_.values.resize(rows_.size());
      values(f, scratch_.values.data());
      FilterBins& bins = scratch_.made[f];
      bins.assign(scratch_.values);
      put_bins(f, bins, scratch_.values);
    }
    scratch_.histogram.assign(numbers(), 0);
    fill(scratch_.histogram.data());
    for (std::size_t f = 0; f < filters_.size(); ++f)
      splits[f] = best_cut(f, scratch_.made[f], scratch_.histogram.data());
  }

  // The parts of run(). Of one filter on the rows that are here:
  void values(std::size_t f, std::int32_t* out) const {
    const IntegralImages& images = *growth_.data.images();
    images.values(filter_taps(filters_[f], images.shape()), rows_, out);
  }
  void put_bins(std::size_t f, const FilterBins& bins, std::span<const std::int32_t> values) {
    scratch_.bins.resize(growth_.data.rows() * kFilterBlock + ByteStore::kPadding);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      scratch_.bins[rows_[i] * kFilterBlock + f] = bins.bin_of(values[i]);
  }
  // Of all of them, once their bins are put.
  std::size_t numbers() const {
    return filters_.size() * FilterBins::kMost * growth_.tree.channels;
  }
  void fill(std::int32_t* histogram) const {
    std::array<std::uint32_t, kFilterBlock> offsets{};
    for (std::size_t f = 0; f < filters_.size(); ++f)
      offsets[f] = static_cast<std::uint32_t>(f * FilterBins::kMost);
    kernels().fill(FillArgs<std::uint8_t>{
        scratch_.bins.data(), kFilterBlock, filters_.size(), offsets.data(), growth_.stats.data(),
        growth_.tree.channels, rows_.data(), rows_.size(), histogram});
  }
  Split best_cut(std::size_t f, const FilterBins& bins, const std::int32_t* histogram) const {
    Split split;
    if (bins.size() < 2) return split;
    scratch_.left.resize(growth_.tree.channels);
    const GrowthOptions& options = growth_.options;
    const std::size_t at = f * FilterBins::kMost * growth_.tree.channels;
    const ScanArgs args{histogram + at,
                        bins.size(),
                        false,
                        growth_.tree.total(node_),
                        &growth_.criterion,
                        std::max(options.min_rows, 1),
                        static_cast<float>(options.min_weight / growth_.stats.weight_unit())};
    const ScanResult found =
        options.drawn_thresholds
            ? drawn_cut(args,
                        node_random(growth_.chance, growth_.tree, node_, kDrawCuts + first_ + f),
                        scratch_.left.data())
            : kernels().scan(args, scratch_.left.data());
    if (!(found.score > kNoCut)) return split;
    split.score = found.score;
    split.filtered = true;
    split.filter = filters_[f];
    split.limit = bins.limit(found.bin);
    split.feature = middle_pixel(filters_[f], growth_.data.images()->shape());
    return split;
  }

 private:
  const Growth& growth_;
  std::size_t node_;
  std::span<const ImageFilter> filters_;
  std::size_t first_;
  std::span<const std::uint32_t> rows_;
  FilterScratch& scratch_;
};

// The same of a node whose rows several ranks have: they agree on the ranges, then on the counts of
// cells and so on the bins, then on the histograms, all of them integers, and each finds the best
// cuts by itself.
class PartedSearch {
 public:
  PartedSearch(const Growth& growth, std::size_t node, std::span<const ImageFilter> filters)
      : growth_(growth),
        node_(node),
        filters_(filters),
        ranks_(*growth.options.filter_ranks),
        rows_(growth.tree.rows(growth.tree.nodes[node]).size()),
        values_(filters.size() * rows_),
        bins_(filters.size()) {}

  std::vector<Split> run() {
    find_values();
    find_bins();
    const std::size_t width = FilterBins::kMost * growth_.tree.channels;
    AlignedVector<std::int32_t> histograms(filters_.size() * width);
    for_blocks([&](std::size_t begin, BlockSearch& block, std::size_t count) {
      for (std::size_t f = 0; f < count; ++f) block.put_bins(f, bins_[begin + f], of(begin + f));
      block.fill(histograms.data() + begin * width);
    });
    ranks_.sum(std::span<std::int32_t>(histograms));
    std::vector<Split> splits(filters_.size());
    for_blocks([&](std::size_t begin, const BlockSearch& block, std::size_t count) {
      for (std::size_t f = 0; f < count; ++f)
        splits[begin + f] = block.best_cut(f, bins_[begin + f], histograms.data() + begin * width);
    });
    return splits;
  }

 private:
  std::span<std::int32_t> of(std::size_t f) { return {values_.data() + f * rows_, rows_}; }

  // work(begin, block, count) for each block of filters.
  template <class Work>
  void for_blocks(const Work& work) const {
    parallel_blocks(growth_.options.filter_threads, filters_.size(), kFilterBlock,
                    [&](std::size_t begin, std::size_t end) {
                      BlockSearch block(growth_, node_, filters_.subspan(begin, end - begin),
                                        begin);
                      work(begin, block, end - begin);
                    });
  }

  void find_values() {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int64_t> ends(2 * filters_.size(), kNone);  // the largest, the least negated
    for_blocks([&](std::size_t begin, const BlockSearch& block, std::size_t count) {
      for (std::size_t f = 0; f < count && rows_ > 0; ++f) {
        block.values(f, of(begin + f).data());
        const FilterBins::Range range = FilterBins::range_of(of(begin + f));
        ends[2 * (begin + f)] = range.most;
        ends[2 * (begin + f) + 1] = -std::int64_t{range.least};
      }
    });
    ranks_.maximum(ends);
    for (std::size_t f = 0; f < filters_.size(); ++f)
      bins_[f].begin(
          {static_cast<std::int32_t>(-ends[2 * f + 1]), static_cast<std::int32_t>(ends[2 * f])});
  }

  void find_bins() {
    std::vector<std::int32_t> counts(filters_.size() * FilterBins::kCells);
    const auto cells = [&](std::size_t f) {
      return std::span(counts).subspan(f * FilterBins::kCells, FilterBins::kCells);
    };
    parallel_for(growth_.options.filter_threads, filters_.size(),
                 [&](std::size_t f) { bins_[f].count_cells(of(f), cells(f)); });
    ranks_.sum(std::span<std::int32_t>(counts));
    for (std::size_t f = 0; f < filters_.size(); ++f) bins_[f].end(cells(f));
  }

  const Growth& growth_;
  std::size_t node_;
  std::span<const ImageFilter> filters_;
  Communicator& ranks_;
  std::size_t rows_;
  std::vector<std::int32_t> values_;
  std::vector<FilterBins> bins_;
};

}  // namespace

ImageFilter draw_filter(const ImageShape& shape, Random& random) {
  ImageFilter filter;
  FilterGrid grid{};
  do {
    filter.kind = static_cast<FilterKind>(random.below(kFilterKinds));
    grid = filter_grid(filter.kind);
  } while (grid.across > shape.width || grid.down > shape.height);
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint16_t>(random.below(bound));
  };
  filter.channel = below(shape.channels);
  filter.width = static_cast<std::uint16_t>(1 + below(shape.width / grid.across));
  filter.height = static_cast<std::uint16_t>(1 + below(shape.height / grid.down));
  filter.x = below(shape.width - grid.across * filter.width + 1);
  filter.y = below(shape.height - grid.down * filter.height + 1);
  return filter;
}

// A loop that compilers turn into vector instructions, as they do not with minmax_element().
FilterBins::Range FilterBins::range_of(std::span<const std::int32_t> values) {
  Range range{values.front(), values.front()};
  for (const std::int32_t value : values) {
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

void FilterBins::begin(Range range) {
  low_ = static_cast<std::uint32_t>(range.least);
  const std::uint32_t width = static_cast<std::uint32_t>(range.most) - low_;
  for (shift_ = 0; width >> shift_ >= kCells;) ++shift_;
  cells_ = (width >> shift_) + 1;
}

// Of many rows, in two tables by turns: often the same cell comes up again, and need not wait for
// its last count.
void FilterBins::count_cells(std::span<const std::int32_t> values,
                             std::span<std::int32_t> counts) const {
  constexpr std::size_t kManyRows = 4 * kCells;
  const auto cell = [&](std::size_t i) {
    return (static_cast<std::uint32_t>(values[i]) - low_) >> shift_;
  };
  std::size_t i = 0;
  if (values.size() >= kManyRows) {
    std::array<std::int32_t, kCells> others{};
    for (; i + 2 <= values.size(); i += 2) {
      ++counts[cell(i)];
      ++others[cell(i + 1)];
    }
    for (std::size_t c = 0; c < kCells; ++c) counts[c] += others[c];
  }
  for (; i < values.size(); ++i) ++counts[cell(i)];
}

// A bin is full when the rows so far are its share of all.
void FilterBins::end(std::span<const std::int32_t> counts) {
  std::size_t rows = 0;
  for (std::size_t cell = 0; cell < cells_; ++cell) rows += static_cast<std::size_t>(counts[cell]);
  size_ = 1;
  std::size_t seen = 0;
  std::size_t last = 0;  // that has rows
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (counts[cell] > 0 && seen * kMost >= size_ * rows && size_ < kMost) {
      // Half-way between the end of the last cell and the start of this one.
      const std::uint64_t end = (std::uint64_t{last} + 1) << shift_;
      const std::uint64_t start = std::uint64_t{cell} << shift_;
      const auto middle = static_cast<std::uint32_t>((end + start) / 2 - 1);
      limits_[size_ - 1] = static_cast<std::int32_t>(low_ + middle);
      ++size_;
    }
    bin_of_cell_[cell] = static_cast<std::uint8_t>(size_ - 1);
    seen += static_cast<std::size_t>(counts[cell]);
    if (counts[cell] > 0) last = cell;
  }
}

void FilterBins::assign(std::span<const std::int32_t> values) {
  begin(range_of(values));
  std::array<std::int32_t, kCells> counts{};
  count_cells(values, counts);
  end(counts);
}

std::vector<ImageFilter> node_filters(const ImageShape& shape, std::size_t count,
                                      const SplitChance& chance, const GrownTree& tree,
                                      std::size_t node) {
  Random random = node_random(chance, tree, node, kDrawFilters);
  std::vector<ImageFilter> filters(count);
  for (ImageFilter& filter : filters) filter = draw_filter(shape, random);
  return filters;
}

Split best_filter_cut(const Growth& growth, std::size_t node) {
  const std::vector<ImageFilter> filters = node_filters(
      growth.data.images()->shape(), growth.options.filters, growth.chance, growth.tree, node);
  std::vector<Split> splits(filters.size());
  const std::size_t rows = growth.tree.rows(growth.tree.nodes[node]).size();
  const int threads = rows * filters.size() < kParallelValues ? 1 : growth.options.filter_threads;
  if (growth.options.filter_ranks)
    splits = PartedSearch(growth, node, filters).run();
  else
    parallel_blocks(threads, filters.size(), kFilterBlock, [&](std::size_t begin, std::size_t end) {
      BlockSearch(growth, node, std::span(filters).subspan(begin, end - begin), begin)
          .run(splits.data() + begin);
    });
  return *std::max_element(splits.begin(), splits.end(),
                           [](const Split& a, const Split& b) { return a.score < b.score; });
}

}  // namespace simplexboost
