// Statistics of categories of many values: what rows see of labels, and what they do not.
#include "data/target_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/fake_cluster.h"
#include "base/random.h"
#include "data/binned_dataset.h"

namespace simplexboost {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct NamesShape {
  std::size_t rows = 4000;
  std::size_t values = 200;
  std::size_t classes = 3;
  bool told = false;  // names tell the class, or nothing
  bool missing = false;
  bool weighted = false;
};

Dataset names_data(const NamesShape& shape, std::uint64_t seed = 1) {
  Random random(seed);
  Dataset data;
  data.rows = shape.rows;
  std::vector<std::int32_t> codes;
  for (std::size_t k = 0; k < shape.classes; ++k)
    data.labels.classes.push_back("k" + std::to_string(k));
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const auto name = static_cast<std::int32_t>(random.below(shape.values));
    const bool follows = shape.told && random.below(4) != 0;
    data.labels.codes.push_back(static_cast<std::int32_t>(
        follows ? static_cast<std::size_t>(name) % shape.classes : random.below(shape.classes)));
    codes.push_back(shape.missing && random.below(9) == 0 ? -1 : name);
    if (shape.weighted) data.weights.push_back(0.2 + random.uniform());
  }
  std::vector<std::string> names;
  for (std::size_t v = 0; v < shape.values; ++v) names.push_back("v" + std::to_string(v));
  data.columns.push_back(Column::categorical("name", codes, names));
  data.columns.push_back(Column::numeric("x", std::vector<double>(shape.rows, 1.0)));
  return data;
}

TargetStatistics statistics_of(const Dataset& data, StatisticsOptions options = {64, 256, 7},
                               int threads = 1, Communicator& ranks = no_others()) {
  return make_target_statistics(data, choose_bins(data, {options.max_bins, threads}, ranks),
                                options, RowSpace(data.rows, threads, ranks));
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// Of a statistic with what it counts: as training rows see it, and as rows to come do.
struct Told {
  double in_training;
  double to_come;
};

Told told_of(const Dataset& data, const TargetStatistics& statistics, std::size_t s) {
  std::vector<double> codes(data.rows);
  data.columns[0].copy(0, data.rows, codes.data());
  std::vector<double> before, after, truth;
  for (std::size_t i = 0; i < data.rows; ++i) {
    before.push_back(statistics.of_rows[s][i]);
    after.push_back(statistics.bins[2 + s].bin_of(codes[i]));
    truth.push_back(data.labels.codes[i] == static_cast<std::int32_t>(s) ? 1 : 0);
  }
  return {correlation(before, truth), correlation(after, truth)};
}

TEST(TargetStatistics, DoNotHoldTheRowsOwnLabel) {
  // Five rows a name, and labels that names say nothing of: the shares of all rows know the labels
  // by heart, those of the rows before do not.
  const Dataset data = names_data({.rows = 6000, .values = 1200});
  const TargetStatistics statistics = statistics_of(data);
  ASSERT_EQ(statistics.of_rows.size(), 3U);
  for (std::size_t s = 0; s < 3; ++s) {
    const Told told = told_of(data, statistics, s);
    EXPECT_LT(std::fabs(told.in_training), 4 / std::sqrt(6000.0));
    EXPECT_GT(told.to_come, 0.3);
  }
}

TEST(TargetStatistics, TellTheClassesThatNamesTell) {
  const Dataset data = names_data({.told = true});
  const TargetStatistics statistics = statistics_of(data);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_GT(told_of(data, statistics, s).in_training, 0.5);
}

TEST(TargetStatistics, OfUniqueNamesSayNothing) {
  Dataset data = names_data({.rows = 500, .values = 500});
  std::vector<std::int32_t> codes(500);
  std::iota(codes.begin(), codes.end(), 0);
  data.columns[0] = Column::categorical("name", codes, data.columns[0].schema.categories);
  const TargetStatistics statistics = statistics_of(data);
  ASSERT_EQ(statistics.of_rows.size(), 3U);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(statistics.bins[2 + s].value_bins, 1U);
    for (const std::uint16_t bin : statistics.of_rows[s]) EXPECT_EQ(bin, 0U);
  }
}

