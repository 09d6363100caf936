#include "model/predict/prediction_sets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {

double row_draw(std::span<const float> proba) {
  // The steps of splitmix64 (Steele, Lea and Flood 2014), a number of the row at a time.
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  for (const float p : proba) {
    state += std::bit_cast<std::uint32_t>(p) + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return static_cast<double>(state >> 11U) * 0x1p-53;
}

void RankedClasses::rank(std::span<const float> proba, double penalty, std::uint32_t free_ranks) {
  classes.resize(proba.size());
  scores.resize(proba.size());
  std::iota(classes.begin(), classes.end(), 0U);
  std::sort(classes.begin(), classes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return proba[a] != proba[b] ? proba[a] > proba[b] : a < b;
  });
  const double draw = row_draw(proba);
  double before = 0;
  for (std::size_t r = 0; r < classes.size(); ++r) {
    const auto own = static_cast<double>(proba[classes[r]]);
    const double beyond = static_cast<double>(r + 1) - static_cast<double>(free_ranks);
    scores[r] = before + draw * own + penalty * std::max(beyond, 0.0);
    before += own;
  }
}

// Of n rows the ceil((n + 1) coverage)-th smallest.
double set_threshold(const SetTable& table, double coverage) {
  constexpr double kRounding = 1e-6;  // of shares, which are floats
  const double wanted = coverage * (1 + 1 / table.rows) - kRounding;
  if (!(wanted <= 1)) return std::numeric_limits<double>::infinity();
  const auto found =
      std::lower_bound(table.share.begin(), table.share.end(), wanted,
                       [](float share, double x) { return static_cast<double>(share) < x; });
  if (found == table.share.end()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(table.score[static_cast<std::size_t>(found - table.share.begin())]);
}

SetTable make_set_table(std::vector<double> scores, std::vector<double> weights, std::size_t most) {
  SetTable table;
  if (scores.empty()) return table;
  if (weights.empty()) weights.assign(scores.size(), 1);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double squares = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
  table.rows = total * total / squares;  // of equal weight that would tell as much
  const std::size_t step = (order.size() + most - 1) / most;
  double sum = 0;
  float last = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sum += weights[order[i]];
    last = std::max(last, std::nextafter(static_cast<float>(scores[order[i]]), INFINITY));
    // The larger score of a step stands for the shares of all of it.
    if ((i + 1) % step != 0 && i + 1 != order.size()) continue;
    table.score.push_back(last);
    table.share.push_back(i + 1 == order.size() ? 1.0F : static_cast<float>(sum / total));
  }
  return table;
}

}  // namespace simplexboost
