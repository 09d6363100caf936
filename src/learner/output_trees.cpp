#include "learner/output_trees.h"

#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {
namespace {

constexpr std::size_t kOutputTreesRowBlock = 4096;

// Column `j` of rows x width numbers.
void take_column(const float* from, std::size_t rows, std::size_t width, std::size_t j, int threads,
                 std::vector<float>& out) {
  out.resize(rows);
  parallel_blocks(threads, rows, kOutputTreesRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = from[i * width + j];
  });
}

// Writes what a tree says of the rows to column `j` of rows x width numbers.
void put_column(const std::vector<std::uint32_t>& leaf_of_row, const Leaves& leaves,
                std::size_t width, std::size_t j, int threads, std::vector<float>& out) {
  parallel_blocks(threads, leaf_of_row.size(), kOutputTreesRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i)
                      out[i * width + j] = leaves.values[leaf_of_row[i]];
                  });
}

}  // namespace

OutputTrees::OutputTrees(const BinnedDataset& data, const RowSpace& space,
                         const TreeLearnerOptions& options)
    : data_(data), space_(space), options_(options), grower_(data, space, options.growth) {}

FitTarget OutputTrees::column(const FitTarget& target, std::size_t output) {
  const int threads = space_.threads();
  FitTarget one{target.rows, 1, nullptr, target.weights, nullptr};
  take_column(target.pulls, target.rows, target.width, output, threads, pulls_);
  one.pulls = pulls_.data();
  if (target.curvature) {
    take_column(target.curvature, target.rows, target.width, output, threads, curvature_);
    one.curvature = curvature_.data();
    one.weights = curvature_.data();
  }
  return one;
}

RowVectors OutputTrees::fit(const RoundTarget& target, const Sample& sample) {
  const int threads = space_.threads();
  const std::size_t width = target.width;
  output_ = target.to.output;
  fitted_.resize(width);
  leaf_of_row_.resize(data_.rows());
  values_.resize(data_.rows() * width);
  for (std::size_t j = 0; j < width; ++j) {
    stats_.assign(column(target, j), space_, options_.criterion == CriterionKind::kConfidence);
    const CriterionSpec criterion = stats_.criterion(options_.criterion, options_.l2);
    const GrownTree& tree = grower_.grow(stats_, criterion, sample, {target.stream + j, 0});
    Fitted& fitted = fitted_[j];
    set_leaves(tree, stats_, options_.leaf_rule, options_.l2, fitted.leaves);
    fitted.gain_unit = stats_.score_unit(options_.criterion);
    fitted.tree.nodes = tree.nodes;
    grower_.assign_leaves(fitted.leaves.of_node, leaf_of_row_.data());
    put_column(leaf_of_row_, fitted.leaves, width, j, threads, values_);
  }
  return {nullptr, values_.data(), width, output_};
}

void OutputTrees::append_to(Forest& forest, double factor) const {
  for (std::size_t j = 0; j < fitted_.size(); ++j)
    pack_tree(fitted_[j].tree, fitted_[j].leaves, data_.all_bins(), output_ + j, 1, factor,
              fitted_[j].gain_unit, forest);
}

RowVectors OutputTrees::apply(const LearnerData& data) {
  const int threads = space_.threads();
  std::vector<std::uint32_t> leaf_of_row(data.bins.rows());
  values_elsewhere_.resize(data.bins.rows() * fitted_.size());
  for (std::size_t j = 0; j < fitted_.size(); ++j) {
    const Fitted& fitted = fitted_[j];
    walk_leaves(fitted.tree, fitted.leaves.of_node, data.bins, threads, leaf_of_row.data());
    put_column(leaf_of_row, fitted.leaves, fitted_.size(), j, threads, values_elsewhere_);
  }
  return {nullptr, values_elsewhere_.data(), fitted_.size(), output_};
}

}  // namespace simplexboost