TEST(TargetStatistics, LeaveColumnsOfFewValuesAlone) {
  const Dataset data = names_data({.values = 64});
  EXPECT_TRUE(statistics_of(data).empty());
  EXPECT_FALSE(has_target_statistics(data, {64, 256, 7}));
  EXPECT_TRUE(has_target_statistics(data, {63, 256, 7}));
  EXPECT_EQ(statistics_of(data, {63, 256, 7}).bins[0].value_bins, 1U);
}

TEST(TargetStatistics, OfTwoClassesAreOneAndOfManyAreSixteen) {
  EXPECT_EQ(statistics_of(names_data({.classes = 2})).of_rows.size(), 1U);
  EXPECT_EQ(statistics_of(names_data({.classes = 40})).of_rows.size(), 16U);
}

TEST(TargetStatistics, PutWhatIsUnseenWhereNothingIsKnown) {
  const TargetStatistics whole = statistics_of(names_data({.told = true}));
  const FeatureBins& bins = whole.bins[2];
  EXPECT_EQ(bins.bin_of(kNoNumber), bins.unseen_bin);
  EXPECT_EQ(bins.bin_of(1e6), bins.unseen_bin);
  EXPECT_GT(bins.unseen_bin, 0U);
  EXPECT_LT(bins.unseen_bin, bins.value_bins);
  const TargetStatistics some = statistics_of(names_data({.told = true, .missing = true}));
  EXPECT_EQ(some.bins[2].bin_of(kNoNumber), some.bins[2].missing_bin());
  EXPECT_TRUE(some.bins[2].has_missing);
}

TEST(TargetStatistics, KeepToTheBinsThereMayBe) {
  const Dataset data = names_data({.rows = 20000, .values = 3000, .told = true});
  for (const int most : {2, 3, 17, 256, 1000}) {
    const TargetStatistics statistics = statistics_of(data, {64, most, 7});
    for (std::size_t s = 0; s < 3; ++s) {
      const FeatureBins& bins = statistics.bins[2 + s];
      EXPECT_LE(bins.value_bins, static_cast<std::uint32_t>(most - 1));
      for (const std::uint16_t bin : statistics.of_rows[s]) EXPECT_LT(bin, bins.value_bins);
    }
  }
}

TEST(TargetStatistics, DependNeitherOnThreadsNorOnRanks) {
  const Dataset data =
      names_data({.rows = 9000, .values = 700, .told = true, .missing = true, .weighted = true});
  const TargetStatistics alone = statistics_of(data);
  EXPECT_EQ(statistics_of(data, {64, 256, 7}, 3).of_rows, alone.of_rows);
  EXPECT_NE(statistics_of(data, {64, 256, 8}).of_rows, alone.of_rows);
  const std::vector<std::size_t> shares{3072, 0, 1024, 9000 - 4096};
  testing::FakeCluster(4).run([&](Communicator& ranks) {
    std::size_t first = 0;
    for (int r = 0; r < ranks.rank(); ++r) first += shares[static_cast<std::size_t>(r)];
    std::vector<std::uint32_t> rows(shares[static_cast<std::size_t>(ranks.rank())]);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
    const TargetStatistics here =
        statistics_of(select_rows(data, rows), {64, 256, 7}, 1 + ranks.rank() % 2, ranks);
    ASSERT_EQ(here.of_rows.size(), alone.of_rows.size());
    for (std::size_t s = 0; s < here.of_rows.size(); ++s) {
      EXPECT_EQ(here.bins[2 + s].category_bin, alone.bins[2 + s].category_bin);
      for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(here.of_rows[s][i], alone.of_rows[s][first + i]);
    }
  });
}

}  // namespace
}  // namespace simplexboost
