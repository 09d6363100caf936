#include "tree/split/split_chance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/threads/thread_scratch.h"

namespace simplexboost {
namespace {

bool allowed(const ScanArgs& args, const std::int32_t* left) {
  const std::int32_t rows = args.total[kCountChannel];
  if (left[kCountChannel] < args.min_rows || rows - left[kCountChannel] < args.min_rows)
    return false;
  const auto weight = static_cast<float>(left[kWeightChannel]);
  const auto whole = static_cast<float>(args.total[kWeightChannel]);
  return args.min_weight <= 0 || (weight >= args.min_weight && whole - weight >= args.min_weight);
}

// Of the bins [least, end), from the side that has fewer of them; those from `most` on are empty.
void sum_left(const ScanArgs& args, std::uint32_t least, std::uint32_t end, std::uint32_t most,
              std::int32_t* left) {
  const Kernels& loops = kernels();
  const std::size_t channels = args.criterion->channels;
  const auto bins = [&](std::uint32_t bin) { return args.histogram + bin * channels; };
  std::fill(left, left + channels, 0);
  if (end - least <= most - end) return loops.add_bins(bins(least), end - least, channels, left);
  loops.add_bins(bins(end), most - end, channels, left);
  if (args.has_missing) loops.add_integers(bins(args.value_bins), channels, left);
  loops.subtract(left, args.total, left, channels);
}

}  // namespace

Random node_random(const SplitChance& chance, const GrownTree& tree, std::size_t node,
                   std::uint64_t purpose) {
  return Random(chance.stream ^ mixed_bits(tree.nodes[node].way), purpose);
}

ScanResult drawn_cut(const ScanArgs& args, Random random, std::int32_t* left) {
  const std::size_t channels = args.criterion->channels;
  const auto count = [&](std::uint32_t bin) {
    return args.histogram[bin * channels + kCountChannel];
  };
  std::uint32_t least = 0;
  while (least < args.value_bins && count(least) == 0) ++least;
  std::uint32_t most = args.value_bins;
  while (most > least && count(most - 1) == 0) --most;
  // One value or none: what is left to part from it is missing values.
  if (most < least + 2) return kernels().scan(args, left);
  const auto bin = least + static_cast<std::uint32_t>(random.below(most - 1 - least));
  sum_left(args, least, bin + 1, most, left);
  ScanResult best;
  for (const bool missing_left : {false, true}) {
    if (missing_left) {
      if (!args.has_missing || count(args.value_bins) == 0) break;
      kernels().add_integers(args.histogram + args.value_bins * channels, channels, left);
    }
    if (!allowed(args, left)) continue;
    const float score = kernels().score(*args.criterion, left, args.total);
    if (score > best.score) best = {score, bin, missing_left};
  }
  return best;
}

const Split* best_by_chance(std::span<const Split> candidates, float current, std::size_t features,
                            float noise, Random random) {
  auto& order = thread_scratch<struct DrawnFeatures, std::vector<std::uint32_t>>();
  order.resize(candidates.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t wanted = features == 0 ? candidates.size() : features;
  const Split* best = nullptr;
  float best_score = kNoCut;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < order.size() && seen < wanted; ++i) {
    if (features > 0) std::swap(order[i], order[i + random.below(order.size() - i)]);
    const Split& split = candidates[order[i]];
    if (!split.valid()) continue;
    ++seen;
    float score = split.score - current;
    if (noise > 0) {
      const float root =
          std::sqrt(std::max(score, 0.0F)) + noise * static_cast<float>(random.normal());
      score = root * std::fabs(root);
    }
    if (best && !(score > best_score)) continue;
    best_score = score;
    best = &split;
  }
  return best;
}

}  // namespace simplexboost
