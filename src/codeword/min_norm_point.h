// The point of smallest norm in the convex hull of finitely many points: Wolfe's algorithm (1976),
// which ends after finitely many steps and proves its answer by an interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace simplexboost {

// lower <= (distance from 0 to the hull) <= upper.
struct HullDistance {
  double lower = 0;
  double upper = 0;
};

struct HullOptions {
  // Ends when upper - lower is no more than this times the largest norm of a point.
  double tolerance = 1e-9;
  // Ends early when the distance is proved to be at least this.
  double cutoff = std::numeric_limits<double>::infinity();
};

// `points`: count x dimension, row-major, finite; at least one.
HullDistance hull_distance(std::span<const double> points, std::size_t dimension,
                           const HullOptions& options = {});

}  // namespace simplexboost
