#include "model/file/forest_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/image/filter_taps.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::uint8_t kCategoricalFlag = 1;
constexpr std::uint8_t kMissingLeftFlag = 2;

bool subtracts(const Forest& forest) {
  return std::any_of(forest.trees.begin(), forest.trees.end(),
                     [](const TreeSpan& tree) { return tree.minus_output != kNoOutput; });
}

void write_filters(TensorWriter& out, const Forest& forest) {
  const ImageShape& image = forest.image;
  if (image.empty()) return;
  out.keep("image.shape", std::vector<std::uint32_t>{image.width, image.height, image.channels});
  out.keep("image.scale", std::vector<double>{image.scale});
  out.field("nodes.filter", forest.nodes, [](const Node& n) { return n.filter; });
  const auto& filters = forest.filters;
  out.field("filters.x", filters, [](const ImageFilter& f) { return f.x; });
  out.field("filters.y", filters, [](const ImageFilter& f) { return f.y; });
  out.field("filters.width", filters, [](const ImageFilter& f) { return f.width; });
  out.field("filters.height", filters, [](const ImageFilter& f) { return f.height; });
  out.field("filters.channel", filters, [](const ImageFilter& f) { return f.channel; });
  out.field("filters.kind", filters,
            [](const ImageFilter& f) { return static_cast<std::uint8_t>(f.kind); });
}

LeafValues read_leaf_values(const TensorReader& in) {
  const std::string name = "leaf_values";
  if (in.tensor(name).dtype == dtype_of<std::uint16_t>())
    return LeafValues(in.numbers<std::uint16_t>(name));
  return LeafValues(in.numbers<float>(name));
}

std::vector<Node> read_nodes(const TensorReader& in) {
  const auto thresholds = in.numbers<double>("nodes.threshold");
  const std::size_t count = thresholds.size();
  const auto features = in.field<std::uint32_t>("nodes.feature", count);
  const auto lefts = in.field<std::int32_t>("nodes.left", count);
  const auto rights = in.field<std::int32_t>("nodes.right", count);
  const auto set_begins = in.field<std::uint32_t>("nodes.set_begin", count);
  const auto set_words = in.field<std::uint16_t>("nodes.set_words", count);
  const auto flags = in.field<std::uint8_t>("nodes.flags", count);
  std::vector<Node> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (flags[i] > (kCategoricalFlag | kMissingLeftFlag))
      throw ModelError(fmt::format("node {} has unknown flags", i));
    nodes[i] = Node{thresholds[i],
                    features[i],
                    lefts[i],
                    rights[i],
                    set_begins[i],
                    set_words[i],
                    (flags[i] & kCategoricalFlag) != 0,
                    (flags[i] & kMissingLeftFlag) != 0};
  }
  return nodes;
}

void read_filters(const TensorReader& in, Forest& forest) {
  if (!in.has_tensor("image.shape")) return;
  const auto shape = in.field<std::uint32_t>("image.shape", 3);
  forest.image = {shape[0], shape[1], shape[2], in.field<double>("image.scale", 1)[0]};
  const auto of_nodes = in.field<std::uint32_t>("nodes.filter", forest.nodes.size());
  for (std::size_t i = 0; i < of_nodes.size(); ++i) forest.nodes[i].filter = of_nodes[i];
  const auto x = in.numbers<std::uint16_t>("filters.x");
  const auto y = in.field<std::uint16_t>("filters.y", x.size());
  const auto widths = in.field<std::uint16_t>("filters.width", x.size());
  const auto heights = in.field<std::uint16_t>("filters.height", x.size());
  const auto channels = in.field<std::uint16_t>("filters.channel", x.size());
  const auto kinds = in.field<std::uint8_t>("filters.kind", x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (kinds[i] >= kFilterKinds)
      throw ModelError(fmt::format("filter {} is of the unknown kind {}", i, kinds[i]));
    forest.filters.push_back(
        {x[i], y[i], widths[i], heights[i], channels[i], static_cast<FilterKind>(kinds[i])});
  }
}

// Places of nodes and values follow from the trees' sizes; check_ensemble compares them with what
// is there.
std::vector<TreeSpan> read_trees(const TensorReader& in) {
  const auto counts = in.numbers<std::uint32_t>("trees.nodes");
  const auto outputs = in.field<std::uint32_t>("trees.output", counts.size());
  const auto widths = in.field<std::uint32_t>("trees.width", counts.size());
  const auto linear_counts = in.field<std::uint32_t>("trees.linear", counts.size());
  std::vector<std::uint32_t> minus_outputs(counts.size(), kNoOutput);
  if (in.has_tensor("trees.counter"))
    minus_outputs = in.field<std::uint32_t>("trees.counter", counts.size());
  std::vector<std::uint8_t> sparse(counts.size());
  if (in.has_tensor("trees.sparse")) sparse = in.field<std::uint8_t>("trees.sparse", counts.size());
  std::vector<TreeSpan> trees(counts.size());
  std::uint64_t node = 0;
  std::uint64_t value = 0;
  std::uint64_t sparse_leaf = 0;
  std::uint64_t linear = 0;
  std::uint64_t slope = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t end = node + counts[i];
    if (end >= std::numeric_limits<std::uint32_t>::max())
      throw ModelError("its trees have too many nodes");
    trees[i] = TreeSpan{static_cast<std::uint32_t>(node),
                        static_cast<std::uint32_t>(end),
                        value,
                        counts[i] + 1,
                        outputs[i],
                        widths[i]};
    trees[i].minus_output = minus_outputs[i];
    node = end;
    trees[i].sparse = sparse[i] != 0;
    if (trees[i].sparse) {
      trees[i].value_begin = sparse_leaf;
      sparse_leaf += std::uint64_t{counts[i]} + 1;
    } else if (__builtin_add_overflow(value, (std::uint64_t{counts[i]} + 1) * widths[i], &value))
      throw ModelError("its trees have too many leaf values");
    if (linear_counts[i] == 0) continue;
    const std::uint64_t linear_end = linear + linear_counts[i];
    if (linear_end >= std::numeric_limits<std::uint32_t>::max())
      throw ModelError("its trees have too many linear features");
    trees[i].linear_begin = static_cast<std::uint32_t>(linear);
    trees[i].linear_end = static_cast<std::uint32_t>(linear_end);
    trees[i].slope_begin = slope;
    linear = linear_end;
    if (__builtin_add_overflow(slope, std::uint64_t{linear_counts[i]} * widths[i], &slope))
      throw ModelError("its trees have too many slopes");
  }
  return trees;
}

