// What fills the leaves of a hypothesis, where that is another, usually wider target than the one
// that shapes it: a leaf says sum w g / (damping * sum w h + l2), g and h the pulls and curvatures
// of its rows, or what else the target makes of these sums. Whether they are kept or computed again
// for the rows in question is nobody's matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/aligned_vector.h"

namespace simplexboost {

// Pulls and curvatures of some rows, LeafTarget::width() of each a row.
struct LeafNumbers {
  const float* pulls = nullptr;
  const float* curvature = nullptr;  // null: those that the pulls tell (curvature_factor)
  bool of_all_rows = false;          // the arrays hold all rows, not only those asked for

  // Of the rows from the first one asked for on; for rows that follow each other.
  LeafNumbers from(std::size_t first, std::size_t width) const {
    if (!of_all_rows) return *this;
    return {pulls + first * width, curvature ? curvature + first * width : nullptr, false};
  }
};

// Sums over the rows of a leaf, times their weights.
struct LeafTotals {
  std::span<const double> pulls;  // LeafTarget::width() each
  std::span<const double> curvature;
};

class LeafTarget {
 public:
  virtual ~LeafTarget() = default;

  std::size_t width() const { return width_; }
  float damping() const { return damping_; }
  // Where pulls tell their curvature, as the logistic loss's do: h = |g| (1 - factor |g|).
  float curvature_factor() const { return curvature_factor_; }

  // Whether they do.
  virtual bool curvature_from_pulls() const = 0;

  // What a leaf says, width() numbers. `l2`: in the units of the curvatures.
  virtual void set_values(const LeafTotals& leaf, double l2, float* values) const {
    for (std::size_t j = 0; j < width_; ++j) {
      const double by = static_cast<double>(damping_) * leaf.curvature[j] + l2;
      values[j] = by > 0 ? static_cast<float>(leaf.pulls[j] / by) : 0.0F;
    }
  }

  // From any thread; `scratch` is the caller's, and holds what was computed until its next use.
  virtual LeafNumbers numbers(std::span<const std::uint32_t> rows,
                              AlignedVector<float>& scratch) const = 0;
  // As many as numbers() may be asked for at a time, for what it writes to stay in the cache.
  virtual std::size_t most_rows() const { return std::numeric_limits<std::size_t>::max(); }

 protected:
  std::size_t width_ = 0;
  float damping_ = 1;
  float curvature_factor_ = 1;
};

// From arrays of all rows, rows x width each, which outlive it.
class KeptLeafTarget : public LeafTarget {
 public:
  KeptLeafTarget() = default;
  KeptLeafTarget(std::size_t width, const float* pulls, const float* curvature, float damping = 1,
                 float curvature_factor = 1)
      : pulls_(pulls), curvature_(curvature) {
    width_ = width;
    damping_ = damping;
    curvature_factor_ = curvature_factor;
  }

  LeafNumbers numbers(std::span<const std::uint32_t> /*rows*/,
                      AlignedVector<float>& /*scratch*/) const override {
    return {pulls_, curvature_, true};
  }
  bool curvature_from_pulls() const override { return curvature_ == nullptr; }

 private:
  const float* pulls_ = nullptr;
  const float* curvature_ = nullptr;
};

}  // namespace simplexboost
