#include "tree/leaf_refit.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/parallel.h"
#include "base/thread_scratch.h"
#include "tree/kernels/kernels.h"
#include "tree/leaf_formulas.h"
#include "tree/value_sums.h"

namespace simplexboost {
namespace {

// Rows to a task.
constexpr std::size_t kChunk = 1024;
static_assert(kChunk <= SumUnit::kMost);
// Numbers in a block of rows whose values are computed together.
constexpr std::size_t kBlockNumbers = 16'384;
// Parts of the rows, where threads share them, that have sums of all leaves each; if these are no
// more than so many numbers.
constexpr std::size_t kParts = 8;
constexpr std::size_t kMostSums = 16'384;

std::size_t block_rows(std::size_t width) {
  return std::clamp<std::size_t>(kBlockNumbers / width, 8, kChunk);
}

// Pulls and curvatures of rows, where they are computed; calls use(first, count, pulls, curvature)
// for a block of them after the other. The curvature is null where pulls tell it.
template <class Use>
void for_computed(const FitTarget& target, std::span<const std::uint32_t> rows, const Use& use) {
  auto& scratch = thread_scratch<struct LeafRefitScratch, AlignedVector<float>>();
  const std::size_t width = target.value_width;
  const std::size_t block = block_rows(width);
  scratch.resize(2 * width * block);
  float* const g = scratch.data();
  float* const h = target.value_bent ? nullptr : g + block * width;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const std::size_t count = std::min(block, rows.size() - first);
    target.value_rows(rows.subspan(first, count), g, h);
    use(first, count, g, h);
  }
}

// The largest of the pulls and of the curvatures, before weights.
struct Largest {
  double pull = 0;
  double curvature = 0;
};

Largest largest_of(const FitTarget& target, std::size_t begin, std::size_t end) {
  const std::size_t width = target.value_width;
  Largest most;
  const auto look = [&](const float* g, const float* h, std::size_t numbers) {
    const double pull = kernels().largest_size(g, numbers);
    most.pull = std::max(most.pull, pull);
    // Where pulls tell the curvature, it is no larger than they are.
    most.curvature = std::max(most.curvature,
                              h ? static_cast<double>(kernels().largest_size(h, numbers)) : pull);
  };
  if (!target.value_rows) {
    look(target.value_pulls + begin * width,
         target.value_curvature ? target.value_curvature + begin * width : nullptr,
         (end - begin) * width);
    return most;
  }
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  for_computed(target, rows, [&](std::size_t, std::size_t count, const float* g, const float* h) {
    look(g, h, count * width);
  });
  return most;
}

// By what the target knows of its numbers; else they are looked through.
Largest bounds(const FitTarget& target, const RowSpace& space) {
  Largest most{target.value_pull_bound, target.value_curvature_bound};
  // Pulls that tell their curvature are no larger than 1 / bend, where it would be negative, up to
  // rounding. Very small ones may be far from it.
  const bool bent =
      !space.any(target.value_rows ? !target.value_bent : target.value_curvature != nullptr);
  if (bent && target.value_bend > 0.25F) {
    most.pull = 1.001 / static_cast<double>(target.value_bend);
    most.curvature = most.pull / 2;
  }
  if (most.pull > 0 && most.curvature > 0) return most;
  const auto all = space.block_values<Largest>(
      kChunk, [&](std::size_t begin, std::size_t end) { return largest_of(target, begin, end); });
  for (const Largest& one : all) {
    most.pull = std::max(most.pull, one.pull);
    most.curvature = std::max(most.curvature, one.curvature);
  }
  return most;
}

double largest_weight(const FitTarget& target, const RowSpace& space) {
  if (!space.given(target.value_weights)) return 1;
  return space.maximum(
      RowSpace::kBlock,
      [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(
            kernels().largest_size(target.value_weights + begin, end - begin));
      },
      0);
}

ValueUnits units_for(const FitTarget& target, const RowSpace& space) {
  const Largest most = bounds(target, space);
  const double weight = largest_weight(target, space);
  return {SumUnit(weight * most.pull, space.all()), SumUnit(weight * most.curvature, space.all())};
}

ValueArgs stored_values(const FitTarget& target) {
  ValueArgs args;
  args.pulls = target.value_pulls;
  args.curvature = target.value_curvature;
  args.width = target.value_width;
  args.bend = target.value_bend;
  args.weights = target.value_weights;
  return args;
}

// Of rows of one leaf.
void add_rows(const FitTarget& target, std::span<const std::uint32_t> rows, ValueSums& sums,
              std::int64_t* units) {
  ValueArgs args = stored_values(target);
  if (!target.value_rows) {
    args.rows = rows.data();
    args.count = rows.size();
    return sums.add(args, units);
  }
  std::vector<float> weights;
  for_computed(target, rows,
               [&](std::size_t first, std::size_t count, const float* g, const float* h) {
                 args.pulls = g;
                 args.curvature = h;
                 args.count = count;
                 if (target.value_weights) {
                   weights.resize(count);
                   for (std::size_t i = 0; i < count; ++i)
                     weights[i] = target.value_weights[rows[first + i]];
                   args.weights = weights.data();
                 }
                 sums.add(args, units);
               });
}

void add_to(const std::int64_t* part, std::size_t count, std::int64_t* units) {
  for (std::size_t j = 0; j < count; ++j) units[j] += part[j];
}

struct Chunk {
  std::size_t leaf;
  std::uint32_t begin;
  std::uint32_t end;
};

// Leaf by leaf, each in chunks.
void sum_leaves(const GrownTree& tree, const FitTarget& target, const ValueUnits& units,
                int threads, const Leaves& leaves, std::int64_t* sums) {
  const std::size_t size = 2 * target.value_width;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!node.leaf()) continue;
    for (std::uint32_t at = node.begin; at < node.end; at += kChunk)
      chunks.push_back({static_cast<std::size_t>(leaves.of_node[i]), at,
                        std::min(node.end, static_cast<std::uint32_t>(at + kChunk))});
  }
  std::vector<std::int64_t> parts(chunks.size() * size);
  parallel_for(threads, chunks.size(), [&](std::size_t c) {
    ValueSums chunk(units, 1, target.value_width);
    add_rows(target, tree.partition->range(chunks[c].begin, chunks[c].end), chunk,
             parts.data() + c * size);
  });
  for (std::size_t c = 0; c < chunks.size(); ++c)
    add_to(parts.data() + c * size, size, sums + chunks[c].leaf * size);
}

