#include "learner/pair_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/parallel.h"
#include "base/reduce.h"
#include "base/shorten.h"
#include "tree/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {
namespace {

// Rows to a task; their sums are added in order, so threads do not matter.
constexpr std::size_t kChunk = 1024;

// Classes that no row of a node tells apart are alike up to rounding: the first of them is taken.
constexpr double kRounding = 1e-5;

// The sum over the rows of `width` numbers that add(row, sums) adds. In double precision, where a
// row of weight 2 is that row twice to almost the last bit.
template <class Add>
std::vector<double> sum_rows(std::span<const std::uint32_t> rows, std::size_t width, int threads,
                             const Add& add) {
  const std::size_t chunks = (rows.size() + kChunk - 1) / kChunk;
  std::vector<double> parts(chunks * width);
  parallel_blocks(threads, rows.size(), kChunk, [&](std::size_t begin, std::size_t end) {
    double* sums = parts.data() + begin / kChunk * width;
    for (std::size_t i = begin; i < end; ++i) add(rows[i], sums);
  });
  std::vector<double> total(width);
  for (std::size_t c = 0; c < chunks; ++c)
    for (std::size_t j = 0; j < width; ++j) total[j] += parts[c * width + j];
  return total;
}

}  // namespace

PairTreeLearner::PairTreeLearner(const BinnedDataset& data, double l2, const GrowthOptions& growth)
    : data_(data), l2_(l2), growth_(growth), grower_(data, growth) {}

RowVectors PairTreeLearner::fit(const FitTarget& target, const Sample& sample) {
  assert(target.width >= 2 && target.curvature != nullptr && target.weights != nullptr);
  target_ = target;
  pairs_.clear();
  sums_.clear();
  start_stats();
  const CriterionSpec criterion = stats_.criterion(CriterionKind::kLeastSquares, l2_);
  tree_ = &grower_.grow(stats_, criterion, sample.rows, sample.features, this);
  set_leaf_vectors();
  leaf_of_row_.resize(data_.rows());
  assign_leaves(*tree_, leaves_.of_node, data_, growth_.threads, leaf_of_row_.data());
  return {leaf_of_row_.data(), leaves_.values.data(), target.width, target.output};
}

// With a = 1 - p of its own class, no pair of a row has a slope of more than 2 w a, nor a curvature
// of more than 4 w a.
void PairTreeLearner::start_stats() {
  const std::size_t width = target_.width;
  const double sum =
      sum_blocks(growth_.threads, target_.rows, kChunk, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const float* pulls = target_.pulls + i * width;
          part += static_cast<double>(*std::max_element(pulls, pulls + width));
        }
        return part;
      });
  stats_.start_scalar(target_.rows, 2 * sum, 4 * sum);
}

std::vector<double> PairTreeLearner::slopes_and_curvatures(
    std::span<const std::uint32_t> rows) const {
  const std::size_t width = target_.width;
  return sum_rows(rows, 2 * width, growth_.threads, [&](std::size_t row, double* sums) {
    const float* pulls = target_.pulls + row * width;
    const float* curvature = target_.curvature + row * width;
    for (std::size_t k = 0; k < width; ++k) sums[k] += static_cast<double>(pulls[k]);
    for (std::size_t k = 0; k < width; ++k) sums[width + k] += static_cast<double>(curvature[k]);
  });
}

std::vector<double> PairTreeLearner::products(std::span<const std::uint32_t> rows,
                                              std::size_t k) const {
  const std::size_t width = target_.width;
  return sum_rows(rows, width, growth_.threads, [&](std::size_t row, double* sums) {
    const float* pulls = target_.pulls + row * width;
    const float weight = target_.weights[row];
    if (!(weight > 0)) return;
    const float p = share(pulls[k], weight) / weight;
    for (std::size_t j = 0; j < width; ++j)
      sums[j] += static_cast<double>(p * share(pulls[j], weight));
  });
}

