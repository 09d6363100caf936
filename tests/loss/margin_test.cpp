#include "loss/margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {
namespace {

TEST(Margin, IsTheLeadOverTheBestRival) {
  const std::vector<float> scores{3, 1, 2, 3, 1, 2, 3, 1, 2};
  const std::vector<std::int32_t> labels{0, 1, 2};
  std::vector<float> margins(3);
  row_margins({3, 3, scores.data(), labels.data()}, margins.data());
  EXPECT_EQ(margins, (std::vector<float>{1, -2, -1}));
}

TEST(Margin, IsZeroWithoutRivals) {
  const float score = 5;
  const std::int32_t label = 0;
  float margin = -1;
  row_margins({1, 1, &score, &label}, &margin);
  EXPECT_EQ(margin, 0);
}

TEST(Margin, IsNotANumberForAClassUnknown) {
  const std::vector<float> scores{1, 2};
  const std::int32_t label = -1;
  float margin = 0;
  row_margins({1, 2, scores.data(), &label}, &margin);
  EXPECT_TRUE(std::isnan(margin));
}

TEST(Margin, IsFiniteWhateverTheScores) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> scores{kMost, -kMost, -kMost, kMost, none, 1};
  const std::vector<std::int32_t> labels{0, 0, 0};
  std::vector<float> margins(3);
  row_margins({3, 2, scores.data(), labels.data()}, margins.data());
  EXPECT_EQ(margins, (std::vector<float>{kMost, -kMost, -kMost}));
  const MarginSummary found = summarize_margins(margins, RowSpace(margins.size(), 1), 4);
  EXPECT_EQ(found.histogram, (std::vector<std::size_t>{2, 0, 0, 1}));
}

TEST(Histogram, OfARangeWithoutEndsStaysWithinItsBins) {
  const float most = std::numeric_limits<float>::infinity();
  const std::vector<float> values{-most, 0, most};
  const Histogram found = histogram(values, 3);
  EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), std::size_t{0}), 3U);
}

TEST(MarginSummary, HasTheFiguresOfTheSortedMargins) {
  const std::vector<float> margins{4, -2, 3, 1, 0, 2, -1, 5};
  const MarginSummary found = summarize_margins(margins, RowSpace(margins.size(), 1), 7);
  EXPECT_EQ(found.least, -2);
  EXPECT_EQ(found.lower_quartile, -1);
  EXPECT_EQ(found.median, 1);
  EXPECT_EQ(found.upper_quartile, 3);
  EXPECT_EQ(found.most, 5);
  EXPECT_EQ(found.mean, 1.5);
  EXPECT_EQ(found.histogram, (std::vector<std::size_t>{1, 1, 1, 1, 1, 1, 2}));
  const std::vector<float> one{-0.5F};
  EXPECT_EQ(summarize_margins(one, RowSpace(1, 1)).median, -0.5);
}

TEST(Histogram, CountsEveryValueOnce) {
  const std::vector<float> values{0, 0.1F, 0.5F, 0.99F, 1};
  const Histogram found = histogram(values, 4);
  EXPECT_EQ(found.low, 0);
  EXPECT_EQ(found.high, 1);
  EXPECT_EQ(found.counts, (std::vector<std::size_t>{2, 0, 1, 2}));
}

TEST(Histogram, CountsValuesBeyondTheRangeAtItsEnds) {
  const std::vector<float> values{-1e30F, 0.25F, 1e30F};
  EXPECT_EQ(histogram(values, 2, 0, 1).counts, (std::vector<std::size_t>{2, 1}));
}

TEST(Histogram, TakesEqualValuesAndNone) {
  EXPECT_EQ(histogram(std::vector<float>{2, 2, 2}, 3).counts, (std::vector<std::size_t>{3, 0, 0}));
  EXPECT_EQ(histogram({}, 3).counts, (std::vector<std::size_t>{0, 0, 0}));
}

}  // namespace
}  // namespace simplexboost
