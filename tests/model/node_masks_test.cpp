// Leaves by masks are those of the walk from node to node, on every level of instructions.
#include "model/predict/node_masks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/simd/isa.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(MaskKernels, kMaskKernels)

namespace {

std::vector<const MaskKernels*> all_levels() {
  std::vector<const MaskKernels*> levels{&v1::kMaskKernels};
#if defined(__x86_64__)
  if (isa_level() >= IsaLevel::kV3) levels.push_back(&v3::kMaskKernels);
  if (isa_level() >= IsaLevel::kV4) levels.push_back(&v4::kMaskKernels);
#endif
  return levels;
}

// Trees of numbers that speak of all outputs: random ones of up to so many nodes, and a chain that
// goes to the left or to the right.
Ensemble whole_ensemble(std::size_t outputs, std::size_t most_nodes, std::size_t trees,
                        LeafPrecision precision, std::uint64_t seed) {
  Random random(seed);
  Ensemble ensemble = random_ensemble({2, outputs, outputs, 0, 0, 0}, seed);
  ensemble.log = {};
  Forest& forest = ensemble.forest;
  forest.leaf_values = LeafValues(precision);
  for (std::size_t t = 0; t < trees; ++t) {
    Forest one;
    one.outputs = 1;
    add_random_tree(one, ensemble.schema, most_nodes, random);
    if (t % 3 == 2)
      for (std::size_t i = 0; i < one.nodes.size(); ++i) {
        const auto next = static_cast<std::int32_t>(i + 1);
        const auto leaf = ~static_cast<std::int32_t>(i);
        const bool last = i + 1 == one.nodes.size();
        one.nodes[i].left = t % 2 == 0 && !last ? next : leaf;
        one.nodes[i].right = last ? ~next : t % 2 == 0 ? leaf : next;
      }
    std::vector<float> values((one.nodes.size() + 1) * outputs);
    for (float& value : values) value = static_cast<float>(random.normal());
    append_tree(forest, one.nodes, values, 0, outputs);
    forest.round_end.push_back(static_cast<std::uint32_t>(t + 1));
  }
  forest.node_gain.clear();
  return ensemble;
}

// Values between, at and beyond the thresholds, and missing ones.
Dataset data_for(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Dataset data;
  data.rows = rows;
  for (const char* name : {"x0", "x1"}) {
    std::vector<double> values(rows);
    for (double& x : values) {
      x = static_cast<double>(random.below(21)) / 8 - 1.25;
      if (random.below(9) == 0) x = std::numeric_limits<double>::quiet_NaN();
      if (random.below(30) == 0) x = std::numeric_limits<double>::infinity();
      if (random.below(30) == 0) x = -std::numeric_limits<double>::infinity();
    }
    data.columns.push_back(Column::numeric(name, std::move(values)));
  }
  return data;
}

std::size_t walked_leaf(const Forest& forest, std::size_t tree, const Dataset& data,
                        std::size_t row) {
  const TreeSpan& span = forest.trees[tree];
  std::int32_t at = span.node_begin == span.node_end ? ~0 : 0;
  while (at >= 0) {
    const Node& node = forest.nodes[span.node_begin + static_cast<std::size_t>(at)];
    double x = 0;
    data.columns[node.feature].copy(row, row + 1, &x);
    at = (std::isnan(x) ? node.missing_left : x <= node.threshold) ? node.left : node.right;
  }
  return static_cast<std::size_t>(~at);
}

TEST(NodeMasks, FindTheLeavesOfTheWalk) {
  const Dataset data = data_for(300, 1);
  for (const std::size_t most_nodes : {1U, 15U, 16U, 40U, 255U}) {
    const Ensemble ensemble =
        whole_ensemble(3, most_nodes, 12, LeafPrecision::kFloat32, most_nodes);
    const Forest& forest = ensemble.forest;
    const NodeMasks masks(forest);
    const std::size_t padded = padded_rows(data.rows);
    std::vector<std::int8_t> ranks(masks.columns() * padded);
    masks.set_ranks(data, 0, data.rows, ranks.data());
    std::vector<std::uint8_t> leaves(padded);
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
      const bool constant = forest.trees[t].leaves == 1;
      ASSERT_EQ(masks.has(t), !constant);
      if (constant) continue;
      masks.find_leaves(t, ranks.data(), padded, leaves.data());
      for (std::size_t i = 0; i < data.rows; ++i)
        ASSERT_EQ(masks.leaf_numbers(t)[leaves[i]], walked_leaf(forest, t, data, i));
    }
  }
}

TEST(NodeMasks, LeaveOutTreesThatAreTooLargeOrAskForCategories) {
  Random random(5);
  Ensemble ensemble = random_ensemble({3, 2, 2, 0, 0, 0}, 5);
  Forest& forest = ensemble.forest;
  std::vector<Node> chain(256);  // 257 leaves
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].threshold = static_cast<double>(i);
    chain[i].left = ~static_cast<std::int32_t>(i);
    chain[i].right = static_cast<std::int32_t>(i + 1);
  }
  chain.back().right = ~256;
  append_tree(forest, chain, std::vector<float>(257), 0, 1);
  std::vector<Node> category(1);
  category[0].feature = 2;
  category[0].categorical = true;
  category[0].left = ~0;
  category[0].right = ~1;
  append_tree(forest, category, std::vector<float>(2), 0, 1);
  const NodeMasks masks(forest);
  EXPECT_FALSE(masks.has(0));
  EXPECT_FALSE(masks.has(1));
}

