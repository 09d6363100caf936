#include "learner/pair_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/text/shorten.h"
#include "base/threads/block_sums.h"
#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {
namespace {

// Rows to a task.
constexpr std::size_t kChunk = 1024;
static_assert(kChunk <= SumUnit::kMost);

// Classes that no row of a node tells apart are alike up to rounding: the first of them is taken.
constexpr double kRounding = 1e-5;

// The sum over the rows, those of other ranks too, of `width` numbers that add(rows, sums) adds for
// some of them.
template <class Add>
std::vector<std::int64_t> sum_rows(std::span<const std::uint32_t> rows, std::size_t width,
                                   const RowSpace& space, const Add& add) {
  const auto of_block = [&](std::size_t begin, std::size_t end, std::int64_t* sums) {
    add(rows.subspan(begin, end - begin), sums);
  };
  std::vector<std::int64_t> total(width);
  add_blocks(block_sums<std::int64_t>(space.threads(), rows.size(), kChunk, width, of_block), width,
             total.data());
  space.add_up(total);
  return total;
}

GrowthOptions with_stats_of_nodes(GrowthOptions growth) {
  growth.stats_of_nodes = true;
  return growth;
}

}  // namespace

PairTreeLearner::PairTreeLearner(const BinnedDataset& data, const RowSpace& space, double l2,
                                 const GrowthOptions& growth)
    : data_(data), space_(space), l2_(l2), grower_(data, space, with_stats_of_nodes(growth)) {}

RowVectors PairTreeLearner::fit(const RoundTarget& target, const Sample& sample) {
  assert(target.width >= 2);
  assert(target.rows == 0 || (target.curvature != nullptr && target.weights != nullptr));
  target_ = target;
  pairs_.clear();
  sums_.clear();
  start_stats();
  const CriterionSpec criterion = stats_.criterion(CriterionKind::kLeastSquares, l2_);
  tree_ = &grower_.grow(stats_, criterion, sample, {target.stream, 0}, this);
  set_leaf_vectors();
  leaf_of_row_.resize(data_.rows());
  grower_.assign_leaves(leaves_.of_node, leaf_of_row_.data());
  RowVectors hypothesis{leaf_of_row_.data(), leaves_.values.data(), target.width, target.to.output};
  hypothesis.by_leaf = true;
  return hypothesis;
}

// With a = 1 - p of its own class, whose pull w a is the largest of a row, no pair of it has a
// slope of more than 2 w a, nor a curvature of more than 4 w a; and no class has a slope, a
// curvature or a product with another class of more than w a, up to rounding.
void PairTreeLearner::start_stats() {
  struct Part {
    double sum;
    double largest;
  };
  const std::size_t width = target_.width;
  Part all{0, 0};
  for (const Part& part :
       space_.block_values<Part>(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
         Part block{0, 0};
         for (std::size_t i = begin; i < end; ++i) {
           const float* pulls = target_.pulls + i * width;
           const auto most = static_cast<double>(*std::max_element(pulls, pulls + width));
           block.sum += most;
           block.largest = std::max(block.largest, most);
         }
         return block;
       })) {
    all.sum += part.sum;
    all.largest = std::max(all.largest, part.largest);
  }
  stats_.start_scalar(space_, 2 * all.sum, 4 * all.sum);
  unit_ = SumUnit(1.001 * all.largest, space_.all());
}

std::vector<std::int64_t> PairTreeLearner::slopes_and_curvatures(
    std::span<const std::uint32_t> rows) const {
  const std::size_t width = target_.width;
  return sum_rows(rows, 2 * width, space_,
                  [&](std::span<const std::uint32_t> some, std::int64_t* sums) {
                    ValueArgs args;
                    args.pulls = target_.pulls;
                    args.curvature = target_.curvature;
                    args.width = width;
                    args.rows = some.data();
                    args.count = some.size();
                    ValueSums({unit_, unit_}, 1, width).add(args, sums);
                  });
}

std::vector<std::int64_t> PairTreeLearner::products(std::span<const std::uint32_t> rows,
                                                    std::size_t k) const {
  const std::size_t width = target_.width;
  return sum_rows(
      rows, width, space_, [&](std::span<const std::uint32_t> some, std::int64_t* units) {
        std::vector<double> sums(width, unit_.start());
        kernels().add_products({target_.pulls, width, target_.weights, some.data(), some.size(), k,
                                SumUnit::kNudge, sums.data()});
        sums[k] = unit_.start();  // the product with itself may be too large for the unit
        for (std::size_t j = 0; j < width; ++j) units[j] = unit_.units(sums[j]);
      });
}

PairTreeLearner::Pair PairTreeLearner::choose_pair(std::span<const std::uint32_t> rows,
                                                   const std::vector<std::int64_t>& sums) const {
  const std::size_t width = target_.width;
  Pair pair;
  const auto end = sums.begin() + static_cast<std::ptrdiff_t>(width);
  const auto top = static_cast<double>(*std::max_element(sums.begin(), end));
  const double least = top - kRounding * std::fabs(top);
  pair.up = static_cast<std::size_t>(
      std::find_if(sums.begin(), end,
                   [&](std::int64_t slope) { return static_cast<double>(slope) >= least; }) -
      sums.begin());
  pair.down = pair.up == 0 ? 1 : 0;
  const std::vector<std::int64_t> product = products(rows, pair.up);
  double best = 0;
  for (std::size_t s = 0; s < width; ++s) {
    if (s == pair.up) continue;
    const double slope = unit_.real(sums[pair.up] - sums[s]);
    const double curvature = unit_.real(sums[width + pair.up]) + unit_.real(sums[width + s]) +
                             2 * unit_.real(product[s]) + l2_;
    const double gain = curvature > 0 ? slope * slope / curvature : 0;
    if (!(gain > best * (1 + kRounding))) continue;
    best = gain;
    pair.down = s;
  }
  return pair;
}

void PairTreeLearner::set_rows(std::span<const std::uint32_t> rows, const Pair& pair) {
  const std::size_t width = target_.width;
  parallel_blocks(space_.threads(), rows.size(), kChunk, [&](std::size_t begin, std::size_t end) {
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
  std::vector<std::int64_t> sums;
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
    if (target_.leaf_limit > 0) value = std::clamp(value, -target_.leaf_limit, target_.leaf_limit);
    values[leaf * width + pairs_[i].up] = value;
    values[leaf * width + pairs_[i].down] = -value;
  }
  leaves_.values = std::move(values);
}

void PairTreeLearner::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), target_.to.output, target_.width, factor,
            stats_.score_unit(CriterionKind::kLeastSquares), forest);
}

RowVectors PairTreeLearner::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, space_.threads(), leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), target_.width, target_.to.output};
}

}  // namespace simplexboost
