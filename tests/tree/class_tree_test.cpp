#include "tree/classes/class_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "boosting/labelled_data.h"
#include "data/binning.h"
#include "tree/kernels/side_counts.h"
#include "tree/split/filter_search.h"

namespace simplexboost {
namespace {

using testing::DataShape;
using testing::labelled_data;
using testing::multi_label_data;
using Item = ClassItem;

struct ClassProblem {
  Dataset data;
  BinnedDataset bins;
  BinColumns columns;

  explicit ClassProblem(Dataset given)
      : data(std::move(given)), bins(data, choose_bins(data, {256, 1}), 1), columns(bins, 1) {}

  // The features are the pixels of images of 3 x 3.
  void take_images() {
    const ImageShape shape = fit_image_shape(data, {3, 3, 1});
    bins.set_images(std::make_shared<IntegralImages>(data, shape, 1));
  }

  ClassTree grow(const ClassTreeOptions& options, std::vector<ClassItem> items,
                 std::span<const std::uint32_t> features, std::uint64_t seed,
                 std::span<std::uint32_t> leaf_of_row = {}) const {
    Random random(seed);
    return grow_class_tree(columns, data.labels, options, items, features, random, leaf_of_row);
  }
};

std::vector<Item> all_rows(const Dataset& data) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < data.rows; ++i) items.push_back({i, 0, 1.0F + (i % 3 == 0)});
  return items;
}

std::map<std::size_t, std::vector<Item>> rows_of_leaves(const ClassProblem& problem,
                                                        const ClassTree& tree) {
  std::map<std::size_t, std::vector<Item>> leaves;
  for (const Item& item : all_rows(problem.data))
    leaves[leaf_of(tree, problem.bins, item.row)].push_back(item);
  return leaves;
}

std::map<std::uint32_t, double> said(const ClassTree& tree, std::size_t leaf) {
  std::map<std::uint32_t, double> shares;
  for (std::size_t e = leaf == 0 ? 0 : tree.leaves.ends[leaf - 1]; e < tree.leaves.ends[leaf]; ++e)
    shares[tree.leaves.outputs[e]] += static_cast<double>(tree.leaves.values[e]);
  return shares;
}

// The Gini index of a cut by counting from scratch: what is left of it, as the grower scores it.
double naive_score(const ClassProblem& problem, std::uint32_t feature, const Split& split) {
  const SplitPredicate left(split, problem.bins.bins(feature));
  double sums[2] = {0, 0};
  double rows[2] = {0, 0};
  std::map<std::int32_t, double> counts[2];
  for (const Item& item : all_rows(problem.data)) {
    const int side = left(problem.bins.values<std::uint8_t>(feature)[item.row]) ? 0 : 1;
    const auto weight = static_cast<double>(item.weight);
    const Labels& labels = problem.data.labels;
    rows[side] += weight;
    if (!labels.multi_label())
      counts[side][labels.codes[item.row]] += weight;
    else
      for (std::size_t j = labels.offsets[item.row]; j < labels.offsets[item.row + 1]; ++j)
        counts[side][labels.codes[j]] += weight;
  }
  double score = 0;
  for (int side = 0; side < 2; ++side) {
    for (const auto& [label, count] : counts[side]) sums[side] += count * count;
    if (rows[side] > 0) score += sums[side] / rows[side];
  }
  return score;
}

TEST(ClassTree, LeavesSayTheSharesOfTheirRows) {
  for (const bool drawn : {false, true})
    for (const bool sets : {false, true}) {
      const DataShape shape{400, 5, 4, true, 0.3};
      const ClassProblem problem(sets ? multi_label_data(shape, 3) : labelled_data(shape, 3));
      const ClassTree tree = problem.grow({.features = 2, .drawn = drawn, .min_rows = 5},
                                          all_rows(problem.data), {}, 1);
      EXPECT_GT(tree.nodes.size(), 10U);
      EXPECT_EQ(tree.leaves.ends.size(), tree.nodes.size() + 1);
      const auto leaves = rows_of_leaves(problem, tree);
      EXPECT_EQ(leaves.size(), tree.leaves.ends.size());
      for (const auto& [leaf, rows] : leaves) {
        EXPECT_GE(rows.size(), 5U);
        double total = 0;
        std::map<std::uint32_t, double> counts;
        const Labels& labels = problem.data.labels;
        for (const Item& item : rows) {
          total += static_cast<double>(item.weight);
          const std::size_t begin = sets ? labels.offsets[item.row] : item.row;
          const std::size_t end = sets ? labels.offsets[item.row + 1] : item.row + 1;
          for (std::size_t j = begin; j < end; ++j)
            counts[static_cast<std::uint32_t>(labels.codes[j])] += static_cast<double>(item.weight);
        }
        const auto shares = said(tree, leaf);
        EXPECT_EQ(shares.size(), counts.size());
        for (const auto& [label, count] : counts)
          EXPECT_NEAR(shares.at(label), count / total, 1e-6);
      }
    }
}

