#include "tree/split/monotone_cuts.h"

#include <algorithm>
#include <limits>

namespace simplexboost {

bool MonotoneCuts::start(const CriterionSpec& criterion) {
  width_ = criterion.pulls;
  l2_ = static_cast<double>(criterion.l2);
  bounds_.clear();
  resize(1);
  return criterion.kind == CriterionKind::kLeastSquares && width_ == monotone_.outputs;
}

void MonotoneCuts::resize(std::size_t nodes) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  bounds_.resize(nodes * width_, {-kInfinite, kInfinite});
}

MonotoneCuts::Side MonotoneCuts::side(const std::int32_t* sums, std::size_t output) const {
  return {static_cast<double>(sums[kPullChannel + output]),
          static_cast<double>(sums[kWeightChannel]) + l2_};
}

double MonotoneCuts::value(const Side& side, const Bounds& bounds) {
  return std::clamp(side.weight > 0 ? side.pull / side.weight : 0, bounds.low, bounds.high);
}

double MonotoneCuts::gain(const Side& side, double value) {
  return value * (2 * side.pull - side.weight * value);
}

float MonotoneCuts::score(std::size_t node, const std::int32_t* total) const {
  double sum = 0;
  for (std::size_t j = 0; j < width_; ++j) {
    const Side all = side(total, j);
    sum += gain(all, value(all, bounds_[node * width_ + j]));
  }
  return static_cast<float>(sum);
}

float MonotoneCuts::score(std::size_t node, std::size_t feature, const std::int32_t* left,
                          const std::int32_t* total) const {
  const bool ordered = monotone_.sign_of(feature) != 0;
  const double right_weight =
      static_cast<double>(total[kWeightChannel]) - static_cast<double>(left[kWeightChannel]) + l2_;
  double sum = 0;
  for (std::size_t j = 0; j < width_; ++j) {
    const Bounds& bounds = bounds_[node * width_ + j];
    const Side here = side(left, j);
    const Side there{static_cast<double>(total[kPullChannel + j]) - here.pull, right_weight};
    const double low = value(here, bounds);
    const double high = value(there, bounds);
    if (ordered && (rises(feature, j) ? low > high : low < high)) {
      const Side both{here.pull + there.pull, here.weight + there.weight};
      sum += gain(both, value(both, bounds));
    } else {
      sum += gain(here, low) + gain(there, high);
    }
  }
  return static_cast<float>(sum);
}

void MonotoneCuts::pass_on(const GrownTree& tree, std::size_t node) {
  const GrownNode& cut = tree.nodes[node];
  const auto l = static_cast<std::size_t>(cut.left);
  const auto r = static_cast<std::size_t>(cut.right);
  const bool ordered = monotone_.sign_of(cut.split.feature) != 0;
  for (std::size_t j = 0; j < width_; ++j) {
    const Bounds own = bounds_[node * width_ + j];
    Bounds& left = bounds_[l * width_ + j] = own;
    Bounds& right = bounds_[r * width_ + j] = own;
    if (!ordered) continue;
    const Side here = side(tree.total(l), j);
    const Side there = side(tree.total(r), j);
    const double low = value(here, own);
    const double high = value(there, own);
    const bool up = rises(cut.split.feature, j);
    const bool in_order = up ? low <= high : low >= high;
    const double border = in_order
                              ? low + (high - low) / 2
                              : value({here.pull + there.pull, here.weight + there.weight}, own);
    (up ? left.high : left.low) = border;
    (up ? right.low : right.high) = border;
  }
}

}  // namespace simplexboost
