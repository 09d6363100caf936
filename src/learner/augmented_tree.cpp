#include "learner/augmented_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "simplexboost/error.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {
namespace {

// An edge that is larger by less than this is so by rounding.
constexpr double kAugmentedRounding = 1e-7;

GrowthOptions one_cut(GrowthOptions growth) {
  growth.max_depth = 1;
  growth.max_leaves = 0;
  growth.best_first = false;
  return growth;
}

// The classes pulled down, and those pulled up.
struct ClassCut {
  std::vector<std::uint32_t> down;
  std::vector<std::uint32_t> up;
  double edge = 0;

  bool valid() const { return !down.empty() && !up.empty(); }
};

ClassCut best_class_cut(const std::vector<std::uint32_t>& classes,
                        const std::vector<double>& sums) {
  ClassCut cut;
  for (std::size_t j = 0; j < classes.size(); ++j) {
    (sums[j] < 0 ? cut.down : cut.up).push_back(classes[j]);
    cut.edge += std::fabs(sums[j]);
  }
  return cut;
}

}  // namespace

struct AugmentedTree::FeatureCut {
  Split split;
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  double edge = -1;  // no cut
};

AugmentedTree::AugmentedTree(const BinnedDataset& data, const RowSpace& space,
                             const GrowthOptions& growth)
    : data_(data), space_(space), depth_(growth.max_depth), grower_(data, space, one_cut(growth)) {
  if (depth_ < 1 || depth_ > kMostAugmentedDepth || growth.max_leaves > 0)
    throw ParameterError("depth: trees on pairs of rows and classes have a depth of 1 to " +
                         std::to_string(kMostAugmentedDepth) + " and no number of leaves");
}

double AugmentedTree::pull_of(std::uint32_t row, const std::vector<std::uint32_t>& classes) const {
  double sum = 0;
  for (const std::uint32_t l : classes)
    sum += static_cast<double>(target_.pulls[row * target_.width + l]);
  return sum;
}

// The ranks take turns: a last bit may decide between cuts.
template <class Add>
std::vector<double> AugmentedTree::sums_of(const std::vector<std::uint32_t>& rows,
                                           std::size_t width, const Add& add) const {
  std::vector<double> sums(width);
  space_.add_in_turn(sums, [&] {
    for (const std::uint32_t row : rows) add(row, sums);
  });
  return sums;
}

// The grower chooses between "for" and "against" on each side, as between two classes.
AugmentedTree::FeatureCut AugmentedTree::best_feature_cut(
    const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& classes) {
  FeatureCut cut;
  pulls_.assign(2 * target_.rows, 0);
  for (const std::uint32_t row : rows) {
    float* const pair = pulls_.data() + 2 * std::size_t{row};
    pair[0] = static_cast<float>(pull_of(row, classes));
    pair[1] = -pair[0];
  }
  stats_.assign({target_.rows, 2, pulls_.data(), target_.weights, nullptr}, space_);
  const GrownTree& tree = grower_.grow(stats_, stats_.criterion(CriterionKind::kClass, 0),
                                       Sample{rows, sample_.features, true}, {stream_++, 0});
  const GrownNode& root = tree.nodes.front();
  if (root.leaf()) return cut;
  cut.split = root.split;
  cut.edge = 0;
  for (const bool is_left : {true, false}) {
    const auto side =
        tree.rows(tree.nodes[static_cast<std::size_t>(is_left ? root.left : root.right)]);
    std::vector<std::uint32_t>& to = is_left ? cut.left : cut.right;
    to.assign(side.begin(), side.end());
    std::sort(to.begin(), to.end());
    const std::vector<double> sum = sums_of(
        to, 1,
        [&](std::uint32_t row, std::vector<double>& sums) { sums[0] += pull_of(row, classes); });
    cut.edge += std::fabs(sum[0]);
  }
  return cut;
}

