#include "codeword/sphere_energy.h"

#include <algorithm>
#include <cmath>

#include "base/dot.h"
#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

// Rows of a block of the double sum.
constexpr std::size_t kRowBlock = 16;

}  // namespace

void normalise_points(std::vector<double>& points, std::size_t dimension) {
  for (std::size_t begin = 0; begin < points.size(); begin += dimension) {
    double* const point = points.data() + begin;
    const double norm = std::sqrt(dot(point, point, dimension));
    for (std::size_t j = 0; j < dimension; ++j) point[j] /= norm;
  }
}

void SphereEnergy::set_sharpness(double p) {
  sharpness_ = p;
  listed_ = false;
}

double SphereEnergy::operator()(std::span<const double> x, std::span<double> gradient) {
  points_.assign(x.begin(), x.end());
  normalise_points(points_, dimension_);
  row_largest_.resize(classes_);
  row_sum_.resize(classes_);
  if (!listed_ || !near_anchor()) list_neighbours();
  parallel_blocks(threads_, classes_, kRowBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<double> cosines(classes_);
    for (std::size_t k = begin; k < end; ++k)
      attract(k, cosines, gradient.subspan(k * dimension_, dimension_));
  });
  const double largest = *std::max_element(row_largest_.begin(), row_largest_.end());
  double sum = 0;
  for (std::size_t k = 0; k < classes_; ++k) sum += row_sum_[k] * row_scale(k, largest);
  const std::vector<double> centre = sum_of_points();
  double penalty = 0;
  for (const double coordinate : centre) penalty += kCentring / 2 * coordinate * coordinate;
  for (std::size_t k = 0; k < classes_; ++k)
    finish(x.subspan(k * dimension_, dimension_), 2 * row_scale(k, largest) / sum, centre, k,
           gradient.subspan(k * dimension_, dimension_));
  return largest + std::log(sum) / sharpness_ + penalty;
}

double SphereEnergy::row_scale(std::size_t k, double largest) const {
  return std::exp(sharpness_ * (row_largest_[k] - largest));
}

// A row's terms that count are those of cosines within reach() of its largest: farther ones are
// below the rounding of the nearest. When no point has moved by more than m, no cosine has changed
// by more than 2 m + m^2, and no difference of two by more than twice that: the slack.
void SphereEnergy::list_neighbours() {
  const double slack = 10 / sharpness_;
  most_moved_ = std::sqrt(1 + slack / 2) - 1;
  anchor_ = points_;
  listed_ = true;
  transpose();
  neighbours_.resize(classes_);
  parallel_blocks(threads_, classes_, kRowBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<double> cosines(classes_);
    for (std::size_t k = begin; k < end; ++k) {
      all_cosines(k, cosines);
      const double least = *std::max_element(cosines.begin(), cosines.end()) - reach() - slack;
      neighbours_[k].clear();
      for (std::size_t l = 0; l < classes_; ++l)
        if (l != k && cosines[l] >= least) neighbours_[k].push_back(static_cast<std::uint32_t>(l));
    }
  });
}

bool SphereEnergy::near_anchor() const {
  for (std::size_t k = 0; k < points_.size(); k += dimension_) {
    double moved = 0;
    for (std::size_t j = k; j < k + dimension_; ++j)
      moved += (points_[j] - anchor_[j]) * (points_[j] - anchor_[j]);
    // Written so that NaN is far.
    if (!(moved <= most_moved_ * most_moved_)) return false;
  }
  return true;
}

void SphereEnergy::transpose() {
  transposed_.resize(points_.size());
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t j = 0; j < dimension_; ++j)
      transposed_[j * classes_ + k] = points_[k * dimension_ + j];
}

std::vector<double> SphereEnergy::sum_of_points() const {
  std::vector<double> sum(dimension_);
  for (std::size_t i = 0; i < points_.size(); ++i) sum[i % dimension_] += points_[i];
  return sum;
}

void SphereEnergy::all_cosines(std::size_t k, std::vector<double>& cosines) const {
  std::fill(cosines.begin(), cosines.end(), 0);
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double coordinate = points_[k * dimension_ + j];
    const double* others = transposed_.data() + j * classes_;
    for (std::size_t l = 0; l < classes_; ++l) cosines[l] += coordinate * others[l];
  }
  cosines[k] = -2;
}

void SphereEnergy::attract(std::size_t k, std::vector<double>& cosines,
                           std::span<double> gradient) {
  const std::vector<std::uint32_t>& near = neighbours_[k];
  const double* const own = points_.data() + k * dimension_;
  double largest = -2;
  for (std::size_t i = 0; i < near.size(); ++i) {
    cosines[i] = dot(own, points_.data() + near[i] * dimension_, dimension_);
    largest = std::max(largest, cosines[i]);
  }
  double sum = 0;
  std::fill(gradient.begin(), gradient.end(), 0);
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (cosines[i] < largest - reach()) continue;
    const double term = std::exp(sharpness_ * (cosines[i] - largest));
    sum += term;
    const double* other = points_.data() + near[i] * dimension_;
    for (std::size_t j = 0; j < dimension_; ++j) gradient[j] += term * other[j];
  }
  row_largest_[k] = largest;
  row_sum_[k] = sum;
}

// From the gradient at y_k to the gradient at x_k: only what is tangent to the sphere counts.
void SphereEnergy::finish(std::span<const double> x, double scale,
                          const std::vector<double>& centre, std::size_t k,
                          std::span<double> gradient) const {
  const double* point = points_.data() + k * dimension_;
  double along = 0;
  for (std::size_t j = 0; j < dimension_; ++j) {
    gradient[j] = scale * gradient[j] + kCentring * centre[j];
    along += gradient[j] * point[j];
  }
  const double norm = std::sqrt(dot(x.data(), x.data(), dimension_));
  for (std::size_t j = 0; j < dimension_; ++j)
    gradient[j] = (gradient[j] - along * point[j]) / norm;
}

}  // namespace simplexboost
