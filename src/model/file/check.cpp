// check_ensemble: what must hold so that prediction, explanation and saving need no checks of
// their own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/image/filter_taps.h"
#include "base/memory.h"
#include "codeword/codebook.h"
#include "model/ensemble.h"
#include "model/file/certainty_fields.h"
#include "model/file/require.h"

namespace simplexboost {
namespace {

// Beyond this, sums of scores could leave the range of float.
constexpr double kMaxScore = 1e37;
constexpr double kMaxLinkScale = 1e30;
constexpr std::size_t kMaxNodesOfTree = std::size_t{1} << 30;
constexpr std::size_t kMaxFeatures = std::size_t{1} << 29;

template <class Values>
void check_finite(const Values& values, std::string_view what) {
  require(std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(widen(x)); }),
          "{} hold a number that is not finite", what);
}

void check_unique(const std::vector<std::string>& names, std::string_view what) {
  std::set<std::string_view> seen;
  for (const std::string& name : names)
    require(seen.insert(name).second, "two {} are called '{}'", what, name);
}

void check_schema(const Schema& schema) {
  require(!schema.classes.empty(), "it has no classes");
  require(schema.features.size() <= kMaxFeatures, "it has too many features");
  check_unique(schema.classes, "classes");
  std::vector<std::string> names;
  for (const FeatureSchema& feature : schema.features) {
    require(feature.type == FeatureType::kCategorical || feature.categories.empty(),
            "numeric feature '{}' has categories", feature.name);
    check_unique(feature.categories, "categories");
    names.push_back(feature.name);
  }
  if (schema.named) check_unique(names, "features");
}

void check_node(const Forest& forest, const Schema& schema, const Node& node) {
  require(node.feature < schema.features.size(), "a node splits feature {} of {}", node.feature,
          schema.features.size());
  const bool categorical = schema.features[node.feature].type == FeatureType::kCategorical;
  require(node.filter == kNoFilter || (node.filter < forest.filters.size() && !node.categorical),
          "a node cuts by filter {} of {}", node.filter, forest.filters.size());
  require(node.categorical == categorical, "a node's split does not fit the type of '{}'",
          schema.features[node.feature].name);
  require(std::isfinite(node.threshold), "a threshold is not finite");
  if (categorical)
    require(std::size_t{node.set} + node.set_size <= forest.set_words.size(),
            "a set of categories lies outside the table of sets");
  else
    require(node.set == 0 && node.set_size == 0, "a numeric split has a set of categories");
}

void check_image(const Forest& forest, const Schema& schema) {
  const ImageShape& image = forest.image;
  require(!image.empty() || (forest.filters.empty() && image == ImageShape{}),
          "it has filters, but no images");
  if (image.empty()) return;
  require(image.width <= kMostImageSide && image.height >= 1 && image.height <= kMostImageSide &&
              image.channels >= 1 && image.channels <= kMostImageSide &&
              image.features() == schema.features.size(),
          "images of {}x{}x{} do not fit its {} features", image.width, image.height,
          image.channels, schema.features.size());
  require(std::isfinite(image.scale) && image.scale > 0, "the scale of its images is {}",
          image.scale);
  for (const FeatureSchema& feature : schema.features)
    require(feature.type == FeatureType::kNumeric, "the pixel '{}' is not numeric", feature.name);
  for (const ImageFilter& filter : forest.filters)
    require(fits_image(filter, image), "a filter lies outside its image");
}

// Every node but the root and every leaf must have exactly one parent, which stands before it.
void check_shape(std::span<const Node> nodes, std::size_t leaves) {
  std::vector<bool> node_seen(nodes.size());
  std::vector<bool> leaf_seen(leaves);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::int32_t child : {nodes[i].left, nodes[i].right}) {
      const bool is_leaf = child < 0;
      const auto index = static_cast<std::size_t>(is_leaf ? ~child : child);
      auto& seen = is_leaf ? leaf_seen : node_seen;
      require(index < seen.size() && (is_leaf || index > i), "a child of a node is out of range");
      require(!seen[index], "a node or leaf has two parents");
      seen[index] = true;
    }
  }
}

