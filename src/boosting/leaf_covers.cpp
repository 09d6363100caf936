#include "boosting/leaf_covers.h"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <vector>

#include "model/ensemble.h"
#include "model/predict/predictor.h"

namespace simplexboost {
namespace {

// leaf_of(row): where equal weights are counted, the sums are exact whoever adds them.
template <class LeafOf>
void append_sums(Forest& forest, std::size_t leaves, const Problem& problem, bool equal,
                 const LeafOf& leaf_of) {
  const RowSpace& space = problem.space;
  if (equal) {
    constexpr std::size_t kPart = 4 * RowSpace::kBlock;
    std::vector<std::int64_t> counts(leaves);
    std::mutex adding;
    space.for_blocks(kPart, [&](std::size_t begin, std::size_t end) {
      std::vector<std::int64_t> part(leaves);
      for (std::size_t i = begin; i < end; ++i) ++part[leaf_of(i)];
      const std::lock_guard lock(adding);
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) counts[leaf] += part[leaf];
    });
    space.add_up(counts);
    forest.leaf_cover.insert(forest.leaf_cover.end(), counts.begin(), counts.end());
    return;
  }
  const std::vector<double> sums = space.rounded_sums(
      RowSpace::kBlock, leaves, [&](std::size_t begin, std::size_t end, double* part) {
        for (std::size_t i = begin; i < end; ++i) part[leaf_of(i)] += problem.weights[i];
      });
  // Weights may be in any unit: beyond the range of single precision, in one of two that is not.
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  const int exponent = total > 1e-20 && total < 1e30 ? 0 : std::ilogb(total);
  for (const double sum : sums)
    forest.leaf_cover.push_back(static_cast<float>(total > 0 ? std::ldexp(sum, -exponent) : 0));
}

// A tree alone, and as much of a model around it as it takes to walk it.
std::vector<std::uint32_t> walk(const Forest& forest, std::size_t tree, const Dataset& data,
                                int threads) {
  Ensemble alone;
  alone.schema.features.resize(data.columns.size());
  alone.forest.outputs = forest.outputs;
  alone.bias.resize(forest.outputs);
  alone.forest.image = forest.image;
  TreeSpan span = forest.trees[tree];
  alone.forest.nodes.assign(forest.nodes.begin() + span.node_begin,
                            forest.nodes.begin() + span.node_end);
  alone.forest.set_words = forest.set_words;
  alone.forest.filters = forest.filters;
  span.node_end -= span.node_begin;
  span.node_begin = 0;
  span.linear_begin = span.linear_end = 0;
  span.slope_begin = 0;
  alone.forest.trees = {span};
  alone.forest.round_end = {1};
  return Predictor(alone).leaves(data, 1, threads);
}

}  // namespace

void append_covers(Forest& forest, std::size_t first, const RowVectors& hypothesis,
                   const Dataset& data, const Problem& problem) {
  const RowSpace& space = problem.space;
  const bool equal = space.every(data.weights.empty());
  const bool known = hypothesis.by_leaf && forest.trees.size() == first + 1;
  for (std::size_t t = first; t < forest.trees.size(); ++t) {
    const std::size_t leaves = forest.trees[t].leaves;
    if (known) {
      const std::uint32_t* const leaf = hypothesis.index;
      append_sums(forest, leaves, problem, equal, [leaf](std::size_t i) { return leaf[i]; });
    } else if (leaves == 1) {
      append_sums(forest, 1, problem, equal, [](std::size_t) { return std::size_t{0}; });
    } else {
      const std::vector<std::uint32_t> leaf = walk(forest, t, data, space.threads());
      append_sums(forest, leaves, problem, equal, [&](std::size_t i) { return leaf[i]; });
    }
  }
  assert(forest.leaf_cover.size() == forest.leaves());
}

}  // namespace simplexboost
