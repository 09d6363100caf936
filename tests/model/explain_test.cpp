#include "model/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace simplexboost {
namespace {

// One tree: x0 <= 1.5 or missing, then colour in {red, blue}; leaves of two values.
Ensemble small_ensemble() {
  Ensemble ensemble;
  ensemble.algorithm = "samme";
  ensemble.schema.features = {{"x0", FeatureType::kNumeric, {}},
                              {"unused", FeatureType::kNumeric, {}},
                              {"colour", FeatureType::kCategorical, {"red", "green", "blue"}}};
  ensemble.schema.classes = {"no", "yes"};
  ensemble.bias = {0, 0};
  ensemble.log.stop_reason = "all rounds done";
  Forest& forest = ensemble.forest;
  forest.outputs = 2;
  forest.nodes = {Node{1.5, 0, 1, ~0, 0, 0, false, true}, Node{0, 2, ~1, ~2, 0, 1, true, false}};
  forest.set_words = {5};
  forest.leaf_values = {1, -1, 2, -2, 0.25F, -0.25F};
  forest.trees = {TreeSpan{0, 2, 0, 3, 0, 2}};
  forest.round_end = {1};
  return ensemble;
}

TEST(Explain, TreeReadsAsNestedTests) {
  const Ensemble ensemble = small_ensemble();
  check_ensemble(ensemble);
  EXPECT_EQ(tree_text(ensemble, 0),
            "tree 0: 3 leaves, adds to outputs 0 to 1\n"
            "  if x0 <= 1.5 or missing\n"
            "    then: if colour in {red, blue}\n"
            "      then: leaf 1: 2, -2\n"
            "      else: leaf 2: 0.25, -0.25\n"
            "    else: leaf 0: 1, -1\n");
}

TEST(Explain, NamesAreCutAndVisible) {
  Ensemble ensemble = small_ensemble();
  ensemble.schema.features[0].name = "\x1b[2J" + std::string(1'000'000, 'x');
  ensemble.schema.features[2].categories[0] = std::string(1'000'000, 'y');
  const std::string text = tree_text(ensemble, 0);
  EXPECT_LT(text.size(), 1000U);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[2Jxxx"), std::string::npos);
}

TEST(Explain, ConstantTreeIsOneLeaf) {
  Ensemble ensemble = small_ensemble();
  ensemble.forest.nodes.clear();
  ensemble.forest.trees = {TreeSpan{0, 0, 0, 1, 1, 1}};
  ensemble.forest.leaf_values = {3};
  check_ensemble(ensemble);
  EXPECT_EQ(tree_text(ensemble, 0), "tree 0: 1 leaf, adds to outputs 1 to 1\n  leaf 0: 3\n");
}

TEST(Explain, ImportanceIsByGainWhereItIsRecorded) {
  Ensemble ensemble = small_ensemble();
  auto importance = feature_importance(ensemble);
  EXPECT_EQ(importance[0].feature, 0U);  // a split each: the order of the features decides
  EXPECT_EQ(importance[1].feature, 2U);
  EXPECT_EQ(importance[2].splits, 0U);
  ensemble.forest.node_gain = {1, 3};
  importance = feature_importance(ensemble);
  EXPECT_EQ(importance[0].feature, 2U);
  EXPECT_EQ(importance[0].gain, 3);
}

TEST(Explain, SummaryCounts) {
  const ModelSummary summary = summarize(small_ensemble());
  EXPECT_EQ(summary.algorithm, "samme");
  EXPECT_EQ(summary.rounds, 1U);
  EXPECT_EQ(summary.leaves, 3U);
  EXPECT_EQ(summary.max_depth, 2U);
  EXPECT_EQ(summary.features, 3U);
  EXPECT_EQ(summary.categorical_features, 1U);
  EXPECT_EQ(summary.used_features, 2U);
  EXPECT_EQ(summary.stop_reason, "all rounds done");
}

TEST(Explain, ChainOfNodesIsCutNotIndentedWithoutEnd) {
  Ensemble ensemble = small_ensemble();
  Forest& forest = ensemble.forest;
  constexpr std::int32_t kNodes = 100000;
  forest.nodes.clear();
  for (std::int32_t i = 0; i < kNodes; ++i)
    forest.nodes.push_back(Node{0, 0, i + 1 < kNodes ? i + 1 : ~kNodes, ~i, 0, 0, false, false});
  forest.trees = {TreeSpan{0, kNodes, 0, kNodes + 1, 0, 1}};
  forest.leaf_values.resize(kNodes + 1);
  check_ensemble(ensemble);
  const std::string text = tree_text(ensemble, 0);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 200);
}

TEST(Explain, LinearPartsAreShownInUnitsOfTheFeature) {
  Ensemble ensemble;
  ensemble.schema.features = {{"age", FeatureType::kNumeric, {}}};
  ensemble.schema.classes = {"a", "b"};
  ensemble.forest.outputs = 2;
  ensemble.bias = {0, 0};
  append_linear(ensemble.forest, std::vector<LinearFeature>{{0, 20, 70, 45, 3}},
                std::vector<float>{1, -1}, std::vector<float>{100, -50}, 0);
  ensemble.forest.round_end = {1};
  check_ensemble(ensemble);
  EXPECT_EQ(tree_text(ensemble, 0),
            "tree 0: 1 leaf, adds to outputs 0 to 1\n"
            "  leaf 0: 1, -1\n"
            "  plus (age - 45) times: 2, -1; age is kept within 20 to 70\n");
  EXPECT_EQ(summarize(ensemble).linear, 1U);
  EXPECT_EQ(summarize(ensemble).used_features, 1U);
  EXPECT_DOUBLE_EQ(feature_importance(ensemble)[0].gain, 3);
}

}  // namespace
}  // namespace simplexboost
