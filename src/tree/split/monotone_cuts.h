// How a cut is judged where scores must go one way (leaf/monotone.h): by the values that both sides
// may take. An output whose sides would be in the wrong order gets one value for both, and gains
// nothing; below such a cut values stay on their side of the border, and gain so much less. The
// values here are those of least squares; leaves that are fitted otherwise are bounded in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grown_tree.h"
#include "tree/kernels/kernels.h"
#include "tree/leaf/monotone.h"

namespace simplexboost {

class MonotoneCuts {
 public:
  explicit MonotoneCuts(const Monotone& monotone) : monotone_(monotone) {}

  // For a new tree. False where the criterion does not see the outputs themselves, but a sketch.
  bool start(const CriterionSpec& criterion);
  void resize(std::size_t nodes);

  // Of a node as it stands.
  float score(std::size_t node, const std::int32_t* total) const;
  // Of a cut of it, by the sums of the left side.
  float score(std::size_t node, std::size_t feature, const std::int32_t* left,
              const std::int32_t* total) const;
  // The node was cut: bounds its children.
  void pass_on(const GrownTree& tree, std::size_t node);

 private:
  // In the units of the statistics.
  struct Bounds {
    double low;
    double high;
  };
  struct Side {
    double pull;
    double weight;  // with l2
  };

  Side side(const std::int32_t* sums, std::size_t output) const;
  static double value(const Side& side, const Bounds& bounds);
  // Twice what the objective falls by.
  static double gain(const Side& side, double value);
  bool rises(std::size_t feature, std::size_t output) const {
    return (monotone_.sign_of(feature) > 0) == (output == monotone_.output[feature]);
  }

  const Monotone& monotone_;
  std::size_t width_ = 0;
  double l2_ = 0;
  std::vector<Bounds> bounds_;  // nodes x outputs
};

}  // namespace simplexboost
