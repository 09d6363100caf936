#include "optimizer/line_search.h"

#include <algorithm>
#include <cmath>

namespace simplexboost {

double find_step(const std::function<double(double)>& descent, double start, double guess,
                 double most, double tolerance) {
  double low = 0;
  double low_value = start;
  double high = std::min(guess, most);
  double high_value = descent(high);
  while (high_value > tolerance * start) {
    if (high >= most) return most;
    low = high;
    low_value = high_value;
    high = std::min(2 * high, most);
    high_value = descent(high);
  }
  // Regula falsi with the Illinois rule: halving the value of the end that stays keeps it from
  // sticking, and convergence is superlinear.
  double middle = high;
  double value = high_value;
  for (int i = 0; i < 60 && std::fabs(value) > tolerance * start; ++i) {
    if (high - low <= 1e-9 * high) break;
    middle = (low * high_value - high * low_value) / (high_value - low_value);
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    value = descent(middle);
    if (value > 0) {
      low = middle;
      low_value = value;
      high_value /= 2;
    } else {
      high = middle;
      high_value = value;
      low_value /= 2;
    }
  }
  return middle;
}

}  // namespace simplexboost
