#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exchange/model_parts.h"
#include "exchange/onnx_parts.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Whole numbers up to this are floats.
constexpr std::uint32_t kMostFloatLeaves = 1U << 24U;

enum Mode : std::uint8_t { kLessOrEqual = 0, kEqual = 4, kMember = 6 };
constexpr std::array<std::string_view, 7> kModeNames{"BRANCH_LEQ",   "", "", "", "BRANCH_EQ", "",
                                                     "BRANCH_MEMBER"};

// x <= t for a float x if and only if x <= the largest float up to t.
double float_below(double threshold) {
  const auto nearest = static_cast<float>(threshold);
  return static_cast<double>(static_cast<double>(nearest) > threshold
                                 ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
                                 : nearest);
}

struct TreeLeaves {
  const Forest& forest;
  const TreeSpan& tree;
  bool by_value;

  double operator()(std::size_t leaf) const {
    return by_value ? static_cast<double>(forest.leaf_values[tree.value_begin + leaf])
                    : static_cast<double>(leaf);
  }
};

using Integers = std::vector<std::int64_t>;

// TreeEnsemble of ai.onnx.ml 5. Nodes and leaves have lists of their own.
class TreeEnsembleWriter {
 public:
  explicit TreeEnsembleWriter(bool single) : single_(single) {}

  void add(const Ensemble& ensemble, const TreeLeaves& leaves, std::int64_t target) {
    const Forest& forest = ensemble.forest;
    const TreeSpan& tree = leaves.tree;
    const auto first_node = static_cast<std::int64_t>(modes_.size());
    const auto first_leaf = static_cast<std::int64_t>(weights_.size());
    roots_.push_back(first_node);
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      weights_.push_back(leaves(leaf));
      targets_.push_back(target);
    }
    const auto child = [&](std::int32_t to, Integers& ids, Integers& is_leaf) {
      ids.push_back(to < 0 ? first_leaf + ~to : first_node + to);
      is_leaf.push_back(to < 0 ? 1 : 0);
    };
    for (std::uint32_t i = tree.node_begin; i < tree.node_end; ++i) {
      const Node& node = forest.nodes[i];
      test(forest, node);
      child(node.left, true_, true_leaf_);
      child(node.right, false_, false_leaf_);
    }
    if (tree.node_begin == tree.node_end) {  // a constant: both ways lead to its leaf
      test(forest, Node{});
      child(-1, true_, true_leaf_);
      child(-1, false_, false_leaf_);
    }
  }

  std::string write(OnnxGraph& graph, const std::string& features, std::int64_t targets) const {
    const OnnxType type = single_ ? OnnxType::kFloat : OnnxType::kDouble;
    const Dims nodes{static_cast<std::int64_t>(modes_.size())};
    OnnxAttributes attributes;
    attributes.integer("n_targets", targets)
        .integer("aggregate_function", 1)
        .integers("tree_roots", roots_)
        .integers("nodes_featureids", features_)
        .tensor("nodes_modes", onnx_tensor(OnnxType::kUint8, nodes, modes_))
        .tensor("nodes_splits", onnx_numbers(splits_, type, nodes))
        .integers("nodes_missing_value_tracks_true", missing_)
        .integers("nodes_truenodeids", true_)
        .integers("nodes_trueleafs", true_leaf_)
        .integers("nodes_falsenodeids", false_)
        .integers("nodes_falseleafs", false_leaf_)
        .integers("leaf_targetids", targets_)
        .tensor("leaf_weights",
                onnx_numbers(weights_, type, {static_cast<std::int64_t>(weights_.size())}));
    if (!members_.empty())
      attributes.tensor("membership_values",
                        onnx_numbers(members_, type, {static_cast<std::int64_t>(members_.size())}));
    return graph.node("TreeEnsemble", {features}, attributes, kOnnxTrees);
  }

 private:
  void test(const Forest& forest, const Node& node) {
    Mode mode = kLessOrEqual;
    double split = single_ ? float_below(node.threshold) : node.threshold;
    if (node.categorical) {
      const std::vector<std::uint32_t> codes = set_members(forest, node);
      split = codes.empty() ? -1 : 0;  // no code is below 0
      if (!codes.empty()) {
        mode = kMember;
        members_.insert(members_.end(), codes.begin(), codes.end());
        members_.push_back(std::numeric_limits<double>::quiet_NaN());
      }
    }
    modes_ += static_cast<char>(mode);
    splits_.push_back(split);
    features_.push_back(node.feature);
    missing_.push_back(node.missing_left ? 1 : 0);
  }

  bool single_;
  Integers roots_, features_, missing_, true_, true_leaf_, false_, false_leaf_, targets_;
  std::string modes_;
  std::vector<double> splits_, members_, weights_;
};

// TreeEnsembleRegressor of ai.onnx.ml 3. A set of categories is a chain of nodes that each ask for
// one; all of them lead to the same left child, as is the custom among those who write such files.
class RegressorWriter {
 public:
  explicit RegressorWriter(bool single) : single_(single) {}