PairTreeLearner::Pair PairTreeLearner::choose_pair(std::span<const std::uint32_t> rows,
                                                   const std::vector<double>& sums) const {
  const std::size_t width = target_.width;
  Pair pair;
  const auto end = sums.begin() + static_cast<std::ptrdiff_t>(width);
  const double top = *std::max_element(sums.begin(), end);
  const double least = top - kRounding * std::fabs(top);
  pair.up = static_cast<std::size_t>(
      std::find_if(sums.begin(), end, [&](double slope) { return slope >= least; }) - sums.begin());
  pair.down = pair.up == 0 ? 1 : 0;
  const std::vector<double> product = products(rows, pair.up);
  double best = 0;
  for (std::size_t s = 0; s < width; ++s) {
    if (s == pair.up) continue;
    const double slope = sums[pair.up] - sums[s];
    const double curvature = sums[width + pair.up] + sums[width + s] + 2 * product[s] + l2_;
    const double gain = curvature > 0 ? slope * slope / curvature : 0;
    if (!(gain > best * (1 + kRounding))) continue;
    best = gain;
    pair.down = s;
  }
  return pair;
}

void PairTreeLearner::set_rows(std::span<const std::uint32_t> rows, const Pair& pair) {
  const std::size_t width = target_.width;
  parallel_blocks(growth_.threads, rows.size(), kChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = rows[i];
      const float* pulls = target_.pulls + row * width;
      const float* curvature = target_.curvature + row * width;
      // As if of weight 1, and then weighted.
      const float weight = target_.weights[row] > 0 ? target_.weights[row] : 1;
      const float up = pulls[pair.up] / weight;
      const float down = pulls[pair.down] / weight;
      const float h =
          (curvature[pair.up] + curvature[pair.down]) / weight + 2 * share(up, 1) * share(down, 1);
      stats_.set_row(row, weight * shorten(h), weight * shorten(up - down));
    }
  });
}

// The sums of a larger sibling are those of the parent less those of the smaller one.
void PairTreeLearner::enter(const GrownTree& tree, std::size_t node) {
  const GrownNode& at = tree.nodes[node];
  const std::span<const std::uint32_t> rows = tree.rows(at);
  std::vector<double> sums;
  const std::size_t sibling = node - 1;  // right children are entered after the left ones
  const bool second = at.parent >= 0 && tree.nodes[static_cast<std::size_t>(at.parent)].right ==
                                            static_cast<std::int32_t>(node);
  if (second) {
    sums = sums_[static_cast<std::size_t>(at.parent)];
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] -= sums_[sibling][j];
  } else {
    sums = slopes_and_curvatures(rows);
  }
  pairs_.resize(node + 1);
  sums_.resize(node + 1);
  pairs_[node] = choose_pair(rows, sums);
  sums_[node] = std::move(sums);
  set_rows(rows, pairs_[node]);
}

void PairTreeLearner::set_leaf_vectors() {
  set_leaves(*tree_, stats_, LeafRule::kMean, l2_, leaves_);
  const std::size_t width = target_.width;
  std::vector<float> values(leaves_.count * width);
  for (std::size_t i = 0; i < tree_->nodes.size(); ++i) {
    if (!tree_->nodes[i].leaf()) continue;
    const auto leaf = static_cast<std::size_t>(leaves_.of_node[i]);
    float value = leaves_.values[leaf];
    if (target_.value_limit > 0)
      value = std::clamp(value, -target_.value_limit, target_.value_limit);
    values[leaf * width + pairs_[i].up] = value;
    values[leaf * width + pairs_[i].down] = -value;
  }
  leaves_.values = std::move(values);
}

void PairTreeLearner::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), target_.output, target_.width, factor,
            stats_.score_unit(CriterionKind::kLeastSquares), forest);
}

RowVectors PairTreeLearner::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, growth_.threads, leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), target_.width, target_.output};
}

}  // namespace simplexboost
