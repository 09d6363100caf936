#include "codeword/max_min.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "base/random.h"
#include "codeword/lbfgs.h"
#include "codeword/simplex.h"

namespace simplexboost {
namespace {

// Rows of a block of the energy's double sum.
constexpr std::size_t kRowBlock = 16;
// Weight of |sum of the points|^2 beside the energy: the remaining shift is centre_on_sphere's.
constexpr double kCentring = 100;

double norm_of(const double* point, std::size_t dimension) {
  double sum = 0;
  for (std::size_t j = 0; j < dimension; ++j) sum += point[j] * point[j];
  return std::sqrt(sum);
}

void normalise(std::vector<double>& points, std::size_t dimension) {
  for (std::size_t begin = 0; begin < points.size(); begin += dimension) {
    const double norm = norm_of(points.data() + begin, dimension);
    for (std::size_t j = 0; j < dimension; ++j) points[begin + j] /= norm;
  }
}

// The largest cosine of two points, smoothed: log(sum_{k != l} exp(p <y_k, y_l>)) / p, with y_k =
// x_k / |x_k|, plus the penalty for being off centre. As p grows, its minimiser becomes the max-min
// set.
class Energy {
 public:
  Energy(std::size_t classes, std::size_t dimension, int threads)
      : classes_(classes), dimension_(dimension), threads_(threads) {}

  void set_sharpness(double p) { sharpness_ = p; }

  double operator()(std::span<const double> x, std::span<double> gradient) {
    points_.assign(x.begin(), x.end());
    normalise(points_, dimension_);
    transpose();
    row_largest_.resize(classes_);
    row_sum_.resize(classes_);
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
    for (std::size_t k = 0; k < classes_; ++k) {
      finish(x.subspan(k * dimension_, dimension_), 2 * row_scale(k, largest) / sum, centre, k,
             gradient.subspan(k * dimension_, dimension_));
    }
    return largest + std::log(sum) / sharpness_ + penalty;
  }

 private:
  double row_scale(std::size_t k, double largest) const {
    return std::exp(sharpness_ * (row_largest_[k] - largest));
  }

  void transpose() {
    transposed_.resize(points_.size());
    for (std::size_t k = 0; k < classes_; ++k)
      for (std::size_t j = 0; j < dimension_; ++j)
        transposed_[j * classes_ + k] = points_[k * dimension_ + j];
  }

  std::vector<double> sum_of_points() const {
    std::vector<double> sum(dimension_);
    for (std::size_t i = 0; i < points_.size(); ++i) sum[i % dimension_] += points_[i];
    return sum;
  }

  // Row k of the double sum, relative to the row's largest term.
  void attract(std::size_t k, std::vector<double>& cosines, std::span<double> gradient) {
    std::fill(cosines.begin(), cosines.end(), 0);
    for (std::size_t j = 0; j < dimension_; ++j) {
      const double coordinate = points_[k * dimension_ + j];
      const double* others = transposed_.data() + j * classes_;
      for (std::size_t l = 0; l < classes_; ++l) cosines[l] += coordinate * others[l];
    }
    cosines[k] = -2;
    const double largest = *std::max_element(cosines.begin(), cosines.end());
    // Farther terms are below the rounding of the nearest.
    const double farthest = largest - 40 / sharpness_;
    double sum = 0;
    std::fill(gradient.begin(), gradient.end(), 0);
    for (std::size_t l = 0; l < classes_; ++l) {
      if (l == k || cosines[l] < farthest) continue;
      const double term = std::exp(sharpness_ * (cosines[l] - largest));
      sum += term;
      const double* other = points_.data() + l * dimension_;
      for (std::size_t j = 0; j < dimension_; ++j) gradient[j] += term * other[j];
    }
    row_largest_[k] = largest;
    row_sum_[k] = sum;
  }

  // From the gradient at y_k to the gradient at x_k: only what is tangent to the sphere counts.
  void finish(std::span<const double> x, double scale, const std::vector<double>& centre,
              std::size_t k, std::span<double> gradient) const {
    const double* point = points_.data() + k * dimension_;
    double along = 0;
    for (std::size_t j = 0; j < dimension_; ++j) {
      gradient[j] = scale * gradient[j] + kCentring * centre[j];
      along += gradient[j] * point[j];
    }
    const double norm = norm_of(x.data(), dimension_);
    for (std::size_t j = 0; j < dimension_; ++j)
      gradient[j] = (gradient[j] - along * point[j]) / norm;
  }

