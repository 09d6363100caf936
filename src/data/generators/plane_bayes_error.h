// The Bayes error of a problem whose classes differ in a plane only, by a sum over a fine grid.
#pragma once

#include <cstddef>

namespace simplexboost {

struct Point {
  double x = 0;
  double y = 0;
};

// 1 - integral of max_c P(c) p(x | c) over the box, by the midpoint rule with squares of side
// `step`. `largest(point)` is that maximum; the box must hold all but a negligible mass.
template <class Largest>
double plane_bayes_error(Point low, Point high, double step, const Largest& largest) {
  const auto columns = static_cast<std::size_t>((high.x - low.x) / step);
  const auto rows = static_cast<std::size_t>((high.y - low.y) / step);
  double sum = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      const double x = low.x + (static_cast<double>(i) + 0.5) * step;
      const double y = low.y + (static_cast<double>(j) + 0.5) * step;
      sum += largest(Point{x, y});
    }
  }
  return 1 - sum * step * step;
}

}  // namespace simplexboost
