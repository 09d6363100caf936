// Random models in the words of XGBoost and LightGBM, imported, beside twins that walk them as
// those programs do; and the same words damaged.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/message_of.h"
#include "exchange/random_models.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

using testing::message_of;

constexpr std::size_t kFeatures = 5;  // of which the last two are categorical
constexpr std::size_t kNumbers = 3;
constexpr std::uint32_t kCodes = 70;

// A tree in the order of its growth; a child below 0 is leaf ~child.
struct RandomTree {
  struct Split {
    std::size_t feature;
    double cut;
    bool default_left;
    unsigned missing;  // LightGBM's kind of missing value: 0 none, 2 NaN
    std::vector<std::uint32_t> codes;
    int left, right;
    bool categorical() const { return feature >= kNumbers; }
  };
  std::vector<Split> splits;
  std::vector<double> leaves;
};

RandomTree random_tree(Random& random) {
  RandomTree tree;
  const std::size_t count = random.below(7);
  std::vector<int*> open;
  tree.splits.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    RandomTree::Split split{
        random.below(kFeatures),
        static_cast<float>(random.below(9)) / 4 - 1 + (random.below(3) == 0 ? 1e-7F : 0),
        random.below(2) == 0,
        random.below(2) == 0 ? 0U : 2U,
        {},
        -1,
        -1};
    for (std::uint32_t code = 0; split.categorical() && code < kCodes; ++code)
      if (random.below(3) == 0) split.codes.push_back(code);
    if (i > 0) {
      const std::size_t pick = random.below(open.size());
      *open[pick] = static_cast<int>(i);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    tree.splits.push_back(split);
    open.push_back(&tree.splits.back().left);
    open.push_back(&tree.splits.back().right);
  }
  for (std::size_t leaf = 0; leaf < open.size(); ++leaf) *open[leaf] = ~static_cast<int>(leaf);
  for (std::size_t leaf = 0; leaf <= count; ++leaf)
    tree.leaves.push_back(static_cast<double>(static_cast<float>(random.normal())));
  return tree;
}

bool has_code(const RandomTree::Split& split, double x) {
  return std::find(split.codes.begin(), split.codes.end(), static_cast<std::uint32_t>(x)) !=
         split.codes.end();
}

// XGBoost: floats, left below the cut; of categories those in the set go right.
bool xgboost_left(const RandomTree::Split& split, double x) {
  if (std::isnan(x)) return split.default_left;
  if (split.categorical()) return !has_code(split, x);
  return static_cast<float>(x) < static_cast<float>(split.cut);
}

// LightGBM: doubles, left up to the cut; NaN is 0 where nothing is missing; sets go left.
bool lightgbm_left(const RandomTree::Split& split, double x) {
  if (split.categorical()) return !std::isnan(x) && has_code(split, x);
  if (!std::isnan(x)) return x <= split.cut;
  return split.missing == 2 ? split.default_left : 0 <= split.cut;
}

template <class Left>
double value_of(const RandomTree& tree, const std::vector<double>& row, const Left& left) {
  if (tree.splits.empty()) return tree.leaves[0];
  int at = 0;
  while (at >= 0) {
    const RandomTree::Split& split = tree.splits[static_cast<std::size_t>(at)];
    at = left(split, row[split.feature]) ? split.left : split.right;
  }
  return tree.leaves[static_cast<std::size_t>(~at)];
}