double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

// The ends of all leaves' entries ascend to their number.
void check_entries(const Forest& forest) {
  check_finite(forest.entry_values, "leaf entries");
  require(forest.entry_outputs.size() == forest.entry_values.size(),
          "{} entries of leaves for {} outputs", forest.entry_values.size(),
          forest.entry_outputs.size());
  std::uint64_t last = 0;
  for (const std::uint64_t end : forest.entry_ends) {
    require(end >= last, "the entries of leaves are out of order");
    last = end;
  }
  require(last == forest.entry_values.size(), "{} entries, but the leaves end at {}",
          forest.entry_values.size(), last);
}

// The same for the leaves of a sparse tree alone, whose ends are in order.
double check_sparse(const Forest& forest, const TreeSpan& tree, std::size_t leaf_begin) {
  require(tree.value_begin == leaf_begin && tree.leaves <= forest.entry_ends.size() - leaf_begin,
          "the entries of a tree are not where they belong");
  require(!tree.linear() && tree.minus_output == kNoOutput,
          "a sparse tree has a linear part or takes from outputs");
  double largest = 0;
  for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
    const auto [begin, end] = leaf_entries(forest, tree, leaf);
    double sum = 0;
    for (std::size_t e = begin; e < end; ++e) {
      require(forest.entry_outputs[e] < tree.width,
              "a leaf adds to outputs that are not its tree's");
      sum += std::abs(static_cast<double>(forest.entry_values[e]));
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

// Checks one tree and returns the largest magnitude of what a leaf adds to an output.
double check_tree(const Ensemble& ensemble, const TreeSpan& tree, std::size_t node_begin,
                  std::size_t value_begin) {
  const Forest& forest = ensemble.forest;
  require(tree.node_begin == node_begin && tree.node_end >= tree.node_begin &&
              tree.node_end <= forest.nodes.size(),
          "the nodes of a tree are not where they belong");
  const std::size_t count = tree.node_end - tree.node_begin;
  require(count <= kMaxNodesOfTree && tree.leaves == count + 1, "a tree of {} nodes has {} leaves",
          count, tree.leaves);
  require(tree.width >= 1 && std::size_t{tree.output} + tree.width <= forest.outputs,
          "a tree adds to outputs that do not exist");
  if (tree.minus_output != kNoOutput) {
    require(std::size_t{tree.minus_output} + tree.width <= forest.outputs,
            "a tree takes from outputs that do not exist");
    require(std::max(tree.minus_output, tree.output) - std::min(tree.minus_output, tree.output) >=
                tree.width,
            "a tree takes from outputs that it adds to");
  }
  const std::span<const Node> nodes(forest.nodes.data() + tree.node_begin, count);
  check_shape(nodes, tree.leaves);
  for (const Node& node : nodes) check_node(forest, ensemble.schema, node);
  if (tree.sparse) return check_sparse(forest, tree, value_begin);
  const std::size_t values = std::size_t{tree.leaves} * tree.width;  // both < 2^32: no overflow
  require(tree.value_begin == value_begin && values <= forest.leaf_values.size() - value_begin,
          "the leaf values of a tree are not where they belong");
  double largest = 0;
  for (std::size_t i = value_begin; i < value_begin + values; ++i)
    largest = std::max(largest, std::abs(static_cast<double>(forest.leaf_values[i])));
  return largest;
}

// Checks the linear part of a tree and returns a bound on what it adds.
double check_linear(const Ensemble& ensemble, const TreeSpan& tree, std::size_t linear_begin,
                    std::size_t slope_begin) {
  const Forest& forest = ensemble.forest;
  require(tree.linear_begin == linear_begin && tree.linear_end > linear_begin &&
              tree.linear_end <= forest.linear_features.size(),
          "the linear part of a tree is not where it belongs");
  const std::size_t count = tree.linear_end - tree.linear_begin;
  require(
      tree.slope_begin == slope_begin && count * tree.width <= forest.slopes.size() - slope_begin,
      "the slopes of a tree are not where they belong");
  double bound = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const LinearFeature& linear = forest.linear_features[linear_begin + k];
    require(linear.feature < ensemble.schema.features.size() &&
                ensemble.schema.features[linear.feature].type == FeatureType::kNumeric,
            "a linear part uses feature {}, which is not numeric", linear.feature);
    require(std::isfinite(linear.high - linear.low) && linear.low < linear.high &&
                linear.low <= linear.center && linear.center <= linear.high,
            "the range of a linear feature is {} to {} around {}", linear.low, linear.high,
            linear.center);
    require(std::isfinite(linear.gain), "gains hold a number that is not finite");
    bound += largest_magnitude({forest.slopes.data() + slope_begin + k * tree.width, tree.width});
  }
  return bound;
}

void check_rounds(const Forest& forest) {
  std::uint32_t last = 0;
  for (const std::uint32_t end : forest.round_end) {
    require(end >= last, "the rounds are out of order");
    last = end;
  }
  require(last == forest.trees.size(), "{} trees, but the rounds end at {}", forest.trees.size(),
          last);
}

// Checks the trees and returns a bound on the magnitude of what they add up to.
double check_forest(const Ensemble& ensemble) {
  const Forest& forest = ensemble.forest;
  forest.leaf_values.visit([](const auto& values) { check_finite(values, "leaf values"); });
  check_finite(forest.slopes, "slopes");
  check_finite(forest.node_gain, "gains");
  check_entries(forest);
  check_image(forest, ensemble.schema);
  require(forest.node_gain.empty() || forest.node_gain.size() == forest.nodes.size(),
          "{} gains for {} nodes", forest.node_gain.size(), forest.nodes.size());
  require(forest.leaf_cover.empty() || forest.leaf_cover.size() == forest.leaves(),
          "{} covers for {} leaves", forest.leaf_cover.size(), forest.leaves());
  require(std::all_of(forest.leaf_cover.begin(), forest.leaf_cover.end(),
                      [](float cover) { return std::isfinite(cover) && cover >= 0; }),
          "covers hold a number that is below 0 or not finite");
  check_rounds(forest);
  double bound = 0;
  std::size_t node = 0;
  std::size_t value = 0;
  std::size_t sparse_leaf = 0;
  std::size_t linear = 0;
  std::size_t slope = 0;
  for (const TreeSpan& tree : forest.trees) {
    bound += check_tree(ensemble, tree, node, tree.sparse ? sparse_leaf : value);
    node = tree.node_end;
    if (tree.sparse)
      sparse_leaf += tree.leaves;
    else
      value += std::size_t{tree.leaves} * tree.width;
    if (!tree.linear()) {
      require(tree.linear_begin == 0 && tree.slope_begin == 0,
              "a tree without a linear part says where it is");
      continue;
    }
    bound += check_linear(ensemble, tree, linear, slope);
    linear = tree.linear_end;
    slope += std::size_t{tree.linear_end - tree.linear_begin} * tree.width;
  }
  require(node == forest.nodes.size(), "{} nodes belong to no tree", forest.nodes.size() - node);
  require(value == forest.leaf_values.size(), "{} leaf values belong to no tree",
          forest.leaf_values.size() - value);
  require(sparse_leaf == forest.entry_ends.size(), "{} sparse leaves belong to no tree",
          forest.entry_ends.size() - sparse_leaf);
  require(linear == forest.linear_features.size() && slope == forest.slopes.size(),
          "{} linear features and {} slopes belong to no tree",
          forest.linear_features.size() - linear, forest.slopes.size() - slope);
  return bound;
}

}  // namespace

