// The exact step along a direction: where the slope of the risk changes its sign.
#pragma once

#include <functional>

namespace simplexboost {

// descent(step) is minus the slope of the risk at a step; descent(0) > 0. Returns a step in
// (0, most] at which it is zero to within `tolerance` of descent(0), the first sign change that
// doubling from `guess` brackets; `most` if the risk falls all the way there.
double find_step(const std::function<double(double)>& descent, double start, double guess,
                 double most, double tolerance = 1e-4);

}  // namespace simplexboost
