#include "boosting/round_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {

BestRoundRule best_round_rule(std::string_view name) {
  return name == "smoothed" ? BestRoundRule::kSmoothed : BestRoundRule::kBest;
}

RoundWatch::RoundWatch(BestRoundRule rule, bool higher_is_better, std::size_t start)
    : rule_(rule),
      higher_is_better_(higher_is_better),
      start_(start),
      best_value_(std::numeric_limits<double>::quiet_NaN()) {}

// What a round (from 1) is judged by.
double RoundWatch::judged(std::size_t round) const {
  if (rule_ == BestRoundRule::kBest) return values_[round - 1];
  const std::size_t first = std::max<std::size_t>(1, 4 * round / 5);  // 0.8 T, rounded down
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first) - 1;
  return std::accumulate(begin, values_.end(), 0.0) / static_cast<double>(values_.end() - begin);
}

void RoundWatch::add(double value) {
  values_.push_back(value);
  if (rounds() <= start_) return;
  const double now = judged(rounds());
  const bool better = higher_is_better_ ? now > best_value_ : now < best_value_;
  if (!better && (best_rounds_ > 0 || std::isnan(now))) return;
  best_value_ = now;
  best_rounds_ = rounds();
}

}  // namespace simplexboost
