#include "tree/leaf_refit.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/parallel.h"
#include "base/prefetch.h"

namespace simplexboost {
namespace {

// Rows to a task; their sums are added in order, so threads do not matter.
constexpr std::size_t kChunk = 1024;

// Numbers in a block of rows whose values are computed together.
constexpr std::size_t kBlockNumbers = 16'384;

struct Chunk {
  std::size_t node;
  std::uint32_t begin;
  std::uint32_t end;
};

void add(const float* values, std::size_t width, double weight, double* sums) {
  for (std::size_t j = 0; j < width; ++j) sums[j] += weight * static_cast<double>(values[j]);
}

double weight_of(const FitTarget& target, std::size_t row) {
  return target.value_weights ? static_cast<double>(target.value_weights[row]) : 1.0;
}

void sum_stored(const FitTarget& target, std::span<const std::uint32_t> rows, double* pulls,
                double* curvature) {
  const std::size_t width = target.value_width;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t ahead = rows[std::min(i + kRowsAhead, rows.size() - 1)] * width;
    prefetch(target.value_pulls + ahead, width);
    prefetch(target.value_curvature + ahead, width);
    const double weight = weight_of(target, rows[i]);
    add(target.value_pulls + rows[i] * width, width, weight, pulls);
    add(target.value_curvature + rows[i] * width, width, weight, curvature);
  }
}

void sum_computed(const FitTarget& target, std::span<const std::uint32_t> rows, double* pulls,
                  double* curvature) {
  thread_local AlignedVector<float> scratch;
  const std::size_t width = target.value_width;
  const std::size_t block = std::clamp<std::size_t>(kBlockNumbers / width, 8, kChunk);
  scratch.resize(2 * block * width);
  float* const g = scratch.data();
  float* const h = g + block * width;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const std::size_t count = std::min(block, rows.size() - first);
    target.value_rows(rows.subspan(first, count), g, h);
    const auto weight = [&](std::size_t i) { return weight_of(target, rows[first + i]); };
    for (std::size_t i = 0; i < count; ++i) add(g + i * width, width, weight(i), pulls);
    for (std::size_t i = 0; i < count; ++i) add(h + i * width, width, weight(i), curvature);
  }
}

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
  std::vector<double> sums(chunks.size() * 2 * width);  // pulls, then curvatures
  parallel_for(threads, chunks.size(), [&](std::size_t c) {
    const auto rows = tree.partition->range(chunks[c].begin, chunks[c].end);
    double* const pulls = sums.data() + c * 2 * width;
    if (target.value_rows) {
      sum_computed(target, rows, pulls, pulls + width);
    } else {
      sum_stored(target, rows, pulls, pulls + width);
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
