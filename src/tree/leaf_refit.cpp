#include "tree/leaf_refit.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/prefetch.h"

namespace simplexboost {
namespace {

// Rows to a task; their sums are added in order, so threads do not matter.
constexpr std::size_t kChunk = 1024;

struct Chunk {
  std::size_t node;
  std::uint32_t begin;
  std::uint32_t end;
};

}  // namespace

void refit_leaves(const GrownTree& tree, const FitTarget& target, double l2, int threads,
                  Leaves& leaves) {
  const std::size_t width = target.value_width;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!node.leaf()) continue;
    for (std::uint32_t at = node.begin; at < node.end; at += kChunk)
      chunks.push_back({i, at, std::min(node.end, static_cast<std::uint32_t>(at + kChunk))});
  }
  std::vector<float> sums(chunks.size() * 2 * width);  // pulls, then curvatures
  parallel_for(threads, chunks.size(), [&](std::size_t c) {
    float* pulls = sums.data() + c * 2 * width;
    float* curvature = pulls + width;
    const auto rows = tree.partition->range(chunks[c].begin, chunks[c].end);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      const std::size_t ahead = rows[std::min(i + kRowsAhead, rows.size() - 1)] * width;
      prefetch(target.value_pulls + ahead, width);
      prefetch(target.value_curvature + ahead, width);
      const float* g = target.value_pulls + row * width;
      const float* h = target.value_curvature + row * width;
      for (std::size_t j = 0; j < width; ++j) pulls[j] += g[j];
      for (std::size_t j = 0; j < width; ++j) curvature[j] += h[j];
    }
  });
  leaves.values.assign(leaves.count * width, 0);
  std::vector<double> total(2 * width);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (c == 0 || chunks[c].node != chunks[c - 1].node) std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t j = 0; j < 2 * width; ++j) total[j] += sums[c * 2 * width + j];
    const auto leaf = static_cast<std::size_t>(leaves.of_node[chunks[c].node]);
    for (std::size_t j = 0; j < width; ++j) {
      const double by = target.value_damping * total[width + j] + l2;
      leaves.values[leaf * width + j] = by > 0 ? static_cast<float>(total[j] / by) : 0;
    }
  }
}

}  // namespace simplexboost
