#include "codeword/max_min.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "base/dot.h"
#include "base/lbfgs.h"
#include "base/random.h"
#include "base/threads/parallel.h"
#include "codeword/simplex.h"
#include "codeword/sphere_energy.h"

namespace simplexboost {
namespace {

// The sharpness p grows slowly while the set takes its shape, so that it can follow, and fast when
// only the last bit of the angle is missing. At the last, the smoothed maximum is off the true one
// by at most log(pairs) / p.
constexpr double kFirstSharpness = 5;
constexpr double kShaped = 500;
constexpr std::size_t kSharpenings = 26;

double next_sharpness(double p) { return p * (p < kShaped ? 1.25 : 3); }

// How much a search may do; an evaluation costs K^2 d. Length before restarts: for 100 points in 16
// dimensions, descents of 150 and 300 evaluations for each p reach 77.6 and 77.7 degrees, while
// three seeds with 300 differ by 0.1.
struct Effort {
  std::size_t restarts;
  std::size_t evaluations;  // for each sharpness
};

Effort effort_for(std::size_t classes, std::size_t dimension) {
  constexpr double kDescentBudget = 3e10;
  constexpr double kRestartBudget = 1.9e9;
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
    for (std::size_t l = 0; l < k; l += dimension)
      largest = std::max(largest, dot(points.data() + k, points.data() + l, dimension));
  }
  return largest;
}

Candidate descend(std::size_t classes, std::size_t dimension, Random random,
                  std::size_t evaluations, int threads) {
  std::vector<double> points(classes * dimension);
  for (double& value : points) value = random.normal();
  SphereEnergy energy(classes, dimension, threads);
  LbfgsOptions options;
  options.evaluations = evaluations;
  double p = kFirstSharpness;
  for (std::size_t i = 0; i < kSharpenings; ++i, p = next_sharpness(p)) {
    normalise_points(points, dimension);
    energy.set_sharpness(p);
    options.tolerance = 1e-5 / (p * static_cast<double>(classes));
    options.first_step = 0.3 / p;
    minimise(std::ref(energy), points, options);
  }
  normalise_points(points, dimension);
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

// More than K - 1 dimensions bring nothing (jmlr2019, Theorem 3): the simplex with zeros behind it.
std::vector<double> padded_simplex(std::size_t classes, std::size_t dimension) {
  const Codebook simplex = Codebook::simplex(classes);
  std::vector<double> points(classes * dimension);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t j = 0; j < simplex.dimension(); ++j)
      points[k * dimension + j] = simplex.entry(k, j);
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
      const double distance =
          std::max(std::sqrt(dot(difference.data(), difference.data(), dimension)), 1e-12);
      weight += 1 / distance;
      for (std::size_t j = 0; j < dimension; ++j) pull[j] += difference[j] / distance;
    }
    for (std::size_t j = 0; j < dimension; ++j) median[j] += pull[j] / weight;
    if (std::sqrt(dot(pull.data(), pull.data(), dimension)) < 1e-13 * weight) break;
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i] -= median[i % dimension];
  normalise_points(points, dimension);
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
  assert(classes >= 2 && dimension >= 1);
  assert(dimension >= 2 || classes == 2);
  std::vector<double> points;
  if (dimension >= classes) {
    points = padded_simplex(classes, dimension);
  } else if (dimension == 2) {
    points = polygon(classes);
  } else if (classes <= 2 * dimension) {
    points = orthogonal_simplexes(classes, dimension);
  } else {
    points = search_max_min(classes, dimension, seed, threads);
  }
  return Codebook::dense(CodebookKind::kMaxMin, classes, {points.begin(), points.end()});
}

}  // namespace simplexboost
