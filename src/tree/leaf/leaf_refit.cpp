#include "tree/leaf/leaf_refit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/part_sums.h"
#include "base/threads/parallel.h"
#include "base/threads/thread_scratch.h"
#include "tree/kernels/kernels.h"
#include "tree/leaf/value_sums.h"

namespace simplexboost {
namespace {

// Rows to a task.
constexpr std::size_t kChunk = 1024;
static_assert(kChunk <= SumUnit::kMost);
// Sums of more bytes, those of all ranks, are not told to all: each rank makes the values of some
// leaves of them, and tells these, a quarter of the bytes.
constexpr std::size_t kMostTold = std::size_t{1} << 14;
// Parts of the rows to a thread, where threads share them, that have sums of all leaves each; if
// these are no more than so many numbers.
constexpr std::size_t kSumsOfAThread = 2;
constexpr std::size_t kMostSums = 16'384;

// Calls use(some, numbers) for some of the rows, at most so many, after the others.
template <class Use>
void for_numbers(const LeafTarget& target, std::span<const std::uint32_t> rows, std::size_t most,
                 const Use& use) {
  auto& scratch = thread_scratch<struct LeafRefitScratch, AlignedVector<float>>();
  const std::size_t block = std::min(most, target.most_rows());
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const auto some = rows.subspan(first, std::min(block, rows.size() - first));
    use(some, target.numbers(some, scratch));
  }
}

// The same for rows [begin, end): use(from, count, numbers).
template <class Use>
void for_numbers(const LeafTarget& target, std::size_t begin, std::size_t end, const Use& use) {
  auto& rows = thread_scratch<struct LeafRefitRows, std::vector<std::uint32_t>>();
  rows.resize(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  for_numbers(target, rows, SumUnit::kMost,
              [&](std::span<const std::uint32_t> some, const LeafNumbers& numbers) {
                const std::size_t first = some.front();
                use(first, some.size(), numbers.from(first, target.width()));
              });
}

LargestNumbers largest_of(const LeafTarget& target, std::size_t begin, std::size_t end) {
  LargestNumbers most;
  for_numbers(
      target, begin, end, [&](std::size_t /*from*/, std::size_t count, const LeafNumbers& numbers) {
        const auto size = [&](const float* values) {
          return static_cast<double>(kernels().largest_size(values, count * target.width()));
        };
        const double pull = size(numbers.pulls);
        // Where pulls tell the curvature, it is no larger than they are.
        most.take({pull, numbers.curvature ? size(numbers.curvature) : pull});
      });
  return most;
}

LargestNumbers bounds(const LeafTarget& target, const RowSpace& space) {
  LargestNumbers most;
  for (const LargestNumbers& one : space.block_values<LargestNumbers>(
           kChunk,
           [&](std::size_t begin, std::size_t end) { return largest_of(target, begin, end); }))
    most.take(one);
  return most;
}

double largest_weight(const float* weights, const RowSpace& space) {
  return space.maximum(
      RowSpace::kBlock,
      [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(kernels().largest_size(weights + begin, end - begin));
      },
      0);
}

// Of pulls that tell their curvature something is known; others are looked through. Ranks without
// rows may have no weights.
ValueUnits units_for(const LeafRefit& refit, const RowSpace& space) {
  const std::optional<LargestNumbers> known = known_largest(refit.target);
  std::array<std::int64_t, 2> needed{known ? 0 : 1, refit.weights ? 1 : 0};
  space.ranks().maximum(needed);
  const LargestNumbers most = needed[0] != 0 ? bounds(refit.target, space) : *known;
  const double weight = needed[1] != 0 ? largest_weight(refit.weights, space) : 1;
  return units_for(most, weight, space.all());
}

ValueArgs args_for(const LeafTarget& target, const LeafNumbers& numbers) {
  ValueArgs args;
  args.pulls = numbers.pulls;
  args.curvature = numbers.curvature;
  args.width = target.width();
  args.curvature_factor = target.curvature_factor();
  return args;
}

// Of rows of one leaf.
void add_rows(const LeafRefit& refit, std::span<const std::uint32_t> rows, ValueSums& sums,
              std::int64_t* units) {
  std::vector<float> weights;
  for_numbers(refit.target, rows, kChunk,
              [&](std::span<const std::uint32_t> some, const LeafNumbers& numbers) {
                ValueArgs args = args_for(refit.target, numbers);
                args.count = some.size();
                args.weights = refit.weights;
                if (numbers.of_all_rows) {
                  args.rows = some.data();
                } else if (refit.weights) {
                  weights.resize(some.size());
                  std::transform(some.begin(), some.end(), weights.begin(),
                                 [&](std::uint32_t row) { return refit.weights[row]; });
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
void sum_leaves(const GrownTree& tree, const LeafRefit& refit, const ValueUnits& units, int threads,
                const Leaves& leaves, std::int64_t* sums) {
  const std::size_t size = 2 * refit.target.width();
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
    ValueSums chunk(units, 1, refit.target.width());
    add_rows(refit, tree.partition->range(chunks[c].begin, chunks[c].end), chunk,
             parts.data() + c * size);
  });
  for (std::size_t c = 0; c < chunks.size(); ++c)
    add_to(parts.data() + c * size, size, sums + chunks[c].leaf * size);
}

// Row by row, in as many parts as there may be threads: each reads what it wrote itself, in the
// order in which it lies in memory.
void sum_rows(std::span<const std::uint32_t> leaf_of_row, const LeafRefit& refit,
              const ValueUnits& units, int threads, const Leaves& leaves, std::int64_t* sums) {
  const std::size_t rows = leaf_of_row.size();
  const std::size_t size = 2 * refit.target.width() * leaves.count;
  const std::size_t most = kSumsOfAThread * static_cast<std::size_t>(threads);
  const std::size_t count = threads > 1 ? std::clamp<std::size_t>(rows / kChunk, 1, most) : 1;
  std::vector<std::int64_t> parts(count * size);
  parallel_for(threads, count, [&](std::size_t p) {
    ValueSums part(units, leaves.count, refit.target.width());
    const std::size_t end = rows * (p + 1) / count;
    for (std::size_t begin = rows * p / count; begin < end; begin += SumUnit::kMost)
      for_numbers(refit.target, begin, std::min(begin + SumUnit::kMost, end),
                  [&](std::size_t from, std::size_t some, const LeafNumbers& numbers) {
                    ValueArgs args = args_for(refit.target, numbers);
                    args.count = some;
                    args.weights = refit.weights ? refit.weights + from : nullptr;
                    args.leaf_of_row = leaf_of_row.data() + from;
                    part.add(args, parts.data() + p * size);
                  });
  });
  for (std::size_t p = 0; p < count; ++p) add_to(parts.data() + p * size, size, sums);
}

// The same values on all ranks, of sums that each has of its own rows.
void share_values(const LeafRefit& refit, const ValueUnits& units, const RowSpace& space,
                  std::span<std::int64_t> sums, Leaves& leaves) {
  const std::size_t width = refit.target.width();
  const auto ranks = static_cast<std::size_t>(space.ranks().size());
  std::vector<std::size_t> ends;
  for (std::size_t r = 1; r <= ranks; ++r) ends.push_back(leaves.count * r / ranks * 2 * width);
  sum_parts(space.ranks(), sums, ends);
  const auto me = static_cast<std::size_t>(space.ranks().rank());
  const std::size_t begin = me == 0 ? 0 : ends[me - 1];
  std::vector<float> mine;
  set_values(refit.target, refit.l2, units, sums.subspan(begin, ends[me] - begin), mine);
  leaves.values = gather_values<float>(space.ranks(), mine);
}

}  // namespace

void refit_leaves(const GrownTree& tree, std::span<const std::uint32_t> leaf_of_row,
                  const LeafRefit& refit, const RowSpace& space, Leaves& leaves) {
  const std::size_t width = refit.target.width();
  const ValueUnits units = units_for(refit, space);
  std::vector<std::int64_t> sums(leaves.count * 2 * width);
  if (tree.partition->complete() && sums.size() <= kMostSums) {
    sum_rows(leaf_of_row, refit, units, space.threads(), leaves, sums.data());
  } else {
    sum_leaves(tree, refit, units, space.threads(), leaves, sums.data());
  }
  const auto ranks = static_cast<std::size_t>(space.ranks().size());
  if (space.parted() && sums.size() * sizeof(std::int64_t) * ranks > kMostTold)
    return share_values(refit, units, space, sums, leaves);
  space.add_up(sums);
  set_values(refit.target, refit.l2, units, sums, leaves.values);
}

void LargestNumbers::take(const LargestNumbers& other) {
  pull = std::max(pull, other.pull);
  curvature = std::max(curvature, other.curvature);
}

// They are no larger than 1 / factor, where it would be negative, up to rounding. Very small ones
// may be far from it.
std::optional<LargestNumbers> known_largest(const LeafTarget& target) {
  if (!target.curvature_from_pulls() || !(target.curvature_factor() > 0.25F)) return std::nullopt;
  const double pull = 1.001 / static_cast<double>(target.curvature_factor());
  return LargestNumbers{pull, pull / 2};
}

ValueUnits units_for(const LargestNumbers& largest, double weight, std::size_t rows) {
  return {SumUnit(weight * largest.pull, rows), SumUnit(weight * largest.curvature, rows)};
}

void set_values(const LeafTarget& target, double l2, const ValueUnits& units,
                std::span<const std::int64_t> sums, std::vector<float>& values) {
  const std::size_t width = target.width();
  values.resize(sums.size() / 2);
  std::vector<double> real(2 * width);
  for (std::size_t at = 0; at < sums.size(); at += 2 * width) {
    for (std::size_t j = 0; j < width; ++j) {
      real[j] = units.pull.real(sums[at + j]);
      real[width + j] = units.curvature.real(sums[at + width + j]);
    }
    target.set_values({{real.data(), width}, {real.data() + width, width}}, l2,
                      values.data() + at / 2);
  }
}

}  // namespace simplexboost
