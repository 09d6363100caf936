// Sums of real numbers that depend neither on their order nor on how rows are parted: each number
// is first rounded to a multiple of a unit, a power of two so large that no sum of such multiples
// has more digits than it is kept in.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace simplexboost {

// The least power of two above a positive number.
inline double power_above(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent);
}

// For plain sums in double precision of numbers whose sizes add up to no more than `bound`: the
// sums of what it returns are exact.
class FixedPoint {
 public:
  explicit FixedPoint(double bound)
      : shift_(bound > 0 && std::isfinite(bound) ? 0x1.8p2 * power_above(bound) : 0x1.8p52) {}

  // Adding a number of 52 digits more leaves no place for those below the unit.
  double operator()(double value) const { return (value + shift_) - shift_; }

 private:
  double shift_;
};

// For sums that are taken in double precision a few rows at a time, and then as integers. A sum in
// double precision begins at start(), whose last digit is the unit and which is so large that it
// stays so: each addition rounds to the unit by itself. Of a number midway between two units that
// would be the even sum, whatever that is; so numbers of up to 48 digits (a float, or the product
// of two) are multiplied by kNudge, which no other number notices.
class SumUnit {
 public:
  // So many numbers may be added before units() is taken.
  static constexpr std::size_t kMost = 2000;
  static constexpr double kNudge = 0x1.0000000000001p0;

  // `largest`: no number is larger in size; `count`: how many there are in all. The unit is 2^-40
  // of the largest or, where there are more than four millions, 2^-62 of their possible sum.
  SumUnit(double largest, std::size_t count) {
    if (!(largest > 0) || !std::isfinite(largest)) return;
    int exponent = 0;
    std::frexp(largest, &exponent);
    const int digits = static_cast<int>(std::bit_width(count));
    unit_ = std::ldexp(1.0, exponent + (digits > 22 ? digits - 62 : -40));
  }

  double start() const { return 0x1.8p52 * unit_; }
  // Of what was added to start().
  std::int64_t units(double sum) const {
    return std::bit_cast<std::int64_t>(sum) - std::bit_cast<std::int64_t>(start());
  }
  double real(std::int64_t units) const { return static_cast<double>(units) * unit_; }

 private:
  double unit_ = 1;
};

}  // namespace simplexboost
