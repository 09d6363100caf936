// The step with the fewest errors along a classifier (kdd2014, Algorithm 1.1): exact, of any sign.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/target/row_votes.h"

namespace simplexboost {

// As alpha passes `at`, the weight of the rows that are wrong changes by `change`.
struct ErrorPoint {
  double at;
  double change;
};

struct ErrorInterval {
  double from;   // -infinity to infinity
  double to;     // above `from`
  double error;  // weight of the rows that are wrong for alpha inside

  // Its middle; `unit` from its end where it has but one.
  double step(double unit) const;
};

// Where rows change sides as a vote for votes[i] (-1: none) counts alpha more (Figure 1, and its
// mirror for alpha < 0). Returns the error for alpha below all points.
double error_points(const VoteView& view, const std::vector<std::int32_t>& votes,
                    std::vector<ErrorPoint>& points);

// The interval between neighbouring points with the least error. Of equals a bounded one is taken
// before others, and a wide one before a narrow one. Intervals narrower than `least_width` do not
// count: rounding could leave them. `error`: for alpha below all points. Sorts the points.
ErrorInterval best_interval(std::vector<ErrorPoint>& points, double error, double least_width);

// Likewise of the intervals, or their parts, between 0 and `length`; of equals the farthest from 0.
// An empty one (from = to = 0) where none is wide enough.
ErrorInterval best_interval_towards(std::vector<ErrorPoint>& points, double error, double length,
                                    double least_width);

}  // namespace simplexboost
