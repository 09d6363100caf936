// Ranks compare as the values and thresholds do whose ranks they are.
#include "model/predict/rank_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "model/predict/node_mask_kernels.h"

namespace simplexboost {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Even ones, crowded ones, and such whose differences overflow or vanish.
double random_number(Random& random, std::size_t kind) {
  const double x = random.uniform() - 0.5;
  switch (kind) {
    case 0: return x;
    case 1: return std::exp(60 * x);
    case 2: return 2 * x * kLargest;
    case 3: return std::floor(40 * x);
    default:
      return static_cast<double>(random.below(9)) * std::numeric_limits<double>::denorm_min();
  }
}

Dataset column_of(const std::vector<double>& values) {
  Dataset data;
  data.rows = values.size();
  data.columns.push_back(Column::numeric("x", values));
  return data;
}

TEST(RankColumns, CompareAsTheirNumbersDo) {
  for (std::size_t kind = 0; kind < 5; ++kind) {
    Random random(kind);
    std::vector<std::vector<Node>> trees(7);
    std::vector<double> values{0.0,
                               kLargest,
                               -kLargest,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};
    for (std::vector<Node>& nodes : trees) {
      nodes.resize(1 + random.below(255));
      for (Node& node : nodes) {
        node.threshold = random_number(random, kind);
        node.missing_left = random.below(2) == 0;
        values.push_back(random.below(2) == 0 ? node.threshold : random_number(random, kind));
      }
    }
    RankColumns columns;
    std::vector<std::vector<std::uint16_t>> numbers;
    for (const std::vector<Node>& nodes : trees) {
      numbers.emplace_back(nodes.size());
      ASSERT_TRUE(columns.add(nodes, numbers.back().data()));
    }
    columns.finish();
    EXPECT_GE(columns.size(), kind < 3 ? 4U : 2U);
    const std::size_t padded = padded_rows(values.size());
    std::vector<std::int8_t> ranks(columns.size() * padded);
    columns.set_ranks(column_of(values), 0, values.size(), ranks.data());
    for (std::size_t t = 0; t < trees.size(); ++t)
      for (std::size_t i = 0; i < trees[t].size(); ++i) {
        const Node& node = trees[t][i];
        const std::int8_t rank = columns.rank(numbers[t][i], node.threshold);
        const std::int8_t* const of_rows = ranks.data() + numbers[t][i] * padded;
        for (std::size_t r = 0; r < values.size(); ++r)
          ASSERT_EQ(of_rows[r] > rank,
                    std::isnan(values[r]) ? !node.missing_left : values[r] > node.threshold)
              << kind << ' ' << values[r] << ' ' << node.threshold;
      }
  }
}

}  // namespace
}  // namespace simplexboost
