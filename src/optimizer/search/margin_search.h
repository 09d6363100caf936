// The step with the largest average of the n' smallest margins along a classifier (kdd2014,
// Algorithm 2.1). For steps of one sign the average is quasi-concave: bisection on the sign of its
// derivative finds the best. (Theorem 3 says so for both signs together, but its proof needs an
// average of 0 or more: a negative one may rise to both sides of 0.)
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "optimizer/target/row_votes.h"

namespace simplexboost {

// The part of the rows that has the smallest values, up to `mass` of weight.
struct Bottom {
  double sum = 0;  // of weight times value
  float edge = 0;  // the largest value in it
};

// Values that are no less than `low` and no more than `high`.
struct ValueBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

class MarginSearch {
 public:
  // `weights`: positive. `mass`: the weight of the n' rows, at most that of all. The rows are not
  // parted.
  MarginSearch(const RowWeights& weights, double mass, const RowSpace& space);

  double mass() const { return mass_; }
  // Cheaper where the edge is known to lie in a narrow `range`.
  Bottom bottom(std::span<const float> values, ValueBounds range = {});

  struct Result {
    double length = 0;     // 0: no step raises the objective
    double objective = 0;  // (5) after it
  };
  // `lines`: how the margins move along the classifier; `total`: A, the sum of |alpha| so far,
  // positive; steps up to `longest`, forward only or of either sign. The bracket is closed to
  // `tolerance` of that.
  enum class Ways { kForward, kBoth };
  Result search(std::span<const MarginLine> lines, double total, Ways ways, double longest,
                double tolerance);

  // (5) at a step, and the sign of its derivative there: the quotient rule (10) over the active
  // set, to the right of `alpha` or to the left of it.
  enum class Side { kLeft, kRight };
  struct Point {
    double objective = 0;
    double derivative = 0;  // times (A + |alpha|)^2 n'
    float edge = 0;         // the n'-th smallest margin there, times A + |alpha|
  };
  Point point(std::span<const MarginLine> lines, double total, double alpha, Side side,
              ValueBounds range = {});

 private:
  struct Slopes {
    double below = 0;  // sum of weight times slope of the rows below the edge
    double weight_below = 0;
    double at_edge[3] = {};  // weight of the rows at the edge that fall, stay, rise
  };
  float edge_of_equals(std::span<const float> values, ValueBounds range);
  Slopes slopes(std::span<const MarginLine> lines, double alpha, float edge, Side side) const;
  Result bisect(std::span<const MarginLine> lines, double total, double sign, double longest,
                double tolerance);

  RowWeights weights_;
  double mass_;
  RowSpace space_;
  bool equal_weights_;
  std::vector<float> values_;
  std::vector<float> selected_;
  struct Weighted {
    float value;
    double weight;
  };
  std::vector<Weighted> weighted_;
};

}  // namespace simplexboost
