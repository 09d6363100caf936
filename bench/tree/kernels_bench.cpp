// The inner loops of training, each beside the limit that the machine sets, measured in the same
// run on one core. Counters: limit_ns for one call, and ratio = time / limit. bench/kernels prints
// them as a table.
#include "tree/kernels/kernels.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "../machine_limits.h"
#include "base/aligned_vector.h"
#include "base/random.h"
#include "loss/loss.h"
#include "tree/grower.h"
#include "tree/histogram/row_stats.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/leaf/leaf_refit.h"

namespace simplexboost {
namespace {

constexpr std::size_t kBins = 256;

std::size_t argument(const benchmark::State& state, std::size_t i) {
  return static_cast<std::size_t>(state.range(i));
}

AlignedVector<float> random_floats(std::size_t count, double low, double high) {
  Random random(1);
  AlignedVector<float> values(count);
  for (float& x : values) x = static_cast<float>(low + (high - low) * random.uniform());
  return values;
}

RowStats random_stats(std::size_t rows, std::size_t width) {
  RowStats stats;
  const AlignedVector<float> pulls = random_floats(rows * width, -1, 1);
  stats.assign({rows, width, pulls.data(), nullptr, nullptr}, {rows, 1});
  return stats;
}

// A node of every fourth row, on average, of a training set that is laid out as BinnedDataset does
// it; or the root, where that would be too large. Values are spread evenly over all bins, which is
// the hardest case: no bin is in the cache more often than another.
void histogram_fill(benchmark::State& state) {
  const std::size_t rows = argument(state, 0);
  const std::size_t features = argument(state, 1);
  const bool root = rows > 200'000;
  const std::size_t all = root ? rows : rows * 4;
  const RowStats stats = random_stats(all, argument(state, 2));
  const std::size_t channels = stats.channels();
  Random random(2);
  constexpr std::size_t kGroup = BinnedDataset::kGroup;
  const std::size_t groups = (features + kGroup - 1) / kGroup;
  AlignedVector<std::uint8_t> bins(groups * kGroup * all);
  for (std::uint8_t& bin : bins) bin = static_cast<std::uint8_t>(random.next() >> 56);
  std::vector<std::uint32_t> chosen(rows);
  for (std::size_t i = 0; i < rows; ++i)
    chosen[i] = static_cast<std::uint32_t>(root ? i : 4 * i + random.below(4));
  std::vector<std::uint32_t> offsets(kGroup);
  for (std::size_t f = 0; f < kGroup; ++f) offsets[f] = static_cast<std::uint32_t>(f * kBins);
  AlignedVector<std::int32_t> histogram(groups * kGroup * kBins * channels);
  std::size_t width = 1;
  while (fits_block(width + 1, (width + 1) * kBins, channels)) ++width;
  // Every vector added once in the first cache; or, where that takes longer, every row read once.
  const double adds = static_cast<double>(rows * features * vectors_of(channels)) / add_rate();
  const double bytes = static_cast<double>(rows * (features + 4 * channels)) / copy_bandwidth();
  const Limit limit(state, std::max(adds, bytes));
  for (auto _ : state) {
    for (std::size_t first = 0; first < features;) {
      const std::size_t group = first / kGroup;
      const std::size_t end = std::min({first + width, (group + 1) * kGroup, features});
      kernels().fill(FillArgs<std::uint8_t>{bins.data() + group * kGroup * all + first % kGroup,
                                            kGroup, end - first, offsets.data(), stats.data(),
                                            channels, root ? nullptr : chosen.data(), rows,
                                            histogram.data() + first * kBins * channels});
      first = end;
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(histogram_fill)
    ->ArgNames({"rows", "features", "d"})
    ->ArgsProduct({{1000, 16'000, 128'000}, {16, 128, 600}, {1, 4, 10, 26, 100}})
    ->ArgsProduct({{1'000'000}, {16}, {1, 4, 10, 26, 100}})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.05);

// Whether statistics of 16 bits would pay: the loop of histogram_fill for a sketch of six channels,
// once for each type of the statistics and of the sums. Counter: ns for a row and feature.
using Int32x8 = std::int32_t __attribute__((vector_size(32)));
using Int16x8 = std::int16_t __attribute__((vector_size(16)));

template <class Stats, class Sums>
__attribute__((target("avx2"))) void fill_by_type(const std::vector<std::uint8_t>& bins,
                                                  const AlignedVector<Stats>& stats,
                                                  AlignedVector<Sums>& histogram) {
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const Sums row = __builtin_convertvector(stats[i], Sums);
    for (std::size_t f = 0; f < kBlockFeatures; ++f)
      histogram[f * kBins + bins[i * kBlockFeatures + f]] += row;
  }
}

template <class Stats, class Sums>
void fill_of_types(benchmark::State& state) {
  const std::size_t rows = argument(state, 0);
  const auto values = static_cast<std::uint64_t>(state.range(1));
  Random random(3);
  std::vector<std::uint8_t> bins(rows * kBlockFeatures);
  for (std::uint8_t& bin : bins) bin = static_cast<std::uint8_t>(random.below(values));
  AlignedVector<Stats> stats(rows);
  for (Stats& row : stats)
    for (std::size_t c = 0; c < 8; ++c) row[c] = static_cast<std::int16_t>(random.below(100));
  AlignedVector<Sums> histogram(kBlockFeatures * kBins);
  for (auto _ : state) {
    fill_by_type(bins, stats, histogram);
    benchmark::DoNotOptimize(histogram.data());
  }
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(rows * kBlockFeatures) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(fill_of_types<Int32x8, Int32x8>)
    ->ArgNames({"rows", "bins"})
    ->ArgsProduct({{16'000, 1'000'000}, {16, 64, 256}});
BENCHMARK(fill_of_types<Int16x8, Int32x8>)
    ->ArgNames({"rows", "bins"})
    ->ArgsProduct({{16'000, 1'000'000}, {16, 64, 256}});
BENCHMARK(fill_of_types<Int16x8, Int16x8>)
    ->ArgNames({"rows", "bins"})
    ->ArgsProduct({{16'000, 1'000'000}, {16, 64, 256}});

void histogram_subtract(benchmark::State& state) {
  const std::size_t channels = padded_channels(kPullChannel + argument(state, 1));
  const std::size_t size = argument(state, 0) * kBins * channels;
  const AlignedVector<std::int32_t> whole(size, 3);
  const AlignedVector<std::int32_t> part(size, 1);
  AlignedVector<std::int32_t> out(size);
  const Limit limit(state, static_cast<double>(3 * size * 4) / copy_bandwidth());
  for (auto _ : state) {
    kernels().subtract(out.data(), whole.data(), part.data(), size);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(histogram_subtract)
    ->ArgNames({"features", "d"})
    ->ArgsProduct({{16, 600}, {1, 10, 26, 100}})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.05);

// The limit: every vector of the histogram added to the running sums, once.
void split_scan(benchmark::State& state) {
  const RowStats stats = random_stats(kBins, argument(state, 0));
  const std::size_t channels = stats.channels();
  AlignedVector<std::int32_t> total(channels);
  std::vector<std::uint32_t> rows(kBins);
  for (std::size_t i = 0; i < kBins; ++i) rows[i] = static_cast<std::uint32_t>(i);
  stats.sum_rows(rows, total.data());
  const auto kind = static_cast<CriterionKind>(state.range(1));
  const CriterionSpec criterion = stats.criterion(kind, 1);
  const ScanArgs args{stats.data(), kBins, false, total.data(), &criterion, 1, 0};
  AlignedVector<std::int32_t> left(channels);
  const Limit limit(state, static_cast<double>(kBins * vectors_of(channels)) / add_rate());
  for (auto _ : state) benchmark::DoNotOptimize(kernels().scan(args, left.data()));
}
BENCHMARK(split_scan)
    ->ArgNames({"d", "criterion"})
    ->ArgsProduct({{1, 4, 10, 26, 100},
                   {static_cast<int>(CriterionKind::kLeastSquares),
                    static_cast<int>(CriterionKind::kVote)}})
    ->MinTime(0.05);

// Softmax, pulls and curvatures of the logistic loss: scores are read, the other two written.
void softmax_pulls(benchmark::State& state) {
  const std::size_t rows = argument(state, 0);
  const std::size_t classes = argument(state, 1);
  const AlignedVector<float> scores = random_floats(rows * classes, -3, 3);
  Random random(3);
  std::vector<std::int32_t> labels(rows);
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(classes));
  AlignedVector<float> pulls(rows * classes);
  AlignedVector<float> curvature(rows * classes);
  const auto loss = make_loss("logistic");
  const LossBlock block{rows, classes, scores.data(), labels.data()};
  const Limit limit(state, static_cast<double>(3 * rows * classes * 4) / copy_bandwidth());
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        class_pulls(*loss, block, RowSpace(block.rows, 1), pulls.data(), curvature.data()));
  }
}
BENCHMARK(softmax_pulls)
    ->ArgNames({"rows", "classes"})
    ->ArgsProduct({{16'000, 1'000'000}, {4, 10, 26}})
    ->Args({16'000, 100})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.05);

// A tree of 64 leaves on one feature; the limit is reading its pulls and curvatures.
void leaf_refit(benchmark::State& state) {
  const std::size_t rows = argument(state, 0);
  const std::size_t width = argument(state, 1);
  Random random(4);
  Dataset data;
  data.rows = rows;
  std::vector<double> x(rows);
  for (double& value : x) value = random.uniform();
  data.columns.push_back(Column::numeric("x", std::move(x)));
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  GrowthOptions growth;
  growth.best_first = true;
  growth.max_leaves = 64;
  TreeGrower grower(binned, {binned.rows(), 1}, growth);
  const RowStats stats = random_stats(rows, 1);
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 1);
  const GrownTree& tree = grower.grow(stats, criterion);
  Leaves leaves;
  set_leaves(tree, stats, LeafRule::kMean, 1, leaves);
  const AlignedVector<float> pulls = random_floats(rows * width, -1, 1);
  const AlignedVector<float> curvature = random_floats(rows * width, 0, 1);
  const KeptLeafTarget target(width, pulls.data(), curvature.data());
  const Limit limit(state, static_cast<double>(2 * rows * width * 4) / copy_bandwidth());
  std::vector<std::uint32_t> leaf_of_row(rows);
  assign_leaves(tree, leaves.of_node, binned, 1, leaf_of_row.data());
  for (auto _ : state) refit_leaves(tree, leaf_of_row, {target, nullptr, 1}, {rows, 1}, leaves);
}
BENCHMARK(leaf_refit)
    ->ArgNames({"rows", "classes"})
    ->ArgsProduct({{16'000, 1'000'000}, {4, 10, 26}})
    ->Args({16'000, 100})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.05);

}  // namespace
}  // namespace simplexboost
