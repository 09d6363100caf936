#include "explain/shap_task.h"

#include <algorithm>

#include "explain/shap_kernels.h"

namespace simplexboost {

std::size_t pair_place(std::size_t i, std::size_t j, std::size_t players) {
  if (i > j) std::swap(i, j);
  return i * players - i * (i + 1) / 2 + j;
}

// Where the values go.
struct ShapTask::Sink {
  GameKind kind;
  const ScoreSpace& space;
  const std::vector<std::uint32_t>& chosen;
  std::size_t a_row;
  std::size_t stride;
  std::size_t row_stride;
  double* sums;
  std::size_t players;

  double* of(const PathTarget& target, std::size_t row) const {
    const std::size_t place =
        kind == GameKind::kPairs ? pair_place(target.player, target.other, players) : target.player;
    return sums + row * row_stride + place * stride;
  }
};

ShapTask::ShapTask(const Ensemble& ensemble, const Players& players, const Dataset& data,
                   std::size_t begin, std::size_t end)
    : ensemble_(ensemble),
      players_(players),
      rows_(end - begin),
      values_(players.count() * kShapRows) {
  players.gather(data, begin, end, values_.data());
}

void ShapTask::add(const PathForest& forest, const ScoreSpace& space,
                   const std::vector<std::uint32_t>& chosen, std::size_t a_row, std::size_t stride,
                   std::size_t row_stride, double* sums) {
  const Sink sink{forest.kind, space, chosen, a_row, stride, row_stride, sums, players_.count()};
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    add_tree(forest, t, sink);
    const TreeSpan& span = forest.trees[t].span();
    if (span.linear() && forest.kind == GameKind::kFeatures) add_linear(forest, span, sink);
  }
}

void ShapTask::add_tree(const PathForest& forest, std::size_t t, const Sink& sink) {
  const PathTree& tree = forest.trees[t];
  if (tree.entries() == 0) return;
  answers_.resize(tree.leaves() * tree.words() * kShapRows);
  lines_.resize(tree.entries() * kShapRows);
  tree.answers(values_.data(), scratch_, answers_.data());
  leaf_weights(tree, forest.kind, forest.background.empty() ? nullptr : &forest.background[t],
               answers_.data(), lines_.data());
  if (sink.space.sparse(tree.span())) {
    sink.space.leaf_entries_of(tree.span(), sparse_);
    for (const PathTarget& target : tree.targets()) add_sparse(target, tree.entry_leaves(), sink);
    return;
  }
  sink.space.leaf_parts(tree.span(), parts_);
  add_products(tree.targets(), tree.entry_leaves(), sink);
}

// Where each row has columns of its own, these are picked out of the leaves' values first: a small
// table for each row in the place of a large one for all.
void ShapTask::add_products(std::span<const PathTarget> targets, const std::uint32_t* leaves,
                            const Sink& sink) {
  const bool own = !sink.chosen.empty() && sink.space.in_classes();
  for (const ValuePart& part : parts_) {
    LeafProduct product;
    product.lines = lines_.data();
    product.leaves = leaves;
    product.row_stride = sink.row_stride;
    product.values = part.values.data();
    product.stride = part.stride;
    product.columns = part.columns;
    product.rows = rows_;
    const auto multiply = [&](std::size_t row, std::size_t first) {
      for (const PathTarget& target : targets) {
        product.begin = target.begin;
        product.end = target.end;
        product.out = sink.of(target, row) + first;
        shap_kernels().multiply(product);
      }
    };
    if (!own) {
      multiply(0, part.first);
      continue;
    }
    const std::size_t count = part.values.size() / part.stride;
    product.stride = shap_stride(sink.a_row);
    product.columns = sink.a_row;
    product.rows = 1;
    picked_.assign(count * product.stride, 0);
    product.values = picked_.data();
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < sink.a_row; ++c) {
        const std::size_t column = sink.chosen[r * sink.a_row + c] - part.first;
        const bool there = column < part.columns;  // it wraps around below the first
        for (std::size_t leaf = 0; leaf < count; ++leaf)
          picked_[leaf * product.stride + c] = there ? part.values[leaf * part.stride + column] : 0;
      }
      product.first_row = r;
      multiply(r, 0);
    }
  }
}