std::int32_t AugmentedTree::grow(std::vector<std::uint32_t> rows,
                                 std::vector<std::uint32_t> classes, int depth) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  const std::vector<double> sums =
      sums_of(rows, classes.size(), [&](std::uint32_t row, std::vector<double>& to) {
        for (std::size_t j = 0; j < classes.size(); ++j)
          to[j] += static_cast<double>(target_.pulls[row * target_.width + classes[j]]);
      });
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  PairNode node;
  node.classes = classes;
  node.vote = all < 0 ? -1.0F : 1.0F;
  if (depth < depth_) {
    ClassCut by_class = best_class_cut(classes, sums);
    FeatureCut by_feature = best_feature_cut(rows, classes);
    const double least = std::fabs(all) + kAugmentedRounding;
    const double class_edge = by_class.valid() ? by_class.edge : -1;
    if (std::max(class_edge, by_feature.edge) > least) {
      node.cuts_classes = class_edge >= by_feature.edge;
      node.gain = static_cast<float>(std::max(class_edge, by_feature.edge) - std::fabs(all));
      node.split = std::move(by_feature.split);
      if (node.cuts_classes) {
        node.left = grow(rows, std::move(by_class.down), depth + 1);
        node.right = grow(std::move(rows), std::move(by_class.up), depth + 1);
      } else {
        node.left = grow(std::move(by_feature.left), classes, depth + 1);
        node.right = grow(std::move(by_feature.right), classes, depth + 1);
      }
    }
  }
  nodes_[static_cast<std::size_t>(index)] = std::move(node);
  return index;
}

// Joins subtrees that have classes of their own, all for the same rows, to one tree of the
// features.
std::int32_t AugmentedTree::join(std::vector<std::int32_t> active, std::int32_t parent) {
  const auto node_of = [&](std::int32_t i) -> const PairNode& {
    return nodes_[static_cast<std::size_t>(i)];
  };
  for (std::size_t a = 0; a < active.size();) {
    const PairNode& node = node_of(active[a]);
    if (node.left >= 0 && node.cuts_classes) {
      active[a] = node.left;
      active.push_back(node.right);
    } else {
      ++a;
    }
  }
  const auto index = static_cast<std::int32_t>(tree_.nodes.size());
  GrownNode& made = tree_.nodes.emplace_back();
  made.parent = parent;
  made.depth = parent < 0 ? 0 : tree_.nodes[static_cast<std::size_t>(parent)].depth + 1;
  leaves_.of_node.push_back(-1);
  const auto cut = std::find_if(active.begin(), active.end(),
                                [&](std::int32_t i) { return node_of(i).left >= 0; });
  if (cut == active.end()) {
    leaves_.of_node.back() = static_cast<std::int32_t>(leaves_.count++);
    leaves_.values.resize(leaves_.count * target_.width);
    float* const votes = leaves_.values.data() + (leaves_.count - 1) * target_.width;
    for (const std::int32_t i : active)
      for (const std::uint32_t l : node_of(i).classes) votes[l] = node_of(i).vote;
    return index;
  }
  const PairNode& node = node_of(*cut);
  made.split = node.split;
  made.gain = node.gain;
  for (const bool is_left : {true, false}) {
    *cut = is_left ? node.left : node.right;
    const std::int32_t child = join(active, index);
    GrownNode& here = tree_.nodes[static_cast<std::size_t>(index)];
    (is_left ? here.left : here.right) = child;
  }
  return index;
}

RowVectors AugmentedTree::fit(const RoundTarget& target, const Sample& sample) {
  target_ = target;
  sample_ = sample;
  stream_ = target.stream;
  std::vector<std::uint32_t> rows(sample.rows.begin(), sample.rows.end());
  if (sample.all_rows()) {
    rows.resize(target.rows);
    std::iota(rows.begin(), rows.end(), 0U);
  }
  std::vector<std::uint32_t> classes(target.width);
  std::iota(classes.begin(), classes.end(), 0U);
  nodes_.clear();
  grow(std::move(rows), std::move(classes), 0);
  tree_.nodes.clear();
  leaves_ = {};
  join({0}, -1);
  leaf_of_row_.resize(data_.rows());
  walk_leaves(tree_, leaves_.of_node, data_, space_.threads(), leaf_of_row_.data());
  return {leaf_of_row_.data(), leaves_.values.data(), target.width, target.to.output};
}

void AugmentedTree::append_to(Forest& forest, double factor) const {
  pack_tree(tree_, leaves_, data_.all_bins(), target_.to.output, target_.width, factor, 1, forest);
}

RowVectors AugmentedTree::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(tree_, leaves_.of_node, data.bins, space_.threads(), leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), target_.width, target_.to.output};
}

}  // namespace simplexboost
