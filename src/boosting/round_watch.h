// Which round is the best by a figure of the validation data, and whether it is time to stop.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace simplexboost {

enum class BestRoundRule : unsigned char {
  kBest,  // the round of the best figure
  // icml2014 (15): the round T > T_min of the best mean over the rounds floor(0.8 T) to T. A lucky
  // round among noisy ones does not win, and the choice is late rather than early.
  kSmoothed,
};

BestRoundRule best_round_rule(std::string_view name);  // "best" or "smoothed"

class RoundWatch {
 public:
  static constexpr std::size_t kSmoothedStart = 50;  // T_min of icml2014

  // Rounds up to number `start` are not chosen unless there are no others.
  RoundWatch(BestRoundRule rule, bool higher_is_better, std::size_t start);

  // The figure of the next round. NaN is never the best.
  void add(double value);

  std::size_t rounds() const { return values_.size(); }
  const std::vector<double>& values() const { return values_; }
  // How many rounds to keep: up to the best; all where there is no best yet.
  std::size_t best_rounds() const { return best_rounds_ > 0 ? best_rounds_ : rounds(); }
  // Its figure, the mean for the smoothed rule; NaN where there is no best yet.
  double best_value() const { return best_value_; }
  // Rounds since the best; 0 where there is none yet.
  std::size_t rounds_since_best() const { return rounds() - best_rounds(); }

 private:
  double judged(std::size_t round) const;

  BestRoundRule rule_;
  bool higher_is_better_;
  std::size_t start_;
  std::vector<double> values_;
  std::size_t best_rounds_ = 0;
  double best_value_;
};

}  // namespace simplexboost