namespace {

void check_members(const Ensemble& ensemble) {
  const std::size_t outputs = ensemble.forest.outputs;
  const std::size_t count = ensemble.members.size();
  require(outputs % count == 0 && outputs / count == ensemble.classes(),
          "{} outputs for {} members of {} classes", outputs, count, ensemble.classes());
  require(ensemble.codewords.empty() && !ensemble.simplex, "it has both members and codewords");
  require(ensemble.link == (ensemble.schema.multi_label ? Link::kLogistic : Link::kSoftmax),
          "pooled members have no such link");
  double total = 0;
  for (const Member& member : ensemble.members) {
    require(member.link != Link::kNone && member.link != Link::kLoss,
            "a member has no probabilities of its own");
    require(member.weight >= 0 && member.weight <= kMaxLinkScale, "a member has the weight {}",
            member.weight);
    require(member.scale > 0 && member.scale <= kMaxLinkScale, "a member has the scale {}",
            member.scale);
    require(member.shift >= (member.link == Link::kShares ? 0 : -kMaxLinkScale) &&
                member.shift <= kMaxLinkScale,
            "a member has the shift {}", member.shift);
    total += member.weight;
  }
  require(total > 0, "its members weigh nothing");
}

void check_estimate(const Estimate& estimate, std::size_t classes) {
  for (const EstimateFigure& figure : estimate.figures)
    require(figure.label >= -1 && figure.label < static_cast<std::int64_t>(classes),
            "a figure is of class {} of {}", figure.label, classes);
}

}  // namespace

