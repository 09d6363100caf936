#include "tree/leaf/monotone.h"

#include <algorithm>
#include <limits>

namespace simplexboost {
namespace {

class LeafBounds {
 public:
  LeafBounds(const GrownTree& tree, const Monotone& monotone, std::size_t width, Leaves& leaves)
      : tree_(tree),
        monotone_(monotone),
        width_(width),
        leaves_(leaves),
        means_(tree.nodes.size() * width),
        low_(means_.size(), -std::numeric_limits<float>::infinity()),
        high_(means_.size(), std::numeric_limits<float>::infinity()) {}

  // Children follow their parents: means go up, bounds go down.
  void apply() {
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) set_mean(i);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const GrownNode& node = tree_.nodes[i];
      if (node.leaf())
        bound(i);
      else
        pass_on(i);
    }
  }

 private:
  float* row(std::vector<float>& of, std::size_t node) { return of.data() + node * width_; }
  float* leaf_values(std::size_t node) {
    return leaves_.values.data() + static_cast<std::size_t>(leaves_.of_node[node]) * width_;
  }

  // Over the rows of all ranks, which all of them know.
  void set_mean(std::size_t i) {
    const GrownNode& node = tree_.nodes[i];
    float* const mean = row(means_, i);
    if (node.leaf()) {
      std::copy_n(leaf_values(i), width_, mean);
      return;
    }
    const auto l = static_cast<std::size_t>(node.left);
    const auto r = static_cast<std::size_t>(node.right);
    const auto left = static_cast<double>(tree_.count(l));
    const auto right = static_cast<double>(tree_.count(r));
    const double share = left + right > 0 ? left / (left + right) : 0.5;
    for (std::size_t j = 0; j < width_; ++j)
      mean[j] = static_cast<float>(share * static_cast<double>(row(means_, l)[j]) +
                                   (1 - share) * static_cast<double>(row(means_, r)[j]));
  }

  void bound(std::size_t i) {
    float* const values = leaf_values(i);
    for (std::size_t j = 0; j < width_; ++j)
      values[j] = std::clamp(values[j], row(low_, i)[j], row(high_, i)[j]);
  }

  void pass_on(std::size_t i) {
    const GrownNode& node = tree_.nodes[i];
    const auto l = static_cast<std::size_t>(node.left);
    const auto r = static_cast<std::size_t>(node.right);
    for (const std::size_t child : {l, r}) {
      std::copy_n(row(low_, i), width_, row(low_, child));
      std::copy_n(row(high_, i), width_, row(high_, child));
    }
    const std::int8_t sign = monotone_.sign_of(node.split.feature);
    if (sign == 0) return;
    for (std::size_t j = 0; j < width_; ++j) {
      const bool rises = (sign > 0) == (j == monotone_.output[node.split.feature]);
      const float between = border(i, l, r, j, rises);
      row(rises ? high_ : low_, l)[j] = between;
      row(rises ? low_ : high_, r)[j] = between;
    }
  }

  // Between the means of both sides where these are in order, else where the node itself stands.
  float border(std::size_t i, std::size_t l, std::size_t r, std::size_t j, bool rises) {
    const float low = row(low_, i)[j];
    const float high = row(high_, i)[j];
    const float left = std::clamp(row(means_, l)[j], low, high);
    const float right = std::clamp(row(means_, r)[j], low, high);
    const bool in_order = rises ? left <= right : left >= right;
    return std::clamp(in_order ? left + (right - left) / 2 : row(means_, i)[j], low, high);
  }

  const GrownTree& tree_;
  const Monotone& monotone_;
  std::size_t width_;
  Leaves& leaves_;
  std::vector<float> means_, low_, high_;  // nodes x width
};

}  // namespace

void bound_leaves(const GrownTree& tree, const Monotone& monotone, std::size_t width,
                  Leaves& leaves) {
  LeafBounds(tree, monotone, width, leaves).apply();
}

}  // namespace simplexboost
