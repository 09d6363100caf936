#include "model/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace simplexboost {
namespace {

constexpr std::size_t kMaxShownDepth = 64;  // a hostile chain must not indent without end
constexpr std::size_t kMaxShownCategories = 8;
constexpr std::size_t kMaxShownValues = 8;

// "a, b, c, ... (12 in all)"
std::string join(const std::vector<std::string>& items, std::size_t total) {
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  if (total > items.size()) text += fmt::format(", ... ({} in all)", total);
  return text;
}

std::string test_text(const Ensemble& ensemble, const Node& node) {
  const FeatureSchema& feature = ensemble.schema.features[node.feature];
  const char* missing = node.missing_left ? " or missing" : "";
  if (!node.categorical) return fmt::format("{} <= {}{}", feature.name, node.threshold, missing);
  std::vector<std::string> shown;
  std::size_t total = 0;
  const std::size_t codes = std::min(feature.categories.size(), std::size_t{32} * node.set_size);
  for (std::size_t code = 0; code < codes; ++code) {
    const std::uint32_t word = ensemble.forest.set_words[node.set + code / 32];
    if (((word >> (code % 32)) & 1) == 0) continue;
    if (++total <= kMaxShownCategories) shown.push_back(feature.categories[code]);
  }
  return fmt::format("{} in {{{}}}{}", feature.name, join(shown, total), missing);
}

// The first of `width` numbers, each divided by `unit`.
std::string values_text(const float* values, std::size_t width, double unit) {
  std::vector<std::string> shown;
  for (std::size_t c = 0; c < std::min(width, kMaxShownValues); ++c)
    shown.push_back(fmt::format("{:.4g}", static_cast<double>(values[c]) / unit));
  return join(shown, width);
}

std::string leaf_text(const Forest& forest, const TreeSpan& tree, std::size_t leaf) {
  const float* values = forest.leaf_values.data() + tree.value_begin + leaf * tree.width;
  return fmt::format("leaf {}: {}", leaf, values_text(values, tree.width, 1));
}

std::string linear_text(const Ensemble& ensemble, const TreeSpan& tree) {
  const Forest& forest = ensemble.forest;
  std::string text;
  for (std::uint32_t k = tree.linear_begin; k < tree.linear_end; ++k) {
    const LinearFeature& linear = forest.linear_features[k];
    const std::string& name = ensemble.schema.features[linear.feature].name;
    const float* slopes =
        forest.slopes.data() + tree.slope_begin + std::size_t{k - tree.linear_begin} * tree.width;
    text += fmt::format(
        "  plus ({} - {:.6g}) times: {}; {} is kept within {:.6g} to {:.6g}\n", name, linear.center,
        values_text(slopes, tree.width, linear.high - linear.low), name, linear.low, linear.high);
  }
  return text;
}

// Tests on the longest way from the root to a leaf.
std::size_t depth_of(const Forest& forest, const TreeSpan& tree) {
  std::vector<std::size_t> depth(tree.node_end - tree.node_begin);
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const Node& node = forest.nodes[tree.node_begin + i];
    deepest = std::max(deepest, depth[i] + 1);
    for (const std::int32_t child : {node.left, node.right})
      if (child >= 0) depth[static_cast<std::size_t>(child)] = depth[i] + 1;
  }
  return deepest;
}

}  // namespace

std::vector<FeatureImportance> feature_importance(const Ensemble& ensemble) {
  const Forest& forest = ensemble.forest;
  std::vector<FeatureImportance> result(ensemble.schema.features.size());
  for (std::size_t f = 0; f < result.size(); ++f) result[f].feature = f;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    FeatureImportance& importance = result[forest.nodes[i].feature];
    ++importance.splits;
    if (!forest.node_gain.empty()) importance.gain += static_cast<double>(forest.node_gain[i]);
  }
  for (const LinearFeature& linear : forest.linear_features) {
    ++result[linear.feature].splits;
    result[linear.feature].gain += static_cast<double>(linear.gain);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const FeatureImportance& a, const FeatureImportance& b) {
                     return std::pair(a.gain, a.splits) > std::pair(b.gain, b.splits);
                   });
  return result;
}

std::string tree_text(const Ensemble& ensemble, std::size_t tree) {
  const Forest& forest = ensemble.forest;
  assert(tree < forest.trees.size());
  const TreeSpan& span = forest.trees[tree];
  std::string text =
      fmt::format("tree {}: {} {}, adds to outputs {} to {}\n", tree, span.leaves,
                  span.leaves == 1 ? "leaf" : "leaves", span.output, span.output + span.width - 1);

  struct Visit {
    std::int32_t child;
    std::size_t depth;
    const char* branch;
  };
  const bool constant = span.node_begin == span.node_end;
  std::vector<Visit> stack = {{constant ? ~0 : 0, 0, ""}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    text.append(2 * (visit.depth + 1), ' ').append(visit.branch);
    if (visit.depth >= kMaxShownDepth) {
      text += "...\n";
    } else if (visit.child < 0) {
      text += leaf_text(forest, span, static_cast<std::size_t>(~visit.child)) + "\n";
    } else {
      const Node& node = forest.nodes[span.node_begin + static_cast<std::size_t>(visit.child)];
      text += "if " + test_text(ensemble, node) + "\n";
      stack.push_back({node.right, visit.depth + 1, "else: "});
      stack.push_back({node.left, visit.depth + 1, "then: "});
    }
  }
  return text + linear_text(ensemble, span);
}

ModelSummary summarize(const Ensemble& ensemble) {
  const Forest& forest = ensemble.forest;
  ModelSummary summary;
  summary.algorithm = ensemble.algorithm;
  summary.rounds = forest.rounds();
  summary.trees = forest.trees.size();
  for (const TreeSpan& tree : forest.trees) {
    summary.leaves += tree.leaves;
    if (tree.linear()) ++summary.linear;
    summary.max_depth = std::max(summary.max_depth, depth_of(forest, tree));
  }
  summary.classes = ensemble.classes();
  summary.outputs = forest.outputs;
  summary.features = ensemble.schema.features.size();
  for (const FeatureSchema& feature : ensemble.schema.features)
    if (feature.type == FeatureType::kCategorical) ++summary.categorical_features;
  for (const FeatureImportance& importance : feature_importance(ensemble))
    if (importance.splits > 0) ++summary.used_features;
  summary.stop_reason = ensemble.log.stop_reason;
  return summary;
}

}  // namespace simplexboost
