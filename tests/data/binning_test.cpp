// Bins: where their edges lie, what falls into them, and what does not change them.
#include "data/binning.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/fake_cluster.h"
#include "base/message_of.h"
#include "base/random.h"
#include "data/binned_dataset.h"

namespace simplexboost {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

Dataset one_column(Column column, std::size_t rows, std::vector<double> weights = {}) {
  Dataset data;
  data.rows = rows;
  data.columns.push_back(std::move(column));
  data.weights = std::move(weights);
  return data;
}

FeatureBins bins_of(const std::vector<double>& values, int max_bins = 256,
                    std::vector<double> weights = {}) {
  const Dataset data = one_column(Column::numeric("x", values), values.size(), std::move(weights));
  return choose_bins(data, {max_bins, 1})[0];
}

std::vector<double> random_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.normal();
  return values;
}

// The weight in each bin.
std::vector<double> loads(const FeatureBins& bins, const std::vector<double>& values,
                          const std::vector<double>& weights) {
  std::vector<double> result(bins.value_bins);
  for (std::size_t i = 0; i < values.size(); ++i) result[bins.bin_of(values[i])] += weights[i];
  return result;
}

TEST(Binning, FewValuesAreCutAtTheirMidpoints) {
  const FeatureBins bins = bins_of({3, 1, 2, 1, 7, 3});
  EXPECT_EQ(bins.thresholds, (std::vector<double>{1.5, 2.5, 5}));
  EXPECT_EQ(bins.value_bins, 4U);
  EXPECT_FALSE(bins.has_missing);
  EXPECT_EQ(bins.bin_of(1.5), 0U);  // a threshold is part of the bin below
  EXPECT_EQ(bins.bin_of(std::nextafter(1.5, 2)), 1U);
  EXPECT_EQ(bins.bin_of(-1e300), 0U);
  EXPECT_EQ(bins.bin_of(1e300), 3U);
  EXPECT_EQ(bins.bin_of(kNaN), 4U);
}

TEST(Binning, ConstantAndEmptyColumnsHaveOneBin) {
  EXPECT_EQ(bins_of({4, 4, 4}).value_bins, 1U);
  const FeatureBins none = bins_of({kNaN, kNaN});
  EXPECT_EQ(none.value_bins, 1U);
  EXPECT_TRUE(none.has_missing);
  EXPECT_EQ(none.histogram_bins(), 2U);
  EXPECT_EQ(bins_of({}).value_bins, 1U);
}

TEST(Binning, ZeroHasNoSign) {
  const FeatureBins bins = bins_of({-0.0, 0.0, 1.0, -1.0});
  EXPECT_EQ(bins.thresholds, (std::vector<double>{-0.5, 0.5}));
  EXPECT_EQ(bins.bin_of(-0.0), bins.bin_of(0.0));
}

TEST(Binning, ThresholdsPartNeighboursOfAnySize) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values{-infinity, -kLargest, -1e308, -1, -kTiny, 0,        kTiny,
                             2 * kTiny, 3 * kTiny, 1e-308, 1,  1e308,  kLargest, infinity};
  values.push_back(std::nextafter(1, 2));
  values.push_back(std::nextafter(values.back(), 2));
  values.erase(values.begin() + 1);  // no number lies between it and -infinity
  const FeatureBins bins = bins_of(values);
  std::sort(values.begin(), values.end());
  ASSERT_EQ(bins.thresholds.size(), values.size() - 1);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    EXPECT_TRUE(std::isfinite(bins.thresholds[i]));
    EXPECT_LE(values[i], bins.thresholds[i]);
    EXPECT_LT(bins.thresholds[i], values[i + 1]);
  }
}

RC_GTEST_PROP(Binning, ThresholdsPartAnyNumbers, ()) {
  const auto finite =
      rc::gen::suchThat(rc::gen::arbitrary<double>(), [](double x) { return std::isfinite(x); });
  auto values = *rc::gen::container<std::vector<double>>(finite);
  const FeatureBins bins = bins_of(values);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  RC_ASSERT(bins.value_bins == std::max<std::size_t>(values.size(), 1));
  for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(bins.bin_of(values[i]) == i);
}

