#include "tree/split/filter_search.h"

#include <algorithm>
#include <array>
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

// The best cut of each of some filters, whose numbers begin at `first`.
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

  void run(Split* splits) {
    for (std::size_t f = 0; f < filters_.size(); ++f) bin(f);
    fill();
    for (std::size_t f = 0; f < filters_.size(); ++f) splits[f] = best_cut(f);
  }

 private:
  void bin(std::size_t f) {
    const IntegralImages& images = *growth_.data.images();
    scratch_.values.resize(rows_.size());
    scratch_.bins.resize(growth_.data.rows() * kFilterBlock + ByteStore::kPadding);
    images.values(filter_taps(filters_[f], images.shape()), rows_, scratch_.values.data());
    FilterBins& bins = scratch_.made[f];
    bins.assign(scratch_.values);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      scratch_.bins[rows_[i] * kFilterBlock + f] = bins.bin_of(scratch_.values[i]);
  }

  void fill() {
    const std::size_t channels = growth_.tree.channels;
    std::array<std::uint32_t, kFilterBlock> offsets{};
    for (std::size_t f = 0; f < filters_.size(); ++f)
      offsets[f] = static_cast<std::uint32_t>(f * FilterBins::kMost);
    scratch_.histogram.assign(filters_.size() * FilterBins::kMost * channels, 0);
    scratch_.left.resize(channels);
    kernels().fill(FillArgs<std::uint8_t>{scratch_.bins.data(), kFilterBlock, filters_.size(),
                                          offsets.data(), growth_.stats.data(), channels,
                                          rows_.data(), rows_.size(), scratch_.histogram.data()});
  }

  Split best_cut(std::size_t f) const {
    const FilterBins& bins = scratch_.made[f];
    Split split;
    if (bins.size() < 2) return split;
    const GrowthOptions& options = growth_.options;
    const std::size_t at = f * FilterBins::kMost * growth_.tree.channels;
    const ScanArgs args{scratch_.histogram.data() + at,
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

  const Growth& growth_;
  std::size_t node_;
  std::span<const ImageFilter> filters_;
  std::size_t first_;
  std::span<const std::uint32_t> rows_;
  FilterScratch& scratch_;
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

// Of many rows, in two tables by turns: often the same cell comes up again, and need not wait for
// its last count.
void FilterBins::count_cells(std::span<const std::int32_t> values,
                             std::array<std::uint32_t, kCells>& counts) const {
  constexpr std::size_t kManyRows = 4 * kCells;
  const auto cell = [&](std::size_t i) {
    return (static_cast<std::uint32_t>(values[i]) - low_) >> shift_;
  };
  std::size_t i = 0;
  if (values.size() >= kManyRows) {
    std::array<std::uint32_t, kCells> others{};
    for (; i + 2 <= values.size(); i += 2) {
      ++counts[cell(i)];
      ++others[cell(i + 1)];
    }
    for (std::size_t c = 0; c < kCells; ++c) counts[c] += others[c];
  }
  for (; i < values.size(); ++i) ++counts[cell(i)];
}

void FilterBins::assign(std::span<const std::int32_t> values) {
  // A loop that compilers turn into vector instructions, as they do not with minmax_element().
  std::int32_t least = values.front();
  std::int32_t most = values.front();
  for (const std::int32_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  low_ = static_cast<std::uint32_t>(least);
  const std::uint32_t range = static_cast<std::uint32_t>(most) - low_;
  for (shift_ = 0; range >> shift_ >= kCells;) ++shift_;
  const std::size_t cells = (range >> shift_) + 1;
  std::array<std::uint32_t, kCells> counts{};
  count_cells(values, counts);
  // A bin is full when the rows so far are its share of all.
  size_ = 1;
  std::size_t seen = 0;
  std::size_t last = 0;  // that has rows
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (counts[cell] > 0 && seen * kMost >= size_ * values.size() && size_ < kMost) {
      // Half-way between the end of the last cell and the start of this one.
      const std::uint64_t end = (std::uint64_t{last} + 1) << shift_;
      const std::uint64_t start = std::uint64_t{cell} << shift_;
      const auto middle = static_cast<std::uint32_t>((end + start) / 2 - 1);
      limits_[size_ - 1] = static_cast<std::int32_t>(low_ + middle);
      ++size_;
    }
    bin_of_cell_[cell] = static_cast<std::uint8_t>(size_ - 1);
    seen += counts[cell];
    if (counts[cell] > 0) last = cell;
  }
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
  parallel_blocks(threads, filters.size(), kFilterBlock, [&](std::size_t begin, std::size_t end) {
    BlockSearch(growth, node, std::span(filters).subspan(begin, end - begin), begin)
        .run(splits.data() + begin);
  });
  return *std::max_element(splits.begin(), splits.end(),
                           [](const Split& a, const Split& b) { return a.score < b.score; });
}

}  // namespace simplexboost
