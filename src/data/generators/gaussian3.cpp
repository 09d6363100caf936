// Three Gaussian classes in the plane, jmlr2019 (133)-(134), equally likely.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "data/generators/plane_bayes_error.h"
#include "data/generators/row_source.h"

namespace simplexboost {
namespace {

struct Gaussian {
  Point mean;
  double xx, xy, yy;  // covariance

  // The covariance is L L' with L = (a 0; b c).
  Point draw(Random& random) const {
    const double a = std::sqrt(xx);
    const double b = xy / a;
    const double c = std::sqrt(yy - b * b);
    const double u = random.normal();
    const double v = random.normal();
    return {mean.x + a * u, mean.y + b * u + c * v};
  }

  double density(Point point) const {
    const double dx = point.x - mean.x;
    const double dy = point.y - mean.y;
    const double determinant = xx * yy - xy * xy;
    const double distance = (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant;
    return std::exp(-distance / 2) / (2 * std::numbers::pi * std::sqrt(determinant));
  }
};

constexpr std::array<Gaussian, 3> kClasses = {{
    {{1, 2}, 1, 0.5, 2},
    {{-1, 0}, 1, 0.3, 1},
    {{2, -1}, 0.4, 0.1, 0.8},
}};

class Gaussian3 final : public RowSource {
 public:
  Schema schema() const override {
    return generator_schema(numbered("x", 1, 2), numbered("", 1, kClasses.size()));
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t label = random.below(kClasses.size());
      const Point point = kClasses[label].draw(random);
      features[2 * i] = point.x;
      features[2 * i + 1] = point.y;
      labels[i] = static_cast<std::int32_t>(label);
    }
  }

  double bayes_error() const override {
    return plane_bayes_error({-9, -9}, {9, 12}, 0.02, [](Point point) {
      double largest = 0;
      for (const Gaussian& gaussian : kClasses)
        largest = std::max(largest, gaussian.density(point));
      return largest / static_cast<double>(kClasses.size());
    });
  }
};

}  // namespace

std::unique_ptr<RowSource> make_gaussian3(const GeneratorSpec&) {
  return std::make_unique<Gaussian3>();
}

}  // namespace simplexboost
