// Breiman's three waveforms (Breiman, Friedman, Olshen, Stone: Classification and Regression Trees,
// 1984): each class is a random mixture of two of three triangular waves, plus unit noise.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "data/generators/plane_bayes_error.h"
#include "data/generators/row_source.h"

namespace simplexboost {
namespace {

constexpr std::size_t kFeatures = 21;
constexpr std::array<int, 3> kPeaks = {11, 15, 7};  // of waves 0, 1, 2; features count from 1
// A row of class c is u * wave(first) + (1 - u) * wave(second), u uniform in [0, 1).
constexpr std::array<std::array<std::size_t, 2>, 3> kMixtures = {{{0, 1}, {0, 2}, {1, 2}}};

double wave(std::size_t which, std::size_t feature) {
  return std::max(6 - std::abs(static_cast<int>(feature) + 1 - kPeaks[which]), 0);
}

double wave_distance(std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < kFeatures; ++j) {
    const double difference = wave(a, j) - wave(b, j);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// The three waves span a plane in the space of the features. The noise is the same in all
// directions, so what leaves that plane says nothing about the class: a class is its side of the
// triangle of waves, blurred by unit noise. These are the triangle's corners in plane coordinates.
std::array<Point, 3> triangle() {
  const double c = wave_distance(0, 1);
  const double b = wave_distance(0, 2);
  const double a = wave_distance(1, 2);
  const double x = (b * b + c * c - a * a) / (2 * c);
  return {Point{0, 0}, Point{c, 0}, Point{x, std::sqrt(b * b - x * x)}};
}

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// The mean over the segment's points of the unit normal density around them: across the segment a
// normal density, along it the difference of two distribution functions.
double segment_density(Point from, Point to, Point point) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point direction{(to.x - from.x) / length, (to.y - from.y) / length};
  const Point offset{point.x - from.x, point.y - from.y};
  const double along = offset.x * direction.x + offset.y * direction.y;
  const double across = offset.x * direction.y - offset.y * direction.x;
  const double blurred = (normal_cdf(along) - normal_cdf(along - length)) / length;
  return blurred * std::exp(-across * across / 2) / std::sqrt(2 * std::numbers::pi);
}

class Waveform final : public RowSource {
 public:
  Schema schema() const override {
    return generator_schema(numbered("x", 1, kFeatures), numbered("", 0, kMixtures.size()));
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t label = random.below(kMixtures.size());
      const double u = random.uniform();
      const auto [first, second] = kMixtures[label];
      for (std::size_t j = 0; j < kFeatures; ++j)
        *features++ = u * wave(first, j) + (1 - u) * wave(second, j) + random.normal();
      labels[i] = static_cast<std::int32_t>(label);
    }
  }

  double bayes_error() const override {
    constexpr double kMargin = 7;
    const std::array<Point, 3> corners = triangle();
    Point low = corners[0];
    Point high = corners[0];
    for (const Point& corner : corners) {
      low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
      high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
    }
    low = {low.x - kMargin, low.y - kMargin};
    high = {high.x + kMargin, high.y + kMargin};
    return plane_bayes_error(low, high, 0.05, [&](Point point) {
      double largest = 0;
      for (const auto& [a, b] : kMixtures)
        largest = std::max(largest, segment_density(corners[a], corners[b], point));
      return largest / static_cast<double>(kMixtures.size());
    });
  }
};

}  // namespace

std::unique_ptr<RowSource> make_waveform(const GeneratorSpec&) {
  return std::make_unique<Waveform>();
}

}  // namespace simplexboost