  void add(const Ensemble& ensemble, const TreeLeaves& leaves, std::int64_t target) {
    const Forest& forest = ensemble.forest;
    const TreeSpan& tree = leaves.tree;
    const std::int64_t inner = tree.node_end - tree.node_begin;
    tree_ = target;
    next_extra_ = inner + tree.leaves;
    for (std::uint32_t i = tree.node_begin; i < tree.node_end; ++i) {
      const Node& node = forest.nodes[i];
      const auto id = [&](std::int32_t child) { return child < 0 ? inner + ~child : child; };
      test(forest, node, i - tree.node_begin, id(node.left), id(node.right));
    }
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const std::int64_t id = inner + static_cast<std::int64_t>(leaf);
      node(id, "LEAF", 0, 0, false, 0, 0);
      target_trees_.push_back(tree_);
      target_nodes_.push_back(id);
      target_ids_.push_back(target);
      weights_.push_back(leaves(leaf));
    }
  }

  std::string write(OnnxGraph& graph, const std::string& features, std::int64_t targets) const {
    const OnnxType type = single_ ? OnnxType::kFloat : OnnxType::kDouble;
    const Dims nodes{static_cast<std::int64_t>(values_.size())};
    OnnxAttributes attributes;
    attributes.integer("n_targets", targets)
        .integers("nodes_treeids", trees_)
        .integers("nodes_nodeids", ids_)
        .integers("nodes_featureids", features_)
        .strings("nodes_modes", modes_)
        .tensor("nodes_values_as_tensor", onnx_numbers(values_, type, nodes))
        .integers("nodes_missing_value_tracks_true", missing_)
        .integers("nodes_truenodeids", true_)
        .integers("nodes_falsenodeids", false_)
        .integers("target_treeids", target_trees_)
        .integers("target_nodeids", target_nodes_)
        .integers("target_ids", target_ids_)
        .tensor("target_weights_as_tensor",
                onnx_numbers(weights_, type, {static_cast<std::int64_t>(weights_.size())}));
    return graph.node("TreeEnsembleRegressor", {features}, attributes, kOnnxTrees);
  }

 private:
  void node(std::int64_t id, std::string_view mode, std::int64_t feature, double value,
            bool missing_true, std::int64_t left, std::int64_t right) {
    trees_.push_back(tree_);
    ids_.push_back(id);
    modes_.push_back(mode);
    features_.push_back(feature);
    values_.push_back(value);
    missing_.push_back(missing_true ? 1 : 0);
    true_.push_back(left);
    false_.push_back(right);
  }

  void test(const Forest& forest, const Node& cut, std::int64_t id, std::int64_t left,
            std::int64_t right) {
    const std::vector<std::uint32_t> codes = set_members(forest, cut);
    if (codes.empty()) {
      const double threshold = cut.categorical ? -1 : cut.threshold;
      return node(id, kModeNames[kLessOrEqual], cut.feature,
                  single_ ? float_below(threshold) : threshold, cut.missing_left, left, right);
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool last = i + 1 == codes.size();
      const std::int64_t otherwise = last ? right : next_extra_++;
      node(id, kModeNames[kEqual], cut.feature, codes[i], cut.missing_left, left, otherwise);
      id = otherwise;
    }
  }

  bool single_;
  std::int64_t tree_ = 0;
  std::int64_t next_extra_ = 0;
  Integers trees_, ids_, features_, missing_, true_, false_;
  Integers target_trees_, target_nodes_, target_ids_;
  std::vector<std::string_view> modes_;
  std::vector<double> values_, weights_;
};

template <class Writer>
std::string write_trees(OnnxGraph& graph, const Ensemble& ensemble, const std::string& features,
                        const std::vector<bool>& by_value, bool single) {
  Writer writer(single);
  std::int64_t target = 0;
  for (const TreeSpan& tree : ensemble.forest.trees) {
    const bool value = by_value[static_cast<std::size_t>(target)];
    writer.add(ensemble, TreeLeaves{ensemble.forest, tree, value}, target++);
  }
  return writer.write(graph, features, target);
}

}  // namespace

std::string onnx_features(OnnxGraph& graph, const Ensemble& ensemble, const std::string& input,
                          const OnnxOptions& options) {
  const std::vector<FeatureSchema>& features = ensemble.schema.features;
  const auto count = static_cast<std::int64_t>(features.size());
  const auto categorical = std::make_unique<bool[]>(features.size());
  bool any = false;
  for (std::size_t f = 0; f < features.size(); ++f)
    any |= categorical[f] = features[f].type == FeatureType::kCategorical;
  if (!any) return input;
  const auto constant = [&](double value) {
    const std::string exact = graph.number(value);
    return options.single ? graph.cast(exact, OnnxType::kFloat) : exact;
  };
  const std::string negative = graph.node("Less", {input, constant(0)});
  const std::string codes = graph.node(
      "Where",
      {negative, constant(std::numeric_limits<double>::quiet_NaN()), graph.node("Floor", {input})});
  return graph.node("Where",
                    {graph.flags({categorical.get(), features.size()}, {1, count}), codes, input});
}

std::string onnx_trees(OnnxGraph& graph, const Ensemble& ensemble, const std::string& features,
                       const std::vector<bool>& by_value, const OnnxOptions& options) {
  for (const TreeSpan& tree : ensemble.forest.trees)
    if (tree.leaves > kMostFloatLeaves && (options.single || options.classic))
      throw ModelError(
          fmt::format("a tree has {} leaves; in single precision, and by the classic operator, "
                      "ONNX tells at most {} apart",
                      tree.leaves, kMostFloatLeaves));
  return options.classic
             ? write_trees<RegressorWriter>(graph, ensemble, features, by_value, options.single)
             : write_trees<TreeEnsembleWriter>(graph, ensemble, features, by_value, options.single);
}

}  // namespace simplexboost
