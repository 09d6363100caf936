#include "metric/roc_area.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace simplexboost {

void RocAreas::add_truth(std::size_t k, float probability, double weight) {
  truths_.push_back({static_cast<std::uint32_t>(k), probability, weight});
}

void RocAreas::merge_truths(const RocAreas& other) {
  truths_.insert(truths_.end(), other.truths_.begin(), other.truths_.end());
}

void RocAreas::sort() {
  // NaN would break the order; it is as little as can be said.
  for (Truth& truth : truths_)
    if (std::isnan(truth.probability)) truth.probability = -1;
  std::stable_sort(truths_.begin(), truths_.end(), [](const Truth& a, const Truth& b) {
    return std::tie(a.k, a.probability) < std::tie(b.k, b.probability);
  });
  begin_.assign(classes_ + 1, 0);
  before_.assign(1, 0);
  for (const Truth& truth : truths_) {
    ++begin_[truth.k + 1];
    before_.push_back(before_.back() + truth.weight);
  }
  for (std::size_t k = 0; k < classes_; ++k) begin_[k + 1] += begin_[k];
}

void RocAreas::add_other(Wins& wins, std::size_t k, float probability, double weight) const {
  const auto first = truths_.begin() + static_cast<std::ptrdiff_t>(begin_[k]);
  const auto last = truths_.begin() + static_cast<std::ptrdiff_t>(begin_[k + 1]);
  const auto [low, high] = std::equal_range(
      first, last, Truth{0, probability, 0},
      [](const Truth& a, const Truth& b) { return a.probability < b.probability; });
  const auto weight_until = [&](auto place) {
    return before_[static_cast<std::size_t>(place - truths_.begin())];
  };
  const double above = weight_until(last) - weight_until(high);
  const double equal = weight_until(high) - weight_until(low);
  wins.won[k] += weight * (above + equal / 2);
  wins.others[k] += weight;
}

void RocAreas::Wins::merge(const Wins& more) {
  for (std::size_t k = 0; k < won.size(); ++k) {
    won[k] += more.won[k];
    others[k] += more.others[k];
  }
}

double RocAreas::area(std::size_t k) const {
  const double own = before_[begin_[k + 1]] - before_[begin_[k]];
  return wins_.won[k] / (own * wins_.others[k]);
}

double RocAreas::macro() const {
  double sum = 0;
  double count = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (std::isnan(area(k))) continue;
    sum += area(k);
    count += 1;
  }
  return sum / count;
}

double RocAreas::weighted() const {
  double sum = 0;
  double total = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (std::isnan(area(k))) continue;
    const double own = before_[begin_[k + 1]] - before_[begin_[k]];
    sum += own * area(k);
    total += own;
  }
  return sum / total;
}

}  // namespace simplexboost