  std::size_t classes_;
  std::size_t dimension_;
  int threads_;
  double sharpness_ = 1;
  std::vector<double> points_;      // classes x dimension
  std::vector<double> transposed_;  // dimension x classes
  std::vector<double> row_largest_;
  std::vector<double> row_sum_;
};

// The sharpness p grows slowly, so that the set can follow. At the last, the smoothed maximum is
// off the true one by at most log(pairs) / p.
constexpr double kFirstSharpness = 1;
constexpr double kSharper = 1.25;
constexpr std::size_t kSharpenings = 52;

// How much a search may do; an evaluation costs K^2 d. Length before restarts: for 100 points in 16
// dimensions, descents of 30, 150 and 300 evaluations for each p reached 76.0, 77.6 and 77.7
// degrees, while three seeds with 300 differed by 0.1.
struct Effort {
  std::size_t restarts;
  std::size_t evaluations;  // for each sharpness
};

Effort effort_for(std::size_t classes, std::size_t dimension) {
  constexpr double kDescentBudget = 3e10;
  constexpr double kRestartBudget = 7e9;
  const double work = static_cast<double>(classes) * static_cast<double>(classes) *
                      static_cast<double>(dimension) * static_cast<double>(kSharpenings);
  const double evaluations = std::clamp(kDescentBudget / work, 6.0, 300.0);
  const double restarts = std::clamp(kRestartBudget / (evaluations * work), 1.0, 16.0);
  return {static_cast<std::size_t>(restarts), static_cast<std::size_t>(evaluations)};
}

struct Candidate {
  std::vector<double> points;
  double largest_cosine = 1;
};

double largest_cosine(const std::vector<double>& points, std::size_t dimension) {
  double largest = -1;
  for (std::size_t k = 0; k < points.size(); k += dimension) {
    for (std::size_t l = 0; l < k; l += dimension) {
      double cosine = 0;
      for (std::size_t j = 0; j < dimension; ++j) cosine += points[k + j] * points[l + j];
      largest = std::max(largest, cosine);
    }
  }
  return largest;
}

Candidate descend(std::size_t classes, std::size_t dimension, Random random,
                  std::size_t evaluations, int threads) {
  std::vector<double> points(classes * dimension);
  for (double& value : points) value = random.normal();
  Energy energy(classes, dimension, threads);
  LbfgsOptions options;
  options.evaluations = evaluations;
  double p = kFirstSharpness;
  for (std::size_t i = 0; i < kSharpenings; ++i, p *= kSharper) {
    normalise(points, dimension);
    energy.set_sharpness(p);
    options.tolerance = 1e-5 / (p * static_cast<double>(classes));
    options.first_step = 0.3 / p;
    minimise(std::ref(energy), points, options);
  }
  normalise(points, dimension);
  centre_on_sphere(points, dimension);
  const double cosine = largest_cosine(points, dimension);
  return {std::move(points), cosine};
}

std::vector<double> polygon(std::size_t classes) {
  std::vector<double> points;
  for (std::size_t k = 0; k < classes; ++k) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(classes);
    points.push_back(std::cos(angle));
    points.push_back(std::sin(angle));
  }
  return points;
}

// K - d simplexes of nearly equal size, each in its own coordinates.
std::vector<double> orthogonal_simplexes(std::size_t classes, std::size_t dimension) {
  const std::size_t parts = classes - dimension;
  std::vector<double> points(classes * dimension);
  std::size_t first_class = 0;
  std::size_t first_axis = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t size = classes / parts + (part < classes % parts ? 1 : 0);
    const Codebook simplex = Codebook::simplex(size);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j + 1 < size; ++j)
        points[(first_class + k) * dimension + first_axis + j] = simplex.entry(k, j);
    first_class += size;
    first_axis += size - 1;
  }
  return points;
}

}  // namespace

void centre_on_sphere(std::vector<double>& points, std::size_t dimension) {
  // Weiszfeld's iteration: t becomes the mean weighted by 1 / |y_k - t|.
  std::vector<double> median(dimension);
  std::vector<double> difference(dimension);
  for (int iteration = 0; iteration < 500; ++iteration) {
    std::vector<double> pull(dimension);
    double weight = 0;
    for (std::size_t k = 0; k < points.size(); k += dimension) {
      for (std::size_t j = 0; j < dimension; ++j) difference[j] = points[k + j] - median[j];
      const double distance = std::max(norm_of(difference.data(), dimension), 1e-12);
      weight += 1 / distance;
      for (std::size_t j = 0; j < dimension; ++j) pull[j] += difference[j] / distance;
    }
    for (std::size_t j = 0; j < dimension; ++j) median[j] += pull[j] / weight;
    if (norm_of(pull.data(), dimension) < 1e-13 * weight) break;
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i] -= median[i % dimension];
  normalise(points, dimension);
}

std::vector<double> search_max_min(std::size_t classes, std::size_t dimension, std::uint64_t seed,
                                   int threads) {
  assert(dimension >= 2 && classes > dimension);
  const Effort effort = effort_for(classes, dimension);
  const int pool = resolve_threads(threads);
  std::vector<Candidate> candidates(effort.restarts);
  // A single restart leaves the threads to the energy's rows.
  parallel_for(pool, effort.restarts, [&](std::size_t i) {
    candidates[i] = descend(classes, dimension, Random(seed, i), effort.evaluations, pool);
  });
  const auto best = std::min_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.largest_cosine < b.largest_cosine; });
  return std::move(best->points);
}

Codebook max_min_codebook(std::size_t classes, std::size_t dimension, std::uint64_t seed,
                          int threads) {
  assert(classes >= 2 && dimension >= 1 && dimension < classes);
  assert(dimension >= 2 || classes == 2);
  std::vector<double> points;
  if (dimension == 2) {
    points = polygon(classes);
  } else if (classes <= 2 * dimension) {
    points = orthogonal_simplexes(classes, dimension);
  } else {
    points = search_max_min(classes, dimension, seed, threads);
  }
  return Codebook::dense(CodebookKind::kMaxMin, classes, {points.begin(), points.end()});
}

}  // namespace simplexboost
