#include "codeword/min_norm_point.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/stop.h"

namespace simplexboost {
namespace {

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The corral: affinely independent points z_i and the upper triangle R with
// R^T R = e e^T + Z^T Z, which is positive definite exactly as long as they are independent.
class Corral {
 public:
  Corral(std::span<const double> points, std::size_t dimension, double scale)
      : points_(points), dimension_(dimension), scale_(scale) {}

  std::size_t size() const { return members_.size(); }
  bool contains(std::size_t point) const {
    return std::find(members_.begin(), members_.end(), point) != members_.end();
  }
  const std::vector<std::size_t>& members() const { return members_; }

  // False where the point depends on the others, to rounding: then nothing changes.
  bool add(std::size_t point) {
    std::vector<double> column(size() + 1);
    for (std::size_t i = 0; i < size(); ++i) column[i] = gram(members_[i], point);
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) column[i] -= triangle_[i][j] * column[j];
      column[i] /= triangle_[i][i];
    }
    const double whole = gram(point, point);
    double rest = whole;
    for (std::size_t i = 0; i < size(); ++i) rest -= column[i] * column[i];
    constexpr double kDependent = 1e-14;
    if (rest <= kDependent * whole) return false;
    column.back() = std::sqrt(rest);
    triangle_.push_back(std::move(column));
    members_.push_back(point);
    return true;
  }

  // Row i of the triangle is column i of R. Removing one leaves a row of entries right of the
  // diagonal, which Givens rotations fold back.
  void remove(std::size_t place) {
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
    triangle_.erase(triangle_.begin() + static_cast<std::ptrdiff_t>(place));
    for (std::size_t i = place; i < size(); ++i) {
      const double a = triangle_[i][i];
      const double b = triangle_[i][i + 1];
      const double length = std::hypot(a, b);
      for (std::size_t k = i; k < size(); ++k) {
        const double x = triangle_[k][i];
        const double y = triangle_[k][i + 1];
        triangle_[k][i] = (a * x + b * y) / length;
        triangle_[k][i + 1] = (a * y - b * x) / length;
      }
      triangle_[i].resize(i + 1);
    }
  }

  // Weights, of sum 1, of the point of smallest norm in the affine hull.
  std::vector<double> affine_minimiser() const {
    std::vector<double> u(size(), 1.0);
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) u[i] -= triangle_[i][j] * u[j];
      u[i] /= triangle_[i][i];
    }
    for (std::size_t i = size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < size(); ++j) u[i] -= triangle_[j][i] * u[j];
      u[i] /= triangle_[i][i];
    }
    double sum = 0;
    for (const double value : u) sum += value;
    for (double& value : u) value /= sum;
    return u;
  }

 private:
  double gram(std::size_t a, std::size_t b) const {
    return 1 + inner_product(point(a), point(b)) / (scale_ * scale_);
  }
  std::span<const double> point(std::size_t i) const {
    return points_.subspan(i * dimension_, dimension_);
  }

  std::span<const double> points_;
  std::size_t dimension_;
  double scale_;
  std::vector<std::size_t> members_;
  std::vector<std::vector<double>> triangle_;
};

class Search {
 public:
  Search(std::span<const double> points, std::size_t dimension)
      : points_(points),
        dimension_(dimension),
        scale_(largest_norm()),
        corral_(points, dimension, scale_) {}

  HullDistance run(const HullOptions& options) {
    if (scale_ == 0) return {};
    start();
    HullDistance best{0, norm()};
    // The algorithm is finite; the bound only guards against rounding that goes in circles.
    const std::size_t most_steps = 100 + 20 * (count() + dimension_);
    for (std::size_t step = 0; step < most_steps; ++step) {
      check_stop();
      const std::size_t nearest = smallest_product();
      const double upper = norm();
      best.upper = std::min(best.upper, upper);
      if (upper <= options.tolerance * scale_) return {0, best.upper};
      best.lower = std::max(best.lower, inner_product(point(nearest), x_) / upper);
      if (best.upper - best.lower <= options.tolerance * scale_) break;
      if (best.lower >= options.cutoff) break;
      if (corral_.contains(nearest) || !corral_.add(nearest)) break;
      weights_.push_back(0);
      settle();
    }
    best.lower = std::min(best.lower, best.upper);
    return best;
  }

 private:
  std::size_t count() const { return points_.size() / dimension_; }
  std::span<const double> point(std::size_t i) const {
    return points_.subspan(i * dimension_, dimension_);
  }
  double norm() const { return std::sqrt(inner_product(x_, x_)); }
  double largest_norm() const {
    double largest = 0;
    for (std::size_t i = 0; i < count(); ++i)
      largest = std::max(largest, inner_product(point(i), point(i)));
    return std::sqrt(largest);
  }

  void start() {
    std::size_t first = 0;
    for (std::size_t i = 1; i < count(); ++i)
      if (inner_product(point(i), point(i)) < inner_product(point(first), point(first))) first = i;
    corral_.add(first);
    weights_ = {1};
    move();
  }

  std::size_t smallest_product() const {
    std::size_t best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count(); ++i) {
      const double product = inner_product(point(i), x_);
      if (product < smallest) {
        smallest = product;
        best = i;
      }
    }
    return best;
  }

  // Wolfe's minor cycle: towards the affine minimiser, dropping points whose weight comes to 0 on
  // the way, until it lies inside the corral's hull.
  void settle() {
    constexpr double kZero = 1e-13;
    while (true) {
      const std::vector<double> target = corral_.affine_minimiser();
      double share = 1;
      std::size_t leaving = corral_.size();
      for (std::size_t i = 0; i < target.size(); ++i) {
        if (target[i] > kZero) continue;
        const double reach = weights_[i] / std::max(weights_[i] - target[i], kZero);
        if (leaving == corral_.size() || reach < share) {
          share = std::min(reach, 1.0);
          leaving = i;
        }
      }
      for (std::size_t i = 0; i < target.size(); ++i)
        weights_[i] += share * (target[i] - weights_[i]);
      if (leaving == corral_.size() || corral_.size() == 1) break;
      corral_.remove(leaving);
      weights_.erase(weights_.begin() + static_cast<std::ptrdiff_t>(leaving));
    }
    move();
  }

  void move() {
    double sum = 0;
    for (double& weight : weights_) sum += weight = std::max(weight, 0.0);
    x_.assign(dimension_, 0);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const auto member = point(corral_.members()[i]);
      for (std::size_t j = 0; j < dimension_; ++j) x_[j] += weights_[i] / sum * member[j];
    }
  }

  std::span<const double> points_;
  std::size_t dimension_;
  double scale_;
  Corral corral_;
  std::vector<double> weights_;
  std::vector<double> x_;
};

}  // namespace

HullDistance hull_distance(std::span<const double> points, std::size_t dimension,
                           const HullOptions& options) {
  assert(dimension > 0 && !points.empty() && points.size() % dimension == 0);
  return Search(points, dimension).run(options);
}

}  // namespace simplexboost
