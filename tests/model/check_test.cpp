#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "model/random_ensemble.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Three trees: one of two tests (x0 numeric, x2 categorical), one constant, one linear.
Ensemble sound() {
  Ensemble ensemble = random_ensemble({3, 3, 2, 0, 0, 0}, 1);
  Forest& forest = ensemble.forest;
  forest.nodes = {Node{1.5, 0, 1, ~0, 0, 0, false, true}, Node{0, 2, ~1, ~2, 0, 1, true, false}};
  forest.set_words = {5};
  forest.leaf_values = {1, -1, 2, -2, 3, -3, 7};
  forest.trees = {TreeSpan{0, 2, 0, 3, 0, 2}, TreeSpan{2, 2, 6, 1, 1, 1}};
  forest.round_end = {1, 2};
  forest.node_gain = {1, 2};
  append_linear(forest, std::vector<LinearFeature>{{0, -1, 2, 0, 1}, {1, 0, 1, 1, 0}},
                std::vector<float>{1, -1}, std::vector<float>{1, 2, 3, 4}, 0);
  forest.round_end.push_back(3);
  return ensemble;
}

struct Damage {
  const char* name;
  std::function<void(Ensemble&)> apply;
};

// NOLINTNEXTLINE(readability-function-size): a list
const std::vector<Damage>& damages() {
  static const std::vector<Damage> kList = {
      {"no classes", [](Ensemble& e) { e.schema.classes.clear(); }},
      {"class named twice", [](Ensemble& e) { e.schema.classes[2] = e.schema.classes[1]; }},
      {"feature named twice", [](Ensemble& e) { e.schema.features[1].name = "x0"; }},
      {"category named twice",
       [](Ensemble& e) {
         e.schema.features[2].categories = {"a", "a"};
       }},
      {"categories of a number", [](Ensemble& e) { e.schema.features[0].categories = {"a"}; }},
      {"type of a feature",
       [](Ensemble& e) {
         e.schema.features[2] = {"x2", FeatureType::kNumeric, {}};
       }},
      {"no outputs", [](Ensemble& e) { e.forest.outputs = 0; }},
      {"bias too short", [](Ensemble& e) { e.bias.pop_back(); }},
      {"bias not finite", [](Ensemble& e) { e.bias[0] = kInfinity; }},
      {"codewords too short", [](Ensemble& e) { e.codewords.pop_back(); }},
      {"codewords of one class less", [](Ensemble& e) { e.codewords.resize(4); }},
      {"simplex with codewords", [](Ensemble& e) { e.simplex = true; }},
      {"simplex of other dimension",
       [](Ensemble& e) {
         e.simplex = true;
         e.codewords.clear();
         e.schema.classes.emplace_back("one more");
       }},
      {"no codewords", [](Ensemble& e) { e.codewords.clear(); }},
      {"codeword not finite", [](Ensemble& e) { e.codewords[0] = std::nanf(""); }},
      {"scale zero", [](Ensemble& e) { e.link_scale = 0; }},
      {"scale not a number", [](Ensemble& e) { e.link_scale = std::nan(""); }},
      {"scale huge", [](Ensemble& e) { e.link_scale = 1e300; }},
      {"shift not a number",
       [](Ensemble& e) {
         e.link = Link::kLogistic;
         e.link_shift = std::nan("");
       }},
      {"shift of a softmax",
       [](Ensemble& e) {
         e.link = Link::kSoftmax;
         e.link_shift = 1;
       }},
      {"shift of sets of labels",
       [](Ensemble& e) {
         e.link = Link::kLogistic;
         e.schema.multi_label = true;
         e.link_shift = 1;
       }},
      {"root is a child", [](Ensemble& e) { e.forest.nodes[1].left = 0; }},
      {"child before parent", [](Ensemble& e) { e.forest.nodes[1].left = 1; }},
      {"child beyond tree", [](Ensemble& e) { e.forest.nodes[0].left = 2; }},
      {"leaf beyond tree", [](Ensemble& e) { e.forest.nodes[0].right = ~3; }},
      {"leaf of two parents", [](Ensemble& e) { e.forest.nodes[0].right = ~1; }},
      {"smallest child", [](Ensemble& e) { e.forest.nodes[0].right = INT32_MIN; }},
      {"largest child", [](Ensemble& e) { e.forest.nodes[0].right = INT32_MAX; }},
      {"feature out of range", [](Ensemble& e) { e.forest.nodes[0].feature = 3; }},
      {"numeric node on categories", [](Ensemble& e) { e.forest.nodes[1].categorical = false; }},
      {"categorical node on numbers", [](Ensemble& e) { e.forest.nodes[0].categorical = true; }},
      {"threshold not finite", [](Ensemble& e) { e.forest.nodes[0].threshold = std::nan(""); }},
      {"set of a number", [](Ensemble& e) { e.forest.nodes[0].set_size = 1; }},
      {"set begins too late", [](Ensemble& e) { e.forest.nodes[1].set = UINT32_MAX; }},
      {"set too long", [](Ensemble& e) { e.forest.nodes[1].set_size = 2; }},
      {"node begin", [](Ensemble& e) { e.forest.trees[1].node_begin = 1; }},
      {"node end before begin", [](Ensemble& e) { e.forest.trees[1].node_end = 1; }},
      {"node end beyond nodes", [](Ensemble& e) { e.forest.trees[1].node_end = 3; }},
      {"nodes of no tree", [](Ensemble& e) { e.forest.nodes.push_back(e.forest.nodes[0]); }},
      {"value begin", [](Ensemble& e) { e.forest.trees[1].value_begin = 5; }},
      {"value begin huge", [](Ensemble& e) { e.forest.trees[1].value_begin = UINT64_MAX; }},
      {"values missing",
       [](Ensemble& e) { e.forest.leaf_values.resize(e.forest.leaf_values.size() - 1); }},
      {"values of no tree",
       [](Ensemble& e) { e.forest.leaf_values.append(std::vector<float>{0}); }},
      {"value not finite", [](Ensemble& e) { e.forest.leaf_values.set(3, -kInfinity); }},
      {"scores overflow", [](Ensemble& e) { e.forest.leaf_values.set(3, 3e38F); }},
      {"too few leaves", [](Ensemble& e) { e.forest.trees[0].leaves = 2; }},
      {"width zero", [](Ensemble& e) { e.forest.trees[1].width = 0; }},
      {"width huge", [](Ensemble& e) { e.forest.trees[1].width = UINT32_MAX; }},
      {"output beyond", [](Ensemble& e) { e.forest.trees[1].output = 2; }},
      {"minus output beyond",
       [](Ensemble& e) { e.forest.trees[1].minus_output = e.forest.outputs; }},
      {"minus output overlaps",
       [](Ensemble& e) { e.forest.trees[1].minus_output = e.forest.trees[1].output; }},
      {"linear on categories", [](Ensemble& e) { e.forest.linear_features[0].feature = 2; }},
      {"linear on no feature", [](Ensemble& e) { e.forest.linear_features[0].feature = 3; }},
      {"linear range empty", [](Ensemble& e) { e.forest.linear_features[1].high = 0; }},
      {"linear range infinite",
       [](Ensemble& e) {
         e.forest.linear_features[0].low = -1e308;
         e.forest.linear_features[0].high = 1e308;
       }},
      {"linear center outside", [](Ensemble& e) { e.forest.linear_features[0].center = 3; }},
      {"linear center no number",
       [](Ensemble& e) { e.forest.linear_features[0].center = std::nan(""); }},
      {"linear gain", [](Ensemble& e) { e.forest.linear_features[0].gain = kInfinity; }},
      {"linear begin", [](Ensemble& e) { e.forest.trees[2].linear_begin = 1; }},
      {"linear end", [](Ensemble& e) { e.forest.trees[2].linear_end = 3; }},
      {"linear begin of none",
       [](Ensemble& e) { e.forest.trees[1].linear_begin = e.forest.trees[1].linear_end = 9; }},
      {"linear of no tree", [](Ensemble& e) { e.forest.linear_features.push_back({}); }},
      {"slope begin", [](Ensemble& e) { e.forest.trees[2].slope_begin = UINT64_MAX; }},
      {"slope missing", [](Ensemble& e) { e.forest.slopes.pop_back(); }},
      {"slope not finite", [](Ensemble& e) { e.forest.slopes[0] = std::nanf(""); }},
      {"slopes overflow", [](Ensemble& e) { e.forest.slopes[0] = 3e38F; }},
      {"rounds fall",
       [](Ensemble& e) {
         e.forest.round_end = {2, 1, 3};
       }},
      {"rounds end early",
       [](Ensemble& e) {
         e.forest.round_end = {1, 2};
       }},
      {"rounds end late",
       [](Ensemble& e) {
         e.forest.round_end = {1, 4};
       }},
      {"too few gains", [](Ensemble& e) { e.forest.node_gain.pop_back(); }},
      {"gain not finite", [](Ensemble& e) { e.forest.node_gain[0] = kInfinity; }},
      {"too few covers", [](Ensemble& e) { e.forest.leaf_cover.assign(e.forest.leaves() - 1, 1); }},
      {"too many covers",
       [](Ensemble& e) { e.forest.leaf_cover.assign(e.forest.leaves() + 1, 1); }},
      {"cover below 0", [](Ensemble& e) { e.forest.leaf_cover.assign(e.forest.leaves(), -1); }},
      {"cover not finite",
       [](Ensemble& e) { e.forest.leaf_cover.assign(e.forest.leaves(), kInfinity); }},
      {"log ragged",
       [](Ensemble& e) {
         e.log.values = {1, 2, 3};
       }},
      {"log without columns",
       [](Ensemble& e) {
         e.log = {{}, {1}, ""};
       }},
      {"margin not finite", [](Ensemble& e) { e.log.margins.emplace().least = -kInfinity; }},
  };
  return kList;
}

TEST(CheckEnsemble, AcceptsSoundModels) {
  EXPECT_NO_THROW(check_ensemble(sound()));
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_NO_THROW(check_ensemble(random_ensemble({}, seed)));
}

TEST(CheckEnsemble, RefusesEveryKindOfDamage) {
  for (const Damage& damage : damages()) {
    Ensemble ensemble = sound();
    damage.apply(ensemble);
    EXPECT_THROW(check_ensemble(ensemble), ModelError) << damage.name;
  }
}

}  // namespace
}  // namespace simplexboost
