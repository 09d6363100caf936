#include "data/shared_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "data/exclusive_features.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

// Features of so many values, each.
std::vector<FeatureBins> of_so_many(const std::vector<std::uint32_t>& values) {
  std::vector<FeatureBins> bins(values.size());
  for (std::size_t f = 0; f < values.size(); ++f) bins[f].value_bins = values[f];
  return bins;
}

SharedBytes share(const std::vector<FeatureBins>& bins) {
  std::vector<std::uint32_t> all(bins.size());
  std::iota(all.begin(), all.end(), 0U);
  return {bins, all};
}

TEST(SharedBytes, TakePairsOfSixteenValuesAndEightOfTwo) {
  const SharedBytes pairs = share(of_so_many({16, 16, 16, 16}));
  ASSERT_EQ(pairs.bytes().size(), 2U);
  EXPECT_EQ(pairs.bytes()[0].codes, 256U);
  const SharedBytes twos = share(of_so_many(std::vector<std::uint32_t>(9, 2)));
  ASSERT_EQ(twos.bytes().size(), 1U);
  EXPECT_EQ(twos.bytes()[0].features.size(), 8U);
  EXPECT_FALSE(twos.shares(8));  // alone it has a byte of its own
}

TEST(SharedBytes, TakeTenFeaturesOfCardsInFour) {
  const SharedBytes cards = share(of_so_many({4, 13, 4, 13, 4, 13, 4, 13, 4, 13}));
  EXPECT_EQ(cards.bytes().size(), 4U);
  for (const SharedBytes::Byte& byte : cards.bytes()) EXPECT_LE(byte.codes, 256U);
}

TEST(SharedBytes, LeaveOutWhatIsConstantOrHasManyValuesOrIsMadeOfLabels) {
  std::vector<FeatureBins> bins = of_so_many({1, 129, 2, 2, 2});
  bins[2].column = 0;
  bins[3].has_missing = true;
  const SharedBytes shared = share(bins);
  ASSERT_EQ(shared.bytes().size(), 1U);
  EXPECT_EQ(shared.bytes()[0].features, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(shared.bytes()[0].codes, 6U);
}

TEST(SharedBytes, TellWhichOfExclusiveFeaturesIsNotInItsDefaultBin) {
  std::vector<FeatureBins> bins = of_so_many({2, 3, 4});
  bins[0].default_bin = 0;
  bins[1].default_bin = 1;
  bins[2].default_bin = 3;
  const SharedBytes shared(bins, {}, {{0, 1, 2}});
  ASSERT_EQ(shared.bytes().size(), 1U);
  EXPECT_EQ(shared.bytes()[0].codes, 7U);  // the defaults, and 1 + 2 + 3 others
  for (std::uint32_t f = 0; f < 3; ++f)
    for (std::uint32_t bin = 0; bin < bins[f].value_bins; ++bin)
      for (std::uint32_t other = 0; other < 3; ++other)
        EXPECT_EQ(shared.digits(other)[shared.addend(f, bin)],
                  other == f ? bin : bins[other].default_bin);
}

// Half of the rows are in one of five columns, each of which has a twin that is not taken with it.
TEST(SharedBytes, FindWhatExcludesEachOther) {
  Dataset data;
  data.rows = 1000;
  std::vector<std::vector<double>> values(10, std::vector<double>(data.rows));
  for (std::size_t i = 0; i < data.rows; i += 2) values[i / 2 % 5][i] = 1;
  for (std::size_t k = 0; k < 5; ++k) values[5 + k] = values[k];
  for (const std::vector<double>& of : values) data.columns.push_back(Column::numeric("x", of));
  std::vector<FeatureBins> bins = choose_bins(data, {256, 1});
  ASSERT_TRUE(bins[0].sparse());
  std::vector<std::uint32_t> all(10);
  std::iota(all.begin(), all.end(), 0U);
  const std::vector<std::vector<std::uint32_t>> expected = {{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}};
  EXPECT_EQ(find_exclusive(data, bins, all), expected);
  // A tenth of the rows is too few, and one feature gains nothing.
  EXPECT_TRUE(find_exclusive(data, bins, {0}).empty());
  EXPECT_TRUE(find_exclusive(data, bins, {0, 5}).empty());
}

// Every row is in one column of each category: side by side, and in turn.
TEST(SharedBytes, FindTheColumnsOfAnyNumberOfCategories) {
  constexpr std::size_t kValues = 12;
  for (const bool in_turn : {false, true}) {
    const std::size_t categories = in_turn ? 60 : 70;
    Dataset data;
    data.rows = 3000;
    Random random(1);
    std::vector<std::vector<double>> values(categories * kValues, std::vector<double>(data.rows));
    std::vector<std::vector<std::uint32_t>> expected(categories);
    for (std::uint32_t c = 0; c < categories; ++c) {
      const auto place = [&](std::size_t value) {
        return in_turn ? value * categories + c : c * kValues + value;
      };
      for (std::size_t i = 0; i < data.rows; ++i) values[place(random.below(kValues))][i] = 1;
      for (std::size_t value = 0; value < kValues; ++value)
        expected[c].push_back(static_cast<std::uint32_t>(place(value)));
    }
    for (const std::vector<double>& of : values) data.columns.push_back(Column::numeric("x", of));
    const std::vector<FeatureBins> bins = choose_bins(data, {256, 1});
    std::vector<std::uint32_t> all(values.size());
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(find_exclusive(data, bins, all), expected);
  }
}

TEST(SharedBytes, HaveTheBinsOfFeaturesOfTheirOwn) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    testing::ProblemShape shape;
    shape.rows = 3000;
    shape.features = 41;
    shape.numbers = 2 + random.below(20);
    shape.categories = 5;
    const testing::RandomProblem problem = testing::random_problem(shape, random);
    const BinnedDataset own = problem.binned();
    const BinnedDataset shared = problem.binned(3, ByteUse::kShared);
    EXPECT_LT(shared.dense_columns(), own.dense_columns());
    EXPECT_LT(shared.memory(), own.memory());
    for (std::size_t f = 0; f < 41; ++f)
      for (std::size_t i = 0; i < shape.rows; i += 7)
        ASSERT_EQ(shared.bin(f, i), own.bin(f, i)) << f;
  }
}

}  // namespace
}  // namespace simplexboost