// Row by row, in as many parts as there may be threads: each reads what it wrote itself, in the
// order in which it lies in memory.
void sum_rows(std::span<const std::uint32_t> leaf_of_row, const FitTarget& target,
              const ValueUnits& units, int threads, const Leaves& leaves, std::int64_t* sums) {
  const std::size_t rows = leaf_of_row.size();
  const std::size_t size = 2 * target.value_width * leaves.count;
  const std::size_t count = threads > 1 ? kParts : 1;
  std::vector<std::int64_t> parts(count * size);
  parallel_for(threads, count, [&](std::size_t p) {
    ValueSums part(units, leaves.count, target.value_width);
    ValueArgs args = stored_values(target);
    args.leaf_of_row = leaf_of_row.data();
    const std::size_t end = rows * (p + 1) / count;
    for (args.first = rows * p / count; args.first < end; args.first += args.count) {
      args.count = std::min(SumUnit::kMost, end - args.first);
      part.add(args, parts.data() + p * size);
    }
  });
  for (std::size_t p = 0; p < count; ++p) add_to(parts.data() + p * size, size, sums);
}

}  // namespace

void refit_leaves(const GrownTree& tree, std::span<const std::uint32_t> leaf_of_row,
                  const FitTarget& target, double l2, const RowSpace& space, Leaves& leaves) {
  const std::size_t width = target.value_width;
  const ValueUnits units = units_for(target, space);
  std::vector<std::int64_t> sums(leaves.count * 2 * width);
  if (tree.partition->complete() && !target.value_rows && sums.size() <= kMostSums) {
    sum_rows(leaf_of_row, target, units, space.threads(), leaves, sums.data());
  } else {
    sum_leaves(tree, target, units, space.threads(), leaves, sums.data());
  }
  space.add_up(sums);
  leaves.values.resize(leaves.count * width);
  for (std::size_t leaf = 0; leaf < leaves.count; ++leaf) {
    const std::int64_t* const pulls = sums.data() + leaf * 2 * width;
    for (std::size_t j = 0; j < width; ++j) {
      const double by = target.value_damping * units.curvature.real(pulls[width + j]) + l2;
      leaves.values[leaf * width + j] =
          static_cast<float>(plain::leaf_mean(units.pull.real(pulls[j]), by));
    }
  }
}

}  // namespace simplexboost