std::vector<float> codeword_matrix(const Ensemble& ensemble) {
  require_memory("a matrix of codewords", ensemble.classes(), ensemble.forest.outputs,
                 sizeof(float));
  return ensemble.simplex ? Codebook::simplex(ensemble.classes()).matrix() : ensemble.codewords;
}

void check_ensemble(const Ensemble& ensemble) {
  check_schema(ensemble.schema);
  const std::size_t classes = ensemble.classes();
  const std::size_t outputs = ensemble.forest.outputs;
  require(outputs >= 1, "it has no outputs");
  require(ensemble.bias.size() == outputs, "{} biases for {} outputs", ensemble.bias.size(),
          outputs);
  if (!ensemble.members.empty())
    check_members(ensemble);
  else if (ensemble.simplex)
    require(outputs + 1 == classes && ensemble.codewords.empty(),
            "a simplex of {} classes has {} dimensions and no codewords of its own, not {}",
            classes, classes - 1, outputs);
  else if (ensemble.codewords.empty())
    require(outputs == classes, "{} outputs for {} classes, and no codewords", outputs, classes);
  else
    require(
        ensemble.codewords.size() % outputs == 0 && ensemble.codewords.size() / outputs == classes,
        "the codewords do not fit {} classes and {} outputs", classes, outputs);
  check_finite(ensemble.bias, "biases");
  check_finite(ensemble.codewords, "codewords");
  require((ensemble.link == Link::kLoss) == (ensemble.link_loss != nullptr),
          "its probabilities are those of a loss that is not there");
  require(ensemble.link_scale > 0 && ensemble.link_scale <= kMaxLinkScale,
          "the scale of its probabilities is {}", ensemble.link_scale);
  const bool may_shift = ensemble.link == Link::kLogistic && !ensemble.schema.multi_label;
  require(std::fabs(ensemble.link_shift) <= (may_shift ? kMaxLinkScale : 0),
          "the shift of its probabilities is {}", ensemble.link_shift);

  require(ensemble.link != Link::kShares, "the link 'shares' is one of members");
  if (ensemble.estimate) check_estimate(*ensemble.estimate, classes);
  check_certainty(ensemble);
  const double bound = check_forest(ensemble) + largest_magnitude(ensemble.bias);
  const double largest = ensemble.simplex ? 1 : largest_magnitude(ensemble.codewords);
  const double stretch = largest * static_cast<double>(outputs);
  require(bound * std::max(stretch, 1.0) <= kMaxScore, "its scores could overflow");

  const TrainingLog& log = ensemble.log;
  require(log.columns.empty() ? log.values.empty() : log.values.size() % log.columns.size() == 0,
          "{} figures in a log of {} columns", log.values.size(), log.columns.size());
  if (log.margins)
    require(std::isfinite(log.margins->least) && std::isfinite(log.margins->most) &&
                log.margins->least <= log.margins->most,
            "its margins go from {} to {}", log.margins->least, log.margins->most);
}

}  // namespace simplexboost