TEST(Binning, BinOfCountsTheThresholdsBelow) {
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 100U, 1000U}) {
    const std::vector<double> values = random_numbers(count, count);
    const FeatureBins bins = bins_of(values, 65536);
    std::vector<double> probes = random_numbers(500, 77);
    probes.insert(probes.end(), bins.thresholds.begin(), bins.thresholds.end());
    probes.insert(probes.end(), values.begin(), values.end());
    for (const double probe : probes) {
      const auto below = std::lower_bound(bins.thresholds.begin(), bins.thresholds.end(), probe);
      EXPECT_EQ(bins.bin_of(probe), below - bins.thresholds.begin());
    }
  }
}

TEST(Binning, KeepsToTheLimitOfBins) {
  const std::vector<double> values = random_numbers(70'000, 1);
  for (const int max_bins : {2, 3, 4, 16, 255, 256, 257, 1000, 65535, 65536}) {
    const FeatureBins bins = bins_of(values, max_bins);
    EXPECT_EQ(bins.value_bins, static_cast<std::uint32_t>(max_bins - 1));
    EXPECT_TRUE(std::is_sorted(bins.thresholds.begin(), bins.thresholds.end()));
    for (const double value : values) ASSERT_LT(bins.bin_of(value), bins.value_bins);
  }
}

TEST(Binning, BinsHoldEvenSharesOfTheWeight) {
  const std::vector<double> values = random_numbers(30'000, 2);
  Random random(3);
  std::vector<double> weights(values.size());
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = values[i] > 0 ? 5 * random.uniform() : random.uniform();
    total += weights[i];
  }
  const FeatureBins bins = bins_of(values, 65, weights);
  const double share = total / 64;
  for (const double load : loads(bins, values, weights)) EXPECT_NEAR(load, share, 0.02 * share);
}

TEST(Binning, HeavyValuesStandAlone) {
  std::vector<double> values = random_numbers(1000, 4);
  values.insert(values.end(), 4000, 0.25);
  values.insert(values.end(), 3000, -0.5);
  const FeatureBins bins = bins_of(values, 33);
  const std::vector<double> ones(values.size(), 1);
  const std::vector<double> load = loads(bins, values, ones);
  EXPECT_EQ(bins.value_bins, 32U);
  EXPECT_EQ(load[bins.bin_of(0.25)], 4000);
  EXPECT_EQ(load[bins.bin_of(-0.5)], 3000);
  // The others share what is left.
  for (const double x : load) EXPECT_GT(x, 5);
}

TEST(Binning, RowsWithoutWeightAreNotSeen) {
  EXPECT_EQ(bins_of({1, 2, 3, 4}, 256, {1, 0, 1, 0}).thresholds, (std::vector<double>{2}));
  EXPECT_TRUE(bins_of({1, kNaN, 3}, 256, {1, 0, 1}).has_missing);
}

// Beyond the sample's size, the rows that count may stand in any rhythm.
TEST(Binning, SamplesAmongTheRowsThatCount) {
  const std::size_t rows = 3 * kBinningSample + 17;
  std::vector<double> values = random_numbers(rows, 5);
  std::vector<double> weights(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    weights[i] = i % 4 == 3 ? 1 : 0;
    if (i % 2 == 0) values[i] = kNaN;
  }
  for (const auto& chosen : {std::vector<double>(rows, 1), weights}) {
    const FeatureBins bins = bins_of(values, 17, chosen);
    ASSERT_EQ(bins.value_bins, 16U);
    std::vector<double> load(17);
    double total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (std::isnan(values[i])) continue;
      load[bins.bin_of(values[i])] += chosen[i];
      total += chosen[i];
    }
    for (std::size_t b = 0; b < 16; ++b) EXPECT_NEAR(load[b], total / 16, 0.05 * total / 16);
  }
}

TEST(Binning, CategoriesAreTheirOwnBins) {
  const Dataset data = one_column(Column::categorical("c", {2, 0, -1, 2}, {"a", "b", "c"}), 4);
  const FeatureBins bins = choose_bins(data, {256, 1})[0];
  EXPECT_EQ(bins.value_bins, 3U);
  EXPECT_TRUE(bins.has_missing);
  for (std::uint32_t code = 0; code < 3; ++code) EXPECT_EQ(bins.bin_of(code), code);
  EXPECT_EQ(bins.bin_of(kNaN), 3U);
  EXPECT_EQ(bins.bin_of(17), 3U);  // never seen in training
}