void ShapTask::add_sparse(const PathTarget& target, const std::uint32_t* leaves, const Sink& sink) {
  for (std::size_t e = target.begin; e < target.end; ++e) {
    const double* const line = lines_.data() + e * kShapRows;
    const std::size_t leaf = leaves[e];
    for (std::size_t i = leaf == 0 ? 0 : sparse_.ends[leaf - 1]; i < sparse_.ends[leaf]; ++i) {
      const std::uint32_t column = sparse_.columns[i];
      for (std::size_t r = 0; r < rows_; ++r) {
        double* const out = sink.of(target, r);
        if (sink.chosen.empty()) {
          out[column] += line[r] * sparse_.values[i];
          continue;
        }
        for (std::size_t c = 0; c < sink.a_row; ++c)
          if (sink.chosen[r * sink.a_row + c] == column) out[c] += line[r] * sparse_.values[i];
      }
    }
  }
}

// A linear feature is alone in its term: its value is what it moves from its mean.
void ShapTask::add_linear(const PathForest& forest, const TreeSpan& tree, const Sink& sink) {
  const std::size_t count = tree.linear_end - tree.linear_begin;
  lines_.resize(count * kShapRows);
  std::vector<std::uint32_t> leaves(count);
  std::vector<PathTarget> targets;
  for (std::size_t k = 0; k < count; ++k) {
    const LinearFeature& linear = ensemble_.forest.linear_features[tree.linear_begin + k];
    const std::uint32_t player = players_.of_feature(linear.feature);
    const double* const x = values_.data() + std::size_t{player} * kShapRows;
    leaves[k] = static_cast<std::uint32_t>(k);
    targets.push_back({player, player, k, k + 1});
    for (std::size_t r = 0; r < kShapRows; ++r)
      lines_[k * kShapRows + r] =
          linear.position(x[r]) - forest.linear_means[tree.linear_begin + k];
  }
  sink.space.slope_parts(tree, parts_);
  add_products(targets, leaves.data(), sink);
}

void ShapTask::add_scores(const PathForest& forest, const ScoreSpace& space, double* sums) {
  const std::size_t outputs = ensemble_.forest.outputs;
  std::vector<double> all(rows_ * outputs);
  for (const PathTree& tree : forest.trees) {
    const TreeSpan& span = tree.span();
    const std::size_t size = tree.words() * kShapRows;
    answers_.resize(tree.leaves() * size);
    tree.answers(values_.data(), scratch_, answers_.data());
    for (std::size_t r = 0; r < rows_; ++r) {
      std::size_t leaf = 0;
      while (!tree.reached(answers_.data() + leaf * size, leaf, r)) ++leaf;
      double* const to = all.data() + r * outputs;
      const auto give = [&](std::size_t c, double value) {
        to[span.output + c] += value;
        if (span.minus_output != kNoOutput) to[span.minus_output + c] -= value;
      };
      const std::vector<float> said = leaf_vector(ensemble_.forest, span, leaf);
      for (std::size_t c = 0; c < said.size(); ++c) give(c, static_cast<double>(said[c]));
      for (std::size_t k = span.linear_begin; k < span.linear_end; ++k) {
        const LinearFeature& linear = ensemble_.forest.linear_features[k];
        const double position =
            linear.position(values_[players_.of_feature(linear.feature) * kShapRows + r]);
        const float* const slope = ensemble_.forest.slopes.data() + span.slope_begin +
                                   (k - span.linear_begin) * span.width;
        for (std::size_t c = 0; c < span.width; ++c)
          give(c, position * static_cast<double>(slope[c]));
      }
    }
  }
  const std::size_t classes = ensemble_.classes();
  for (std::size_t r = 0; r < rows_; ++r) {
    const std::vector<double> scores = space.class_values({all.data() + r * outputs, outputs});
    for (std::size_t k = 0; k < classes; ++k) sums[r * classes + k] += scores[k];
  }
}

}  // namespace simplexboost