// Splits first, then leaves.
std::string xgboost_tree(const RandomTree& tree, std::size_t number) {
  const std::size_t inner = tree.splits.size();
  std::vector<long> left, right;
  std::vector<std::size_t> feature, node, begin, size;
  std::vector<double> condition;
  std::vector<int> missing, type;
  std::vector<std::uint32_t> codes;
  const auto child = [&](int to) { return to < 0 ? static_cast<long>(inner) + ~to : to; };
  for (std::size_t i = 0; i < inner + tree.leaves.size(); ++i) {
    const bool leaf = i >= inner;
    const RandomTree::Split* const split = leaf ? nullptr : &tree.splits[i];
    left.push_back(leaf ? -1 : child(split->left));
    right.push_back(leaf ? -1 : child(split->right));
    feature.push_back(leaf ? 0 : split->feature);
    condition.push_back(leaf ? tree.leaves[i - inner] : split->cut);
    missing.push_back(!leaf && split->default_left ? 1 : 0);
    type.push_back(!leaf && split->categorical() ? 1 : 0);
    if (leaf || !split->categorical()) continue;
    node.push_back(i);
    begin.push_back(codes.size());
    size.push_back(split->codes.size());
    codes.insert(codes.end(), split->codes.begin(), split->codes.end());
  }
  return fmt::format(
      R"({{"id":{},"tree_param":{{"size_leaf_vector":"1"}},"left_children":{},"right_children":{},)"
      R"("split_indices":{},"split_conditions":{},"default_left":{},"split_type":{},)"
      R"("categories":{},"categories_nodes":{},"categories_segments":{},"categories_sizes":{}}})",
      number, left, right, feature, condition, missing, type, codes, node, begin, size);
}

std::string xgboost_text(const std::vector<RandomTree>& trees, std::size_t classes) {
  std::vector<std::string> texts;
  std::vector<std::size_t> info;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    texts.push_back(xgboost_tree(trees[t], t));
    info.push_back(t % classes);
  }
  return fmt::format(
      R"({{"learner":{{"learner_model_param":{{"base_score":"5E-1","num_class":"{}",)"
      R"("num_feature":"{}","num_target":"1"}},"objective":{{"name":"multi:softprob"}},)"
      R"("feature_names":["a","b","c","d","e"],"feature_types":["float","float","float","c","c"],)"
      R"("gradient_booster":{{"name":"gbtree","model":{{"gbtree_model_param":)"
      R"({{"num_parallel_tree":"1"}},"tree_info":{},"trees":[{}]}}}}}}}})",
      classes, kFeatures, info, fmt::join(texts, ","));
}

std::string lightgbm_tree(const RandomTree& tree, std::size_t number) {
  std::vector<std::size_t> feature, bounds{0};
  std::vector<std::string> threshold;
  std::vector<unsigned> type;
  std::vector<int> left, right;
  std::vector<std::uint32_t> words;
  for (const RandomTree::Split& split : tree.splits) {
    feature.push_back(split.feature);
    left.push_back(split.left);
    right.push_back(split.right);
    if (!split.categorical()) {
      threshold.push_back(fmt::format("{}", split.cut));
      type.push_back(split.missing << 2U | (split.default_left ? 2U : 0U));
      continue;
    }
    threshold.push_back(fmt::format("{}", bounds.size() - 1));
    type.push_back(1);
    std::vector<std::uint32_t> set(kCodes / 32 + 1);
    for (const std::uint32_t code : split.codes) set[code / 32] |= 1U << (code % 32);
    words.insert(words.end(), set.begin(), set.end());
    bounds.push_back(words.size());
  }
  std::string text = fmt::format("Tree={}\nnum_leaves={}\nnum_cat={}\n", number, tree.leaves.size(),
                                 bounds.size() - 1);
  const auto line = [&](const char* key, const auto& values) {
    text += fmt::format("{}={}\n", key, fmt::join(values, " "));
  };
  if (!tree.splits.empty()) {
    line("split_feature", feature);
    line("threshold", threshold);
    line("decision_type", type);
    line("left_child", left);
    line("right_child", right);
    if (bounds.size() > 1) line("cat_boundaries", bounds);
    if (bounds.size() > 1) line("cat_threshold", words);
  }
  line("leaf_value", tree.leaves);
  return text + "shrinkage=1\n\n\n";
}