TEST(NodeMasks, LevelsOfInstructionsAgree) {
  Random random(9);
  constexpr std::size_t kRows = 3 * kMaskRows;
  std::vector<std::int8_t> ranks(3 * kRows);
  for (std::int8_t& rank : ranks)
    rank = static_cast<std::int8_t>(static_cast<int>(random.below(9)) - 128);
  const std::vector<MaskStep> steps = {{0, -125, 0xf0}, {1, -121, 0xfe}, {0, -125, 0xf8},
                                       {2, -128, 0x0f}, {2, -124, 0x00}, {0, -123, 0x7f}};
  const std::vector<std::uint32_t> word_ends = {2, 5, 6};
  std::vector<std::uint8_t> expected(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<std::uint32_t> set(3, 0xff);
    for (std::size_t s = 0; s < steps.size(); ++s)
      if (ranks[steps[s].column * kRows + i] > steps[s].rank)
        set[s < 2 ? 0 : s < 5 ? 1 : 2] &= steps[s].kept;
    std::size_t leaf = 0;
    while (((set[leaf / 8] >> (leaf % 8)) & 1) == 0) ++leaf;
    expected[i] = static_cast<std::uint8_t>(leaf);
  }
  for (const MaskKernels* level : all_levels()) {
    std::vector<std::uint8_t> leaves(kRows);
    level->find_leaves(
        {steps.data(), word_ends.data(), word_ends.size(), ranks.data(), kRows, leaves.data()});
    EXPECT_EQ(leaves, expected);
  }
}

template <class Value>
void expect_plain_sums(std::size_t width, const std::vector<Value>& values) {
  constexpr std::size_t kRows = 50;
  constexpr std::size_t kTrees = 5;
  Random random(width);
  std::vector<std::uint32_t> places(4);
  for (std::size_t leaf = 0; leaf < 4; ++leaf)
    places[leaf] = static_cast<std::uint32_t>((3 - leaf) * width);
  const std::vector<const std::uint32_t*> of_trees(kTrees, places.data());
  std::vector<std::uint8_t> leaves(kTrees * kMaskRows);
  for (std::uint8_t& leaf : leaves) leaf = static_cast<std::uint8_t>(random.below(4));
  for (const std::size_t outputs : {width, width + 3}) {  // from 2 on, if there are more
    const std::size_t first = outputs == width ? 0 : 2;
    std::vector<float> expected(kRows * outputs, 0.1F);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t t = 0; t < kTrees; ++t)
        for (std::size_t j = 0; j < width; ++j)
          expected[i * outputs + first + j] += widen(values[places[leaves[t * kMaskRows + i]] + j]);
    for (const MaskKernels* level : all_levels()) {
      std::vector<float> out(kRows * outputs, 0.1F);
      level->add(LeafSumArgs<Value>{values.data(), of_trees.data(), leaves.data(), kMaskRows,
                                    kTrees, kRows, width, outputs, out.data() + first});
      EXPECT_EQ(out, expected) << width;
    }
  }
}

TEST(NodeMasks, ValuesAreAddedTreeByTree) {
  Random random(3);
  for (std::size_t width = 1; width < 160; width += width < 80 ? 1 : 13) {
    std::vector<float> values(4 * width);
    std::vector<std::uint16_t> shorts;
    for (float& value : values) {
      value = static_cast<float>(random.normal());
      shorts.push_back(to_bfloat16(value));
    }
    expect_plain_sums(width, values);
    expect_plain_sums(width, shorts);
  }
}

// Against single rows, which walk.
TEST(NodeMasks, ManyRowsGetWhatEachGetsAlone) {
  for (const LeafPrecision precision : {LeafPrecision::kFloat32, LeafPrecision::kBfloat16})
    for (const std::size_t outputs : {1U, 5U, 26U}) {
      const Model model = make_model(whole_ensemble(outputs, 60, 70, precision, outputs));
      const Dataset data = data_for(1501, 4);
      const Matrix one = model.predict_scores(data, {1, 0});
      for (const int threads : {2, 3, 16})
        EXPECT_EQ(model.predict_scores(data, {threads, 0}).values, one.values);
      std::vector<float> scores(outputs);
      std::vector<double> row(2);
      for (std::size_t i = 0; i < data.rows; i += 7) {
        for (std::size_t f = 0; f < 2; ++f) data.columns[f].copy(i, i + 1, &row[f]);
        model.predict_row(row, scores);
        for (std::size_t k = 0; k < outputs; ++k) ASSERT_EQ(one.row(i)[k], scores[k]);
      }
    }
}

}  // namespace
}  // namespace simplexboost