TEST(Binning, CodesWithoutANameAreMissing) {
  const Dataset data = one_column(Column::categorical("c", {0, 1, 5, -7}, {"a", "b"}), 4);
  const FeatureBins bins = choose_bins(data, {256, 1})[0];
  EXPECT_TRUE(bins.has_missing);
  const BinnedDataset binned(data, {bins}, 1);
  EXPECT_EQ(binned.values<std::uint8_t>(0)[2], bins.missing_bin());
  EXPECT_EQ(binned.values<std::uint8_t>(0)[3], bins.missing_bin());
}

TEST(Binning, RareCategoriesShareTheLastBin) {
  std::vector<std::int32_t> codes;
  std::vector<std::string> names;
  for (std::int32_t code = 0; code < 10; ++code) {
    names.push_back(std::to_string(code));
    for (std::int32_t i = 0; i <= (code * 7) % 10; ++i) codes.push_back(code);  // 1 .. 10 rows
  }
  const Dataset data = one_column(Column::categorical("c", codes, names), codes.size());
  const FeatureBins bins = choose_bins(data, {5, 1})[0];
  EXPECT_EQ(bins.value_bins, 4U);
  for (std::int32_t code = 0; code < 10; ++code) {
    const int rows = (code * 7) % 10 + 1;
    const auto bin = bins.bin_of(code);
    EXPECT_EQ(bin, rows >= 8 ? static_cast<std::uint32_t>(10 - rows) : 3U) << rows << " rows";
  }
}

TEST(Binning, StorageOfColumnsDoesNotMatter) {
  const std::size_t rows = 9000;
  Random random(6);
  std::vector<double> dense(rows);
  std::vector<std::uint32_t> sparse_rows;
  std::vector<double> sparse_values;
  std::vector<float> matrix(rows * 3);
  for (std::size_t i = 0; i < rows; ++i) {
    if (random.below(3) == 0) dense[i] = static_cast<float>(random.normal());
    if (random.below(50) == 0) dense[i] = kNaN;
    matrix[i * 3 + 1] = static_cast<float>(dense[i]);
    if (dense[i] == 0) continue;
    sparse_rows.push_back(static_cast<std::uint32_t>(i));
    sparse_values.push_back(dense[i]);
  }
  Column strided = Column::numeric("x", {});
  strided.scalar = Scalar::kFloat32;
  strided.data = reinterpret_cast<const std::byte*>(matrix.data() + 1);
  strided.stride = 3 * sizeof(float);
  Dataset data;
  data.rows = rows;
  data.columns = {Column::numeric("x", dense), strided,
                  Column::sparse_numeric("x", sparse_rows, sparse_values)};
  for (const int max_bins : {20, 65536}) {
    const auto bins = choose_bins(data, {max_bins, 1});
    EXPECT_EQ(bins[1].thresholds, bins[0].thresholds);
    EXPECT_EQ(bins[2].thresholds, bins[0].thresholds);
    const BinnedDataset binned(data, bins, 1);
    binned.visit([&]<class Bin>(const Bin*) {
      for (std::size_t i = 0; i < rows; ++i) {
        ASSERT_EQ(binned.values<Bin>(1)[i], binned.values<Bin>(0)[i]);
        ASSERT_EQ(binned.values<Bin>(2)[i], binned.values<Bin>(0)[i]);
        ASSERT_EQ(binned.values<Bin>(0)[i], bins[0].bin_of(dense[i]));
      }
    });
  }
}

TEST(Binning, ThreadsDoNotMatter) {
  Dataset data;
  data.rows = 5000;
  for (std::uint64_t f = 0; f < 40; ++f)
    data.columns.push_back(Column::numeric("x", random_numbers(data.rows, f)));
  const auto one = choose_bins(data, {64, 1});
  const BinnedDataset binned_one(data, one, 1);
  for (const int threads : {2, 3, 7}) {
    const auto bins = choose_bins(data, {64, threads});
    const BinnedDataset binned(data, bins, threads);
    for (std::size_t f = 0; f < 40; ++f) {
      ASSERT_EQ(bins[f].thresholds, one[f].thresholds);
      for (std::size_t i = 0; i < data.rows; ++i)
        ASSERT_EQ(binned.values<std::uint8_t>(f)[i], binned_one.values<std::uint8_t>(f)[i]);
    }
  }
}

