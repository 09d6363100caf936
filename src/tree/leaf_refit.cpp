#include "tree/leaf_refit.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/parallel.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {
namespace {

// Rows to a task; their sums are added in order, so threads do not matter.
constexpr std::size_t kChunk = 1024;
// Numbers in a block of rows whose values are computed together.
constexpr std::size_t kBlockNumbers = 16'384;
// Parts of the rows that have sums of all leaves each, if these are no more than so many numbers.
constexpr std::size_t kParts = 8;
constexpr std::size_t kMostSums = 16'384;

struct Chunk {
  std::size_t node;
  std::uint32_t begin;
  std::uint32_t end;
};

void sum_computed(const FitTarget& target, std::span<const std::uint32_t> rows, double* sums) {
  thread_local AlignedVector<float> scratch;
  const std::size_t width = target.value_width;
  const std::size_t block = std::clamp<std::size_t>(kBlockNumbers / width, 8, kChunk);
  scratch.resize((2 * width + 1) * block);
  float* const g = scratch.data();
  float* const h = target.value_bent ? nullptr : g + block * width;
  float* const weights = g + 2 * block * width;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const std::size_t count = std::min(block, rows.size() - first);
    target.value_rows(rows.subspan(first, count), g, h);
    for (std::size_t i = 0; i < count && target.value_weights; ++i)
      weights[i] = target.value_weights[rows[first + i]];
    kernels().add_values({g, h, width, target.value_bend, target.value_weights ? weights : nullptr,
                          nullptr, 0, count, nullptr, sums});
  }
}

ValueArgs stored_values(const FitTarget& target, double* sums) {
  return {target.value_pulls,
          target.value_curvature,
          target.value_width,
          target.value_bend,
          target.value_weights,
          nullptr,
          0,
          0,
          nullptr,
          sums};
}

void add_to(const double* part, std::size_t count, double* sums) {
  for (std::size_t j = 0; j < count; ++j) sums[j] += part[j];
}

// Leaf by leaf, each in chunks.
void sum_leaves(const GrownTree& tree, const FitTarget& target, int threads, const Leaves& leaves,
                double* sums) {
  const std::size_t size = 2 * target.value_width;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!node.leaf()) continue;
    for (std::uint32_t at = node.begin; at < node.end; at += kChunk)
      chunks.push_back({i, at, std::min(node.end, static_cast<std::uint32_t>(at + kChunk))});
  }
  std::vector<double> parts(chunks.size() * size);
  parallel_for(threads, chunks.size(), [&](std::size_t c) {
    const auto rows = tree.partition->range(chunks[c].begin, chunks[c].end);
    double* const part = parts.data() + c * size;
    if (target.value_rows) return sum_computed(target, rows, part);
    ValueArgs args = stored_values(target, part);
    args.rows = rows.data();
    args.count = rows.size();
    kernels().add_values(args);
  });
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto leaf = static_cast<std::size_t>(leaves.of_node[chunks[c].node]);
    add_to(parts.data() + c * size, size, sums + leaf * size);
  }
}

// Row by row, in as many parts as there may be threads: each reads what it wrote itself, in the
// order in which it lies in memory.
void sum_rows(std::span<const std::uint32_t> leaf_of_row, const FitTarget& target, int threads,
              const Leaves& leaves, double* sums) {
  const std::size_t size = 2 * target.value_width * leaves.count;
  const std::size_t rows = leaf_of_row.size();
  std::vector<double> parts(kParts * size);
  parallel_for(threads, kParts, [&](std::size_t p) {
    ValueArgs args = stored_values(target, parts.data() + p * size);
    args.first = rows * p / kParts;
    args.count = rows * (p + 1) / kParts - args.first;
    args.leaf_of_row = leaf_of_row.data();
    kernels().add_values(args);
  });
  for (std::size_t p = 0; p < kParts; ++p) add_to(parts.data() + p * size, size, sums);
}

}  // namespace

void refit_leaves(const GrownTree& tree, std::span<const std::uint32_t> leaf_of_row,
                  const FitTarget& target, double l2, int threads, Leaves& leaves) {
  const std::size_t width = target.value_width;
  std::vector<double> sums(leaves.count * 2 * width);
  if (tree.partition->complete() && !target.value_rows && sums.size() <= kMostSums) {
    sum_rows(leaf_of_row, target, threads, leaves, sums.data());
  } else {
    sum_leaves(tree, target, threads, leaves, sums.data());
  }
  leaves.values.resize(leaves.count * width);
  for (std::size_t leaf = 0; leaf < leaves.count; ++leaf) {
    const double* const pulls = sums.data() + leaf * 2 * width;
    for (std::size_t j = 0; j < width; ++j) {
      const double by = target.value_damping * pulls[width + j] + l2;
      leaves.values[leaf * width + j] = by > 0 ? static_cast<float>(pulls[j] / by) : 0;
    }
  }
}

}  // namespace simplexboost
