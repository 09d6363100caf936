#include "base/lbfgs.h"

#include <cmath>
#include <deque>
#include <utility>

#include "base/dot.h"
#include "base/stop.h"

namespace simplexboost {
namespace {

void add(std::vector<double>& target, double factor, const std::vector<double>& other) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += factor * other[i];
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result = a;
  add(result, -1, b);
  return result;
}

// What the last steps tell of the curvature.
class History {
 public:
  explicit History(std::size_t memory) : memory_(memory) {}

  void add(std::vector<double> step, std::vector<double> change) {
    const double product = dot(step, change);
    if (product <= 1e-12 * std::sqrt(dot(step, step) * dot(change, change))) return;
    if (pairs_.size() == memory_) pairs_.pop_front();
    pairs_.push_back({std::move(step), std::move(change), 1 / product});
  }
  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  // -H g by the two-loop recursion.
  std::vector<double> direction(const std::vector<double>& gradient) const {
    std::vector<double> q = gradient;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = pairs_[i].inverse * dot(pairs_[i].step, q);
      simplexboost::add(q, -alpha[i], pairs_[i].change);
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      const double scale = 1 / (last.inverse * dot(last.change, last.change));
      for (double& value : q) value *= scale;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double beta = pairs_[i].inverse * dot(pairs_[i].change, q);
      simplexboost::add(q, alpha[i] - beta, pairs_[i].step);
    }
    for (double& value : q) value = -value;
    return q;
  }

 private:
  struct Pair {
    std::vector<double> step;
    std::vector<double> change;
    double inverse;
  };
  std::size_t memory_;
  std::deque<Pair> pairs_;
};

}  // namespace

std::size_t minimise(const SmoothFunction& function, std::vector<double>& x,
                     const LbfgsOptions& options) {
  History history(options.memory);
  std::vector<double> gradient(x.size());
  std::vector<double> next_gradient(x.size());
  double value = function(x, gradient);
  std::size_t evaluations = 1;
  while (evaluations < options.evaluations) {
    check_stop();
    std::vector<double> direction = history.direction(gradient);
    double slope = dot(direction, gradient);
    if (!(slope < 0)) {
      if (history.empty()) break;
      history.clear();
      continue;
    }
    double step = history.empty() ? options.first_step / std::sqrt(-slope) : 1;
    std::vector<double> next;
    double next_value = value;
    bool lower = false;
    while (evaluations < options.evaluations && !lower && step > 1e-12) {
      next = x;
      add(next, step, direction);
      next_value = function(next, next_gradient);
      ++evaluations;
      lower = next_value <= value + 1e-4 * step * slope;
      if (!lower) step *= 0.4;
    }
    if (!lower) {
      if (history.empty()) break;
      history.clear();
      continue;
    }
    history.add(difference(next, x), difference(next_gradient, gradient));
    const double gain = value - next_value;
    std::swap(x, next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (gain < options.tolerance) break;
  }
  return evaluations;
}

}  // namespace simplexboost