TEST(BinnedDataset, TakesAByteAValueOrTwoIfWide) {
  Dataset data;
  data.rows = 1000;
  for (std::uint64_t f = 0; f < 19; ++f)
    data.columns.push_back(Column::numeric("x", random_numbers(data.rows, f)));
  const auto memory = [&](int max_bins) {
    return BinnedDataset(data, choose_bins(data, {max_bins, 1}), 1).memory();
  };
  EXPECT_EQ(memory(256), 19'000U);
  EXPECT_EQ(memory(257), 38'000U);
}

// Rows of a data set that ranks share, as they have them.
Dataset share_of(const Dataset& data, const std::vector<std::size_t>& shares, int rank) {
  std::size_t first = 0;
  for (int r = 0; r < rank; ++r) first += shares[static_cast<std::size_t>(r)];
  std::vector<std::uint32_t> rows(shares[static_cast<std::size_t>(rank)]);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
  return select_rows(data, rows);
}

void expect_same_bins(const Dataset& data, int max_bins) {
  const std::vector<FeatureBins> alone = choose_bins(data, {max_bins, 1});
  for (const int size : {2, 3, 5})
    for (std::size_t pattern = 0; pattern < 3; ++pattern) {
      const std::vector<std::size_t> shares = testing::uneven_shares(data.rows, size, pattern);
      testing::FakeCluster(size).run([&](Communicator& ranks) {
        const std::vector<FeatureBins> bins =
            choose_bins(share_of(data, shares, ranks.rank()), {max_bins, 2}, ranks);
        ASSERT_EQ(bins.size(), alone.size());
        for (std::size_t i = 0; i < bins.size(); ++i) {
          EXPECT_EQ(bins[i].thresholds, alone[i].thresholds);
          EXPECT_EQ(bins[i].category_bin, alone[i].category_bin);
          EXPECT_EQ(bins[i].value_bins, alone[i].value_bins);
          EXPECT_EQ(bins[i].has_missing, alone[i].has_missing);
          EXPECT_EQ(bins[i].type, alone[i].type);
        }
      });
    }
}

// Columns of all kinds: few values and many, missing ones, categories, more of them than bins.
Dataset mixed_columns(std::size_t rows, bool weighted) {
  Random random(rows);
  Dataset data;
  data.rows = rows;
  for (const std::size_t values : {1U, 40U, 260U, 1'000'000U}) {
    std::vector<double> numbers(rows);
    for (std::size_t i = 0; i < rows; ++i)
      numbers[i] = values == 40 && random.below(9) == 0
                       ? kNaN
                       : std::pow(static_cast<double>(random.below(values)), 1.5);
    data.columns.push_back(Column::numeric("x", numbers));
  }
  for (const std::size_t categories : {3U, 90U}) {
    std::vector<std::int32_t> codes(rows);
    for (std::int32_t& code : codes)
      code = static_cast<std::int32_t>(random.below(1 + random.below(categories))) -
             (categories == 3 ? 1 : 0);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < categories; ++k) names.push_back(std::to_string(k));
    data.columns.push_back(Column::categorical("c", codes, names));
  }
  for (std::size_t i = 0; weighted && i < rows; ++i)
    data.weights.push_back(random.below(6) == 0 ? 0 : random.uniform());
  return data;
}

TEST(Binning, BinsAreTheSameHoweverRowsAreParted) {
  for (const bool weighted : {false, true})
    for (const int max_bins : {16, 256}) expect_same_bins(mixed_columns(7000, weighted), max_bins);
}

TEST(Binning, SamplesAreTheSameHoweverRowsAreParted) {
  expect_same_bins(mixed_columns(2 * kBinningSample + 777, true), 256);
}

// A sparse set may be small where its bins are not.
TEST(BinnedData, ThatWouldNotFitIsRefusedWithItsSize) {
  Dataset data;
  data.rows = std::numeric_limits<std::uint32_t>::max();
  const FeatureBins bins = bins_of({0, 1});
  std::vector<FeatureBins> all(100'000, bins);
  for (std::size_t j = 0; j < all.size(); ++j)
    data.columns.push_back(Column::sparse_numeric("x", {}, {}));
  const std::string said = testing::message_of([&] { const BinnedDataset binned(data, all, 1); });
  EXPECT_EQ(
      said.rfind("bins of 4294967295 x 100000 would take 400000.0 GB, and this machine has", 0), 0U)
      << said;
}

}  // namespace
}  // namespace simplexboost
