// Binary boosting of stumps as the textbooks have it: every cut tried, everything in double, and
// the step found by bisection. What MCBoost must be where there are two classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "data/data_files.h"
#include "simplexboost/dataset.h"

namespace simplexboost::testing {

// With y = +1 for the first class and -1 for the second, the simplex of two points is {+1, -1}, so
// u_k = +-f/2, v = u_c - u_l = y f, and S = phi(y f): no factor is left over from the codewords.
// These are w(v) = -d gamma(phi(v)) / dv.
using BinaryWeight = std::function<double(double)>;

inline BinaryWeight binary_weight(const std::string& loss) {
  if (loss == "exponential") return [](double v) { return std::exp(-v); };
  const auto p = [](double v) { return 1 / (1 + std::exp(2 * v)); };  // s / (1 + s), s = e^-2v
  if (loss == "logistic") return [p](double v) { return 2 * p(v); };
  return [p](double v) { return 4 * p(v) * p(v) * (1 - p(v)); };  // Savage
}

enum class StumpKind {
  kClasses,  // each side says its best class, maybe the same
  kVote,     // the sides say opposite things, or both the same
};

struct NaiveStump {
  std::size_t feature = 0;
  double low = 0;  // neighbouring values: the threshold lies between them
  double high = 0;
  double left = 0;  // -1 or +1
  double right = 0;
  double edge = 0;
  double alpha = 0;
  double error = 0;  // weighted share of the rows that it gets wrong
};

class NaiveBinaryBoosting {
 public:
  NaiveBinaryBoosting(const Dataset& data, BinaryWeight weight, StumpKind kind)
      : weight_(std::move(weight)), kind_(kind), scores_(data.rows) {
    for (std::size_t f = 0; f < data.columns.size(); ++f) x_.push_back(values(data, f));
    for (std::size_t i = 0; i < data.rows; ++i) {
      y_.push_back(data.labels.codes[i] == 0 ? 1 : -1);
      row_weights_.push_back(data.weights.empty() ? 1 : data.weights[i]);
    }
  }

  NaiveStump round() {
    NaiveStump best = kind_ == StumpKind::kVote ? constant() : NaiveStump{};
    for (std::size_t f = 0; f < x_.size(); ++f) try_feature(f, best);
    double all = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      all += std::abs(pull(i, 0));
      if (says(best, i) != y_[i]) best.error += std::abs(pull(i, 0));
    }
    best.error /= all;
    best.alpha = exact_step(best);
    for (std::size_t i = 0; i < y_.size(); ++i) scores_[i] += best.alpha * says(best, i);
    return best;
  }

  const std::vector<double>& scores() const { return scores_; }

 private:
  double says(const NaiveStump& stump, std::size_t i) const {
    return x_[stump.feature][i] <= stump.low ? stump.left : stump.right;
  }
  double pull(std::size_t i, double change) const {
    return row_weights_[i] * y_[i] * weight_(y_[i] * (scores_[i] + change));
  }

  // The same vote for all rows.
  NaiveStump constant() const {
    double all = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) all += pull(i, 0);
    constexpr double kNowhere = -std::numeric_limits<double>::infinity();
    const double vote = all > 0 ? 1 : -1;
    return {0, kNowhere, kNowhere, vote, vote, std::abs(all)};
  }

  void try_feature(std::size_t f, NaiveStump& best) const {
    std::vector<std::size_t> order(y_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return x_[f][a] < x_[f][b]; });
    double all = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) all += pull(i, 0);
    double left = 0;
    for (std::size_t at = 0; at + 1 < order.size(); ++at) {
      left += pull(order[at], 0);
      const double low = x_[f][order[at]];
      const double high = x_[f][order[at + 1]];
      if (low == high) continue;
      const double right = all - left;
      const bool vote = kind_ == StumpKind::kVote;
      const double edge = vote ? std::abs(right - left) : std::abs(left) + std::abs(right);
      if (edge <= best.edge) continue;
      best = {f,
              low,
              high,
              (vote ? left - right : left) > 0 ? 1.0 : -1.0,
              (vote ? right - left : right) > 0 ? 1.0 : -1.0,
              edge};
    }
  }

  // The first sign change of the slope on a grid, then bisection.
  double exact_step(const NaiveStump& stump) const {
    const auto slope = [&](double a) {
      double sum = 0;
      for (std::size_t i = 0; i < y_.size(); ++i)
        sum += says(stump, i) * pull(i, a * says(stump, i));
      return sum;
    };
    double high = 0.01;
    while (slope(high) > 0 && high < 20) high += 0.01;
    double low = high - 0.01;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (slope(middle) > 0 ? low : high) = middle;
    }
    return low;
  }

  BinaryWeight weight_;
  StumpKind kind_;
  std::vector<std::vector<double>> x_;
  std::vector<double> y_;
  std::vector<double> row_weights_;
  std::vector<double> scores_;
};

}  // namespace simplexboost::testing