std::vector<LinearFeature> read_linear_features(const TensorReader& in) {
  const auto features = in.numbers<std::uint32_t>("linear.feature");
  const auto lows = in.field<double>("linear.low", features.size());
  const auto highs = in.field<double>("linear.high", features.size());
  const auto centers = in.field<double>("linear.center", features.size());
  const auto gains = in.field<float>("linear.gain", features.size());
  std::vector<LinearFeature> linear(features.size());
  for (std::size_t i = 0; i < linear.size(); ++i)
    linear[i] = LinearFeature{features[i], lows[i], highs[i], centers[i], gains[i]};
  return linear;
}

}  // namespace

void write_forest(TensorWriter& out, const Forest& forest) {
  out.field("trees.nodes", forest.trees,
            [](const TreeSpan& t) { return t.node_end - t.node_begin; });
  out.field("trees.output", forest.trees, [](const TreeSpan& t) { return t.output; });
  out.field("trees.width", forest.trees, [](const TreeSpan& t) { return t.width; });
  if (subtracts(forest))
    out.field("trees.counter", forest.trees, [](const TreeSpan& t) { return t.minus_output; });
  out.field("trees.linear", forest.trees,
            [](const TreeSpan& t) { return t.linear_end - t.linear_begin; });
  out.view("rounds.tree_end", {forest.round_end.size()}, forest.round_end);
  out.field("nodes.threshold", forest.nodes, [](const Node& n) { return n.threshold; });
  out.field("nodes.feature", forest.nodes, [](const Node& n) { return n.feature; });
  out.field("nodes.left", forest.nodes, [](const Node& n) { return n.left; });
  out.field("nodes.right", forest.nodes, [](const Node& n) { return n.right; });
  out.field("nodes.set_begin", forest.nodes, [](const Node& n) { return n.set; });
  out.field("nodes.set_words", forest.nodes, [](const Node& n) { return n.set_size; });
  out.field("nodes.flags", forest.nodes, [](const Node& n) {
    return static_cast<std::uint8_t>((n.categorical ? kCategoricalFlag : 0) |
                                     (n.missing_left ? kMissingLeftFlag : 0));
  });
  out.view("nodes.gain", {forest.node_gain.size()}, forest.node_gain);
  if (!forest.leaf_cover.empty())
    out.view("leaves.cover", {forest.leaf_cover.size()}, forest.leaf_cover);
  out.view("sets", {forest.set_words.size()}, forest.set_words);
  // bfloat16 goes as plain bits, since numpy's readers know no such type.
  forest.leaf_values.visit(
      [&](const auto& values) { out.view("leaf_values", {values.size()}, values); });
  const auto& linear = forest.linear_features;
  out.field("linear.feature", linear, [](const LinearFeature& f) { return f.feature; });
  out.field("linear.low", linear, [](const LinearFeature& f) { return f.low; });
  out.field("linear.high", linear, [](const LinearFeature& f) { return f.high; });
  out.field("linear.center", linear, [](const LinearFeature& f) { return f.center; });
  out.field("linear.gain", linear, [](const LinearFeature& f) { return f.gain; });
  out.view("linear.slopes", {forest.slopes.size()}, forest.slopes);
  write_filters(out, forest);
  if (forest.entry_ends.empty()) return;
  out.field("trees.sparse", forest.trees,
            [](const TreeSpan& t) { return static_cast<std::uint8_t>(t.sparse ? 1 : 0); });
  out.view("entries.end", {forest.entry_ends.size()}, forest.entry_ends);
  out.view("entries.output", {forest.entry_outputs.size()}, forest.entry_outputs);
  out.view("entries.value", {forest.entry_values.size()}, forest.entry_values);
}

Forest read_forest(const TensorReader& in, std::uint32_t outputs) {
  Forest forest;
  forest.outputs = outputs;
  forest.trees = read_trees(in);
  forest.round_end = in.numbers<std::uint32_t>("rounds.tree_end");
  forest.nodes = read_nodes(in);
  forest.set_words = in.numbers<std::uint32_t>("sets");
  forest.leaf_values = read_leaf_values(in);
  forest.node_gain = in.numbers<float>("nodes.gain");
  if (in.has_tensor("leaves.cover")) forest.leaf_cover = in.numbers<float>("leaves.cover");
  forest.linear_features = read_linear_features(in);
  forest.slopes = in.numbers<float>("linear.slopes");
  read_filters(in, forest);
  if (in.has_tensor("trees.sparse")) {
    forest.entry_ends = in.numbers<std::uint64_t>("entries.end");
    forest.entry_outputs = in.numbers<std::uint32_t>("entries.output");
    forest.entry_values = in.numbers<float>("entries.value");
  }
  return forest;
}

}  // namespace simplexboost
