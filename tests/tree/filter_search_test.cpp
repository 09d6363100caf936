// The search for filters against its naive twin: every filter of a node, every value as a cut, from
// the rows themselves.
#include "tree/split/filter_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "tree/grower.h"
#include "tree/naive_splits.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::NaiveOptions;
using testing::NaiveSplits;
using testing::random_problem;
using testing::RandomProblem;
using testing::stats_of;

constexpr ImageShape kShape{4, 3, 1};

// Rows of 12 features as images of 4 x 3.
struct ImageProblem {
  RandomProblem problem;
  BinnedDataset binned;
  RowStats stats;

  explicit ImageProblem(std::size_t rows, std::uint64_t seed)
      : problem(make(rows, seed)), binned(problem.binned()), stats(stats_of(problem)) {
    const ImageShape shape =
        fit_image_shape(problem.data, kShape);  // quarters are no whole numbers
    binned.set_images(std::make_shared<IntegralImages>(problem.data, shape, 1));
  }

  static RandomProblem make(std::size_t rows, std::uint64_t seed) {
    Random random(seed);
    return random_problem(
        {.rows = rows, .features = 12, .width = 3, .missing = seed % 3 == 0, .zero_weights = false},
        random);
  }
};

double naive_best(const ImageProblem& of, const NaiveSplits& naive, const ImageFilter& filter) {
  const FilterTaps taps = filter_taps(filter, kShape);
  const IntegralImages& images = *of.binned.images();
  std::set<std::int32_t> values;
  for (std::size_t i = 0; i < of.problem.data.rows; ++i) values.insert(images.value(taps, i));
  double best = kNoCut;
  for (const std::int32_t limit : values) {
    NaiveSplits::Rows left;
    NaiveSplits::Rows right;
    for (std::uint32_t i = 0; i < of.problem.data.rows; ++i)
      (images.value(taps, i) <= limit ? left : right).push_back(i);
    if (!right.empty()) best = std::max(best, naive.score(left, right));
  }
  return best;
}

TEST(FilterSearch, FindsTheBestCutOfAllFiltersOfANode) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const ImageProblem of(10 + seed % 50, seed);
    GrowthOptions options;
    options.max_depth = 1;
    options.filters = 1 + seed % 20;
    NaiveOptions naive_options;
    naive_options.kind = seed % 2 == 0 ? CriterionKind::kLeastSquares : CriterionKind::kClass;
    const NaiveSplits naive(of.problem, of.binned, naive_options, nullptr);
    const CriterionSpec criterion = of.stats.criterion(naive_options.kind, 0);
    TreeGrower grower(of.binned, RowSpace(of.problem.data.rows, 1), options);
    const SplitChance chance{seed, 0};
    GrownTree tree = grower.grow(of.stats, criterion, {}, chance);
    const Sample all;
    const Growth growth{of.binned, options, of.stats, criterion, all, nullptr, chance, tree};
    double best = kNoCut;
    for (const ImageFilter& filter : node_filters(kShape, options.filters, chance, tree, 0))
      best = std::max(best, naive_best(of, naive, filter));
    const double unit = of.stats.score_unit(naive_options.kind);
    const Split found = best_filter_cut(growth, 0);
    ASSERT_EQ(found.valid(), best > kNoCut);
    if (!found.valid()) continue;
    const double score = static_cast<double>(found.score) * unit;
    EXPECT_NEAR(score, best, 1e-4 * (1 + std::fabs(best)));
    // What it says of itself is what its cut does.
    NaiveSplits::Rows sides[2];
    const FilterPredicate goes_left(found, *of.binned.images());
    for (std::uint32_t i = 0; i < of.problem.data.rows; ++i)
      sides[goes_left(i) ? 0 : 1].push_back(i);
    EXPECT_NEAR(naive.score(sides[0], sides[1]), score, 1e-4 * (1 + std::fabs(best)));
  }
}

TEST(FilterSearch, DrawsEveryKindEverySizeAndEveryPlace) {
  Random random(1);
  std::set<std::vector<std::uint32_t>> seen;
  for (int i = 0; i < 20000; ++i) {
    const ImageFilter filter = draw_filter(kShape, random);
    ASSERT_TRUE(fits_image(filter, kShape));
    seen.insert(
        {filter.x, filter.y, filter.width, filter.height, static_cast<std::uint32_t>(filter.kind)});
  }
  // Across: widths 1 and 2 have 3 + 1 places, heights 6; and so on.
  EXPECT_EQ(seen.size(), 4U * 6 + 10U * 2 + 2U * 6 + 10U * 1 + 4U * 2);
  for (int i = 0; i < 100; ++i) {
    const ImageShape line{1, 2, 1};
    EXPECT_EQ(draw_filter(line, random).kind, FilterKind::kTwoDown) << "all others are too wide";
  }
}

TEST(FilterBins, ManyRowsFillBinsAlikeAndLimitsPartThem) {
  Random random(2);
  std::vector<std::int32_t> values(5000);
  for (std::int32_t& value : values) {
    const double far = random.normal();
    value = static_cast<std::int32_t>(1e7 * far * far * far);
  }
  FilterBins bins;
  bins.assign(values);
  std::vector<std::size_t> counts(bins.size());
  for (const std::int32_t value : values) {
    const std::uint32_t bin = bins.bin_of(value);
    ASSERT_LT(bin, bins.size());
    ++counts[bin];
    ASSERT_TRUE(bin == 0 || value > bins.limit(bin - 1));
    ASSERT_TRUE(bin + 1 == bins.size() || value <= bins.limit(bin));
  }
  EXPECT_GT(bins.size(), 8U);
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 0U);
}

TEST(FilterBins, TakesTheEndsOfTheIntegers) {
  const std::vector<std::int32_t> ends = {std::numeric_limits<std::int32_t>::min(), 0,
                                          std::numeric_limits<std::int32_t>::max()};
  FilterBins bins;
  bins.assign(ends);
  EXPECT_EQ(bins.size(), 3U);
  EXPECT_LT(bins.limit(0), 0);
  EXPECT_GE(bins.limit(1), 0);
  bins.assign(std::vector<std::int32_t>(5, 7));
  EXPECT_EQ(bins.size(), 1U);
}

}  // namespace
}  // namespace simplexboost
