// Who has the rows of gd-mcboost's rounds where this process has not, a device: scores, pulls and
// their sums stay there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "loss/loss.h"

namespace simplexboost {

// The sum over rows of <pull, h>, and that of their sizes.
struct Descent {
  double sum = 0;
  double size = 0;
};

class GradientRows {
 public:
  virtual ~GradientRows() = default;

  // What shapes the tree: the pulls of all rows at their scores times exp(-log_scale), of the
  // classes or on the outputs, weighed; returns what Loss::pulls() does.
  virtual double fill_pulls(double log_scale) = 0;
  // The risk at the scores.
  virtual ScaledSum risk() = 0;
  // The hypothesis fitted last, whose leaves say these class scores: what comes next is about it.
  virtual void set_direction(std::span<const float> class_scores) = 0;
  // At so far along it: of blocks of all rows, in order, times exp(-log_scale).
  virtual std::vector<Descent> descents(double step, double log_scale) = 0;
  // The sums, over the rows whose leaf names their class and over the others, of the weighed pulls
  // of the named classes, at the step that descents() was asked for last.
  virtual std::array<double, 2> named_pulls(std::span<const std::uint32_t> named_by_leaf) = 0;
};

}  // namespace simplexboost
