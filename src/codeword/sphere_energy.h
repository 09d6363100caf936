// How crowded points on a sphere are: the largest cosine of two of them, smoothed,
//
//   log(sum_{k != l} exp(p <y_k, y_l>)) / p,   y_k = x_k / |x_k|,
//
// plus a penalty for being off centre. As the sharpness p grows, its minimiser becomes the max-min
// set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simplexboost {

// To length 1.
void normalise_points(std::vector<double>& points, std::size_t dimension);

class SphereEnergy {
 public:
  // Weight of |sum of the points|^2 / 2: what is left of the shift is centre_on_sphere's.
  static constexpr double kCentring = 100;

  SphereEnergy(std::size_t classes, std::size_t dimension, int threads)
      : classes_(classes), dimension_(dimension), threads_(threads) {}

  void set_sharpness(double p);

  // The energy at x, classes x dimension; writes its gradient. Cheap where x is near the last ones
  // and p is large: few pairs count then.
  double operator()(std::span<const double> x, std::span<double> gradient);

 private:
  double row_scale(std::size_t k, double largest) const;
  double reach() const { return 40 / sharpness_; }
  void list_neighbours();
  bool near_anchor() const;
  void transpose();
  std::vector<double> sum_of_points() const;
  // Of point k with all others; -2 with itself.
  void all_cosines(std::size_t k, std::vector<double>& cosines) const;
  // Row k of the double sum, relative to the row's largest term.
  void attract(std::size_t k, std::vector<double>& cosines, std::span<double> gradient);
  void finish(std::span<const double> x, double scale, const std::vector<double>& centre,
              std::size_t k, std::span<double> gradient) const;

  std::size_t classes_;
  std::size_t dimension_;
  int threads_;
  double sharpness_ = 1;
  std::vector<double> points_;      // classes x dimension
  std::vector<double> transposed_;  // dimension x classes
  // Of each point: those whose terms count, or may before the lists are made anew.
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<double> anchor_;  // the points when the neighbours were listed
  double most_moved_ = 0;       // how far from there the lists hold
  bool listed_ = false;
  std::vector<double> row_largest_;
  std::vector<double> row_sum_;
};

}  // namespace simplexboost
