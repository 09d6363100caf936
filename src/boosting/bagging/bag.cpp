#include "boosting/bagging/bag.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simplexboost {
namespace {

// Streams of random numbers that no other part of a training uses.
constexpr std::uint64_t kForestStream = std::uint64_t{1} << 63U;

}  // namespace

Random tree_random(const Parameters& parameters, std::size_t tree) {
  return Random(parameters.seed, kForestStream + tree);
}

bool leaves_rows_out(const Parameters& parameters) {
  return parameters.bootstrap == "plain" || parameters.row_fraction < 1;
}

std::vector<ClassItem> draw_bag(const Parameters& parameters, std::size_t rows,
                                const RowWeights& weights, Random& random) {
  const auto wanted = static_cast<std::size_t>(
      std::max(std::llround(parameters.row_fraction * static_cast<double>(rows)), 1LL));
  std::vector<float> counts(rows, parameters.bootstrap == "plain" ? 0 : 1);
  if (parameters.bootstrap == "plain") {
    for (std::size_t i = 0; i < wanted; ++i) ++counts[random.below(rows)];
  } else if (wanted < rows) {
    std::vector<std::uint32_t> order(rows);
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    for (std::size_t i = wanted; i < rows; ++i) counts[order[i]] = 0;
  }
  if (parameters.bootstrap == "bayesian")
    for (float& count : counts)
      if (count > 0) count = static_cast<float>(-std::log1p(-random.uniform()));
  std::vector<ClassItem> items;
  items.reserve(std::min(wanted, rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto weight = static_cast<float>(weights[i]) * counts[i];
    if (weight > 0) items.push_back({static_cast<std::uint32_t>(i), 0, weight});
  }
  return items;
}

std::vector<std::uint32_t> rows_left_out(std::span<const ClassItem> bag, const RowSpace& space) {
  std::vector<std::uint32_t> result(space.rows());
  for (const ClassItem& item : bag)
    if (item.row - space.first() < space.rows()) result[item.row - space.first()] = kNoLeaf;
  return result;
}

}  // namespace simplexboost
