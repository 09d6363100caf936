// Who has the rows of newton's rounds where this process has not, a device: scores, pulls and their
// sums stay there.
#pragma once

#include <cstddef>
#include <span>

#include "loss/loss.h"

namespace simplexboost {

// What the pulls of a round are filled by (NewtonBoosting::fill_structure).
struct NewtonFill {
  double log_scale = 0;
  std::size_t sketch = 0;  // channels; 0: all outputs
  std::span<const float> projection = {};
};

class NewtonRows {
 public:
  virtual ~NewtonRows() = default;

  // Pulls and curvatures of all rows at their scores, times exp(-log_scale), and what shapes the
  // tree; returns what Loss::pulls() does.
  virtual double fill(const NewtonFill& fill) = 0;
  // The risk at the scores; and along the hypothesis fitted last, whose leaves say `values`, times
  // exp(-log_scale).
  virtual ScaledSum risk() = 0;
  virtual ScaledSum risk_at(std::span<const float> values, double step, double log_scale) = 0;
};

}  // namespace simplexboost