std::string lightgbm_text(const std::vector<RandomTree>& trees, std::size_t classes) {
  std::string text = fmt::format(
      "tree\nversion=v4\nnum_class={0}\nnum_tree_per_iteration={0}\nlabel_index=0\n"
      "max_feature_idx={1}\nobjective=multiclass num_class:{0}\nfeature_names=a b c d e\n"
      "feature_infos=[-1:1] [-1:1] [-1:1] 0:1:2 0:1:2\n\n",
      classes, kFeatures - 1);
  for (std::size_t t = 0; t < trees.size(); ++t) text += lightgbm_tree(trees[t], t);
  return text + "end of trees\n";
}

std::vector<RandomTree> random_trees(std::size_t count, std::uint64_t seed) {
  Random random(seed, 17);
  std::vector<RandomTree> trees;
  for (std::size_t t = 0; t < count; ++t) trees.push_back(random_tree(random));
  return trees;
}

// Numbers that tie with cuts as doubles and as floats, and codes that no set has.
std::vector<double> random_row(Random& random) {
  std::vector<double> row;
  for (std::size_t f = 0; f < kFeatures; ++f) {
    double x = static_cast<double>(random.below(9)) / 4 - 1 +
               1e-7 * (static_cast<double>(random.below(5)) / 2 - 1);
    if (f >= kNumbers) x = static_cast<double>(random.below(100));
    row.push_back(random.below(6) == 0 ? std::numeric_limits<double>::quiet_NaN() : x);
  }
  return row;
}

template <class Left>
void check_imported(const std::string& text, const std::vector<RandomTree>& trees,
                    std::size_t classes, float base, const Left& left, std::uint64_t seed) {
  const Model model = import_model(text);
  ASSERT_EQ(model.schema().classes.size(), classes);
  Random random(seed, 19);
  for (int i = 0; i < 60; ++i) {
    const std::vector<double> row = random_row(random);
    std::vector<float> expected(classes, base);
    for (std::size_t t = 0; t < trees.size(); ++t)
      expected[t % classes] += static_cast<float>(value_of(trees[t], row, left));
    std::vector<float> found(classes);
    model.predict_row(row, found);
    ASSERT_EQ(found, expected) << "seed " << seed << ", row " << i;
  }
}

TEST(Import, RandomModelsOfXgboostGoWhereItSendsRows) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t classes = 2 + seed % 5 + (seed % 10 == 9 ? 95 : 0);
    const std::vector<RandomTree> trees = random_trees(3 * classes, seed);
    check_imported(xgboost_text(trees, classes), trees, classes, 0.5F, xgboost_left, seed);
  }
}

TEST(Import, RandomModelsOfLightgbmGoWhereItSendsRows) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t classes = 2 + seed % 5 + (seed % 10 == 9 ? 95 : 0);
    const std::vector<RandomTree> trees = random_trees(3 * classes, seed);
    check_imported(lightgbm_text(trees, classes), trees, classes, 0, lightgbm_left, seed);
  }
}

// What is imported is a sound model, whatever the words were: it predicts and goes to every format.
TEST(Import, DamagedWordsAreRefusedOrASoundModel) {
  Random random(3);
  int taken = 0;
  int refused = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const std::vector<RandomTree> trees = random_trees(6, static_cast<std::uint64_t>(repeat) % 9);
    std::string text = repeat % 2 == 0 ? xgboost_text(trees, 3) : lightgbm_text(trees, 3);
    for (std::size_t harm = 1 + random.below(3); harm > 0; --harm) {
      const std::size_t at = random.below(text.size());
      const std::size_t kind = random.below(4);
      if (kind == 0) text[at] = static_cast<char>(random.below(256));
      if (kind == 1) text[at] = "0123456789-eE.[]{}\",:= \n"[random.below(24)];
      if (kind == 2) text.erase(at, 1 + random.below(9));
      if (kind == 3) text.insert(at, text.substr(at, 1 + random.below(9)));
    }
    const std::string said = message_of([&] {
      const Model model = import_model(text);
      std::vector<float> scores(model.schema().classes.size());
      std::vector<double> row(model.schema().features.size(), 0.5);
      model.predict_row(row, scores);
      EXPECT_FALSE(model.to_bytes().empty());
      ++taken;
    });
    refused += said.empty() ? 0 : 1;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace simplexboost