TEST(ClassTree, SearchedCutIsTheBestOfAll) {
  for (const bool sets : {false, true}) {
    const DataShape shape{200, 4, 4, false, 0.2};
    ClassProblem problem(sets ? multi_label_data(shape, 5) : labelled_data(shape, 5));
    const ClassTree tree = problem.grow({.features = 4, .drawn = false, .max_depth = 1},
                                        all_rows(problem.data), {}, 1);
    ASSERT_EQ(tree.nodes.size(), 1U);
    const Split& found = tree.nodes[0].split;
    double best = 0;
    for (std::uint32_t f = 0; f < 4; ++f)
      for (std::uint32_t bin = 0; bin + 1 < problem.bins.bins(f).value_bins; ++bin) {
        Split split;
        split.bin = bin;
        best = std::max(best, naive_score(problem, f, split));
      }
    const double score = naive_score(problem, found.feature, found);
    EXPECT_NEAR(score, best, 1e-9 * best);
    Split none;
    none.bin = 1000;
    EXPECT_NEAR(static_cast<double>(tree.nodes[0].gain),
                score - naive_score(problem, found.feature, none), 1e-4);
  }
}

// Of few values a filter has a bin for each.
Column whole_numbers(const Column& column) {
  std::vector<double> values(60);
  column.copy(0, values.size(), values.data());
  for (double& value : values) value = std::floor(10 * value);
  return Column::numeric(column.schema.name, values);
}

// The same by a filter.
double naive_score(const ClassProblem& problem, const Split& split) {
  const FilterPredicate goes_left(split, *problem.bins.images());
  double weights[2] = {0, 0};
  std::map<std::int32_t, double> counts[2];
  for (const Item& item : all_rows(problem.data)) {
    const int side = goes_left(item.row) ? 0 : 1;
    weights[side] += static_cast<double>(item.weight);
    counts[side][problem.data.labels.codes[item.row]] += static_cast<double>(item.weight);
  }
  double score = 0;
  for (int side = 0; side < 2; ++side)
    for (const auto& [label, count] : counts[side]) score += count * count / weights[side];
  return score;
}

// With no more rows than a filter has bins, every cut of it is tried.
TEST(ClassTree, SearchedCutIsTheBestOfAllFilters) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Dataset data = labelled_data({60, 3, 9, false, 0.2}, seed);
    for (Column& column : data.columns) column = whole_numbers(column);
    data.columns[0] = Column::numeric("x0", std::vector<double>(60, 1.0));  // says nothing
    ClassProblem problem(std::move(data));
    problem.take_images();
    const std::uint32_t constant = 0;
    const ClassTreeOptions options{.features = 1, .max_depth = 1, .filters = 5};
    const ClassTree tree = problem.grow(options, all_rows(problem.data), {&constant, 1}, seed);
    ASSERT_EQ(tree.nodes.size(), 1U);
    const Split& found = tree.nodes[0].split;
    ASSERT_TRUE(found.filtered);
    // The numbers that the tree draws: its feature, then its filters.
    Random random(seed);
    random.below(1);
    double best = 0;
    for (std::size_t f = 0; f < options.filters; ++f) {
      Split split;
      split.filtered = true;
      split.filter = draw_filter(problem.bins.images()->shape(), random);
      const FilterTaps taps = filter_taps(split.filter, problem.bins.images()->shape());
      std::set<std::int32_t> values;
      for (std::size_t i = 0; i < problem.data.rows; ++i)
        values.insert(problem.bins.images()->value(taps, i));
      values.erase(std::prev(values.end()));
      for (const std::int32_t limit : values) {
        split.limit = limit;
        best = std::max(best, naive_score(problem, split));
      }
    }
    EXPECT_NEAR(naive_score(problem, found), best, 1e-9 * best);
  }
}

// Whole weights are counted in integers, others in floating point: twice the weights, halved, is
// the same tree.
TEST(ClassTree, WholeAndBrokenWeightsCountAlike) {
  for (const bool drawn : {false, true})
    for (const bool sets : {false, true}) {
      const DataShape shape{300, 5, 4, true, 0.3};
      const ClassProblem problem(sets ? multi_label_data(shape, 7) : labelled_data(shape, 7));
      std::vector<Item> whole = all_rows(problem.data);
      std::vector<Item> broken = whole;
      for (Item& item : broken) item.weight /= 2;
      const ClassTreeOptions options{.features = 2, .drawn = drawn};
      const ClassTree one = problem.grow(options, whole, {}, 3);
      const ClassTree other = problem.grow(options, broken, {}, 3);
      ASSERT_EQ(one.nodes.size(), other.nodes.size());
      EXPECT_EQ(one.leaves.values, other.leaves.values);
      for (std::size_t n = 0; n < one.nodes.size(); ++n) {
        EXPECT_EQ(one.nodes[n].split.feature, other.nodes[n].split.feature);
        EXPECT_EQ(one.nodes[n].split.bin, other.nodes[n].split.bin);
        EXPECT_EQ(one.nodes[n].split.left_set, other.nodes[n].split.left_set);
      }
    }
}

