// Shapley values by their definition: over all subsets of the features, with trees walked node by
// node.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/ensemble.h"
#include "simplexboost/forest.h"

namespace simplexboost {

// Whether a node sends a value left.
inline bool sends_left(const Forest& forest, const Node& node, double x) {
  if (!node.categorical) return std::isnan(x) ? node.missing_left : x <= node.threshold;
  if (!(x >= 0)) return node.missing_left;
  const auto code = static_cast<std::size_t>(x);
  if (code >= 32 * std::size_t{node.set_size}) return false;
  return ((forest.set_words[node.set + code / 32] >> (code % 32)) & 1) != 0;
}

inline double cover_of(const Forest& forest, std::size_t tree, std::int32_t child) {
  const TreeSpan& span = forest.trees[tree];
  if (child < 0)
    return static_cast<double>(
        forest.leaf_cover[span.node_begin + tree + static_cast<std::size_t>(~child)]);
  const Node& node = forest.nodes[span.node_begin + static_cast<std::size_t>(child)];
  return cover_of(forest, tree, node.left) + cover_of(forest, tree, node.right);
}

// What a tree is expected to add to the outputs where only the features of `known` are, by its
// covers: Algorithm 1 of Lundberg et al. 2018.
inline void expected_outputs(const Forest& forest, std::size_t tree, std::int32_t child,
                             const std::vector<double>& row, std::uint64_t known, double weight,
                             std::vector<double>& outputs) {
  const TreeSpan& span = forest.trees[tree];
  if (child < 0) {
    const std::vector<float> values = leaf_vector(forest, span, static_cast<std::size_t>(~child));
    for (std::size_t c = 0; c < values.size(); ++c) {
      outputs[span.output + c] += weight * static_cast<double>(values[c]);
      if (span.minus_output != kNoOutput)
        outputs[span.minus_output + c] -= weight * static_cast<double>(values[c]);
    }
    return;
  }
  const Node& node = forest.nodes[span.node_begin + static_cast<std::size_t>(child)];
  if (((known >> node.feature) & 1) != 0) {
    const bool left = sends_left(forest, node, row[node.feature]);
    expected_outputs(forest, tree, left ? node.left : node.right, row, known, weight, outputs);
    return;
  }
  const double both = cover_of(forest, tree, child);
  for (const std::int32_t next : {node.left, node.right}) {
    const double share = both > 0 ? cover_of(forest, tree, next) / both : 0.5;
    expected_outputs(forest, tree, next, row, known, weight * share, outputs);
  }
}

inline void add_linear(const Forest& forest, const TreeSpan& span, const std::vector<double>& row,
                       std::uint64_t known, std::vector<double>& outputs) {
  for (std::size_t k = span.linear_begin; k < span.linear_end; ++k) {
    const LinearFeature& linear = forest.linear_features[k];
    if (((known >> linear.feature) & 1) == 0) continue;
    for (std::size_t c = 0; c < span.width; ++c) {
      const double value =
          linear.position(row[linear.feature]) *
          static_cast<double>(
              forest.slopes[span.slope_begin + (k - span.linear_begin) * span.width + c]);
      outputs[span.output + c] += value;
      if (span.minus_output != kNoOutput) outputs[span.minus_output + c] -= value;
    }
  }
}

// The outputs where the features of `known` have the row's values: by the covers, or as the mean
// over background rows, which fill the rest.
inline std::vector<double> game(const Ensemble& ensemble, const std::vector<double>& row,
                                const std::vector<std::vector<double>>& background,
                                std::uint64_t known) {
  const Forest& forest = ensemble.forest;
  std::vector<double> outputs(forest.outputs);
  const auto root = [&](std::size_t t) {
    return forest.trees[t].node_begin == forest.trees[t].node_end ? ~0 : 0;
  };
  if (background.empty()) {
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
      expected_outputs(forest, t, root(t), row, known, 1, outputs);
      add_linear(forest, forest.trees[t], row, known, outputs);
    }
    return outputs;
  }
  for (const std::vector<double>& other : background) {
    std::vector<double> mixed = other;
    for (std::size_t f = 0; f < row.size(); ++f)
      if (((known >> f) & 1) != 0) mixed[f] = row[f];
    std::vector<double> once(forest.outputs);
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
      expected_outputs(forest, t, root(t), mixed, ~0ULL, 1, once);
      add_linear(forest, forest.trees[t], mixed, ~0ULL, once);
    }
    for (std::size_t c = 0; c < outputs.size(); ++c)
      outputs[c] += once[c] / static_cast<double>(background.size());
  }
  return outputs;
}

// value(subset) for all subsets of `players`, each a vector.
using Game = std::vector<std::vector<double>>;

inline double factorial(std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); }

inline std::vector<double> shapley_value(const Game& games, std::size_t players, std::size_t i) {
  std::vector<double> result(games[0].size());
  for (std::uint64_t set = 0; set < games.size(); ++set) {
    if (((set >> i) & 1) != 0) continue;
    const auto size = static_cast<std::size_t>(__builtin_popcountll(set));
    const double weight = factorial(size) * factorial(players - size - 1) / factorial(players);
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] += weight * (games[set | (1ULL << i)][k] - games[set][k]);
  }
  return result;
}

// Half of the interaction index of two players, as SHAP has it.
inline std::vector<double> shapley_pair(const Game& games, std::size_t players, std::size_t i,
                                        std::size_t j) {
  std::vector<double> result(games[0].size());
  const std::uint64_t a = 1ULL << i;
  const std::uint64_t b = 1ULL << j;
  for (std::uint64_t set = 0; set < games.size(); ++set) {
    if ((set & (a | b)) != 0) continue;
    const auto size = static_cast<std::size_t>(__builtin_popcountll(set));
    const double weight =
        factorial(size) * factorial(players - size - 2) / (2 * factorial(players - 1));
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] +=
          weight * (games[set | a | b][k] - games[set | a][k] - games[set | b][k] + games[set][k]);
  }
  return result;
}

}  // namespace simplexboost