TEST(ClassTree, TellsTheLeavesOfRowsThatItWasNotGrownOn) {
  const auto check = [](const ClassProblem& problem, std::size_t filters) {
    std::vector<Item> items = all_rows(problem.data);
    std::vector<std::uint32_t> leaves(problem.data.rows);
    std::erase_if(items, [](const Item& item) { return item.row % 3 == 0; });
    for (const Item& item : items) leaves[item.row] = kNoLeaf;
    const ClassTree tree = problem.grow({.features = 2, .drawn = true, .filters = filters}, items,
                                        {}, 1, std::span(leaves));
    const auto filtered = [](const ClassNode& node) { return node.split.filtered; };
    EXPECT_EQ(std::ranges::any_of(tree.nodes, filtered), filters > 0);
    for (std::size_t i = 0; i < leaves.size(); ++i)
      EXPECT_EQ(leaves[i], i % 3 == 0 ? leaf_of(tree, problem.bins, i) : kNoLeaf);
  };
  check(ClassProblem(labelled_data({500, 4, 5, true, 0.2}, 2)), 0);
  ClassProblem images(labelled_data({500, 4, 9, false, 0.2}, 2));
  images.take_images();
  check(images, 3);
}

TEST(ClassTree, RowsOfASideAreCountedAsOneByOne) {
  Random random(3);
  for (const std::size_t rows : {1U, 5U, 63U, 64U, 65U, 300U})
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<std::uint8_t> values(rows + kSidePadding);
      for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random.below(256));
      std::vector<std::size_t> ends;
      for (std::size_t i = 1; i < rows; ++i)
        if (random.below(4) == 0) ends.push_back(i);
      ends.push_back(rows);
      std::vector<std::int32_t> totals;
      for (std::size_t k = 0; k < ends.size(); ++k)
        totals.push_back(static_cast<std::int32_t>(random.below(100)));
      const auto most = static_cast<std::uint8_t>(trial == 0 ? 255 : random.below(256));
      std::vector<std::uint64_t> bits(rows / 64 + 1);
      const SideCounts found = count_side(
          {values.data(), rows, most, ends.data(), totals.data(), ends.size(), bits.data()});
      std::size_t all = 0;
      std::int64_t squares = 0;
      std::int64_t cross = 0;
      for (std::size_t k = 0; k < ends.size(); ++k) {
        std::int64_t own = 0;
        for (std::size_t i = k == 0 ? 0 : ends[k - 1]; i < ends[k]; ++i)
          own += values[i] <= most ? 1 : 0;
        all += static_cast<std::size_t>(own);
        squares += own * own;
        cross += own * totals[k];
      }
      EXPECT_EQ(found.rows, all);
      EXPECT_EQ(found.squares, squares);
      EXPECT_EQ(found.cross, cross);
    }
}

TEST(ClassTree, WholeTreesHavePureLeaves) {
  const ClassProblem problem(labelled_data({300, 40, 3, false, 0.1}, 2));
  for (const bool drawn : {false, true}) {
    const ClassTree tree =
        problem.grow({.features = 1, .drawn = drawn}, all_rows(problem.data), {}, 4);
    EXPECT_EQ(tree.leaves.values.size(), tree.leaves.ends.size());
    for (const float share : tree.leaves.values) EXPECT_EQ(share, 1);
  }
}

TEST(ClassTree, KeepsToItsLimits) {
  const ClassProblem problem(labelled_data({300, 4, 3, true, 0.5}, 2));
  const ClassTree tree =
      problem.grow({.features = 2, .drawn = true, .max_depth = 3, .min_weight = 20},
                   all_rows(problem.data), {}, 4);
  EXPECT_LE(tree.leaves.ends.size(), 8U);
  for (const auto& [leaf, rows] : rows_of_leaves(problem, tree)) {
    double weight = 0;
    for (const Item& item : rows) weight += static_cast<double>(item.weight);
    EXPECT_GE(weight, 20);
  }
}

TEST(ClassTree, LooksAtNoFeaturesButThoseGiven) {
  const ClassProblem problem(labelled_data({200, 3, 5, true, 0.1}, 2));
  const std::vector<std::uint32_t> features{1, 5};
  std::set<std::uint32_t> used;
  for (const ClassNode& node :
       problem.grow({.features = 3, .drawn = true}, all_rows(problem.data), features, 4).nodes)
    used.insert(node.split.feature);
  EXPECT_EQ(used, (std::set<std::uint32_t>{1, 5}));
}

}  // namespace
}  // namespace simplexboost
