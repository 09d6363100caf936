#include "codeword/capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "codeword/max_min.h"
#include "codeword/min_norm_point.h"
#include "codeword/output_codes.h"

namespace simplexboost {
namespace {

std::vector<double> normal_doubles(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), [&] { return random.normal(); });
  return values;
}

double norm(double x, double y) { return std::hypot(x, y); }

// In the plane the nearest point of a hull lies on a segment of two points, unless 0 is inside.
double brute_force_distance(const std::vector<double>& points) {
  const std::size_t count = points.size() / 2;
  double best = norm(points[0], points[1]);
  bool inside = false;
  const auto cross = [&](std::size_t a, std::size_t b) {
    return points[2 * a] * points[2 * b + 1] - points[2 * a + 1] * points[2 * b];
  };
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const double dx = points[2 * b] - points[2 * a];
      const double dy = points[2 * b + 1] - points[2 * a + 1];
      const double length = dx * dx + dy * dy;
      double t = length > 0 ? -(points[2 * a] * dx + points[2 * a + 1] * dy) / length : 0;
      t = std::clamp(t, 0.0, 1.0);
      best = std::min(best, norm(points[2 * a] + t * dx, points[2 * a + 1] + t * dy));
      for (std::size_t c = 0; c < count; ++c)
        inside |= cross(a, b) > 0 && cross(b, c) > 0 && cross(c, a) > 0;
    }
  }
  return inside ? 0 : best;
}

// Unit and centred, otherwise arbitrary.
Codebook random_centred(std::size_t classes, std::size_t dimension, std::uint64_t seed) {
  std::vector<double> points = normal_doubles(classes * dimension, seed);
  for (std::size_t k = 0; k < points.size(); k += dimension) {
    double sum = 0;
    for (std::size_t j = 0; j < dimension; ++j) sum += points[k + j] * points[k + j];
    for (std::size_t j = 0; j < dimension; ++j) points[k + j] /= std::sqrt(sum);
  }
  centre_on_sphere(points, dimension);
  return Codebook::dense(CodebookKind::kFile, classes, {points.begin(), points.end()});
}

// The same numbers, without the kind that has a closed form.
Codebook as_file(const Codebook& book) {
  return Codebook::dense(CodebookKind::kFile, book.classes(), book.matrix());
}

TEST(HullDistance, AgreesWithBruteForceInThePlane) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, 1);
    std::vector<double> points = normal_doubles(2 * (1 + random.below(7)), seed);
    for (std::size_t i = 0; i < points.size(); i += 2) points[i] += 2 * random.uniform();
    const double expected = brute_force_distance(points);
    const HullDistance found = hull_distance(points, 2);
    EXPECT_LE(found.lower, expected + 1e-9) << seed;
    EXPECT_GE(found.upper, expected - 1e-9) << seed;
    EXPECT_LE(found.upper - found.lower, 1e-8) << seed;
  }
}

TEST(HullDistance, ProvesItsAnswerInManyDimensions) {
  for (const std::size_t dimension : {1U, 3U, 10U, 40U}) {
    for (const std::size_t count : {1U, 5U, 50U, 200U}) {
      std::vector<double> points = normal_doubles(count * dimension, count + dimension);
      for (std::size_t i = 0; i < points.size(); i += dimension) points[i] += 3;
      const HullDistance found = hull_distance(points, dimension);
      EXPECT_LE(found.lower, found.upper);
      EXPECT_LE(found.upper - found.lower, 1e-8 * (1 + found.upper)) << dimension << " " << count;
    }
  }
}

TEST(HullDistance, SurvivesEqualAndCollinearPoints) {
  const std::vector<double> equal = {1, 1, 1, 1, 1, 1};
  EXPECT_NEAR(hull_distance(equal, 2).upper, std::sqrt(2.0), 1e-9);
  const std::vector<double> line = {-1, 1, 0, 1, 1, 1, 2, 1, 3, 1};
  EXPECT_NEAR(hull_distance(line, 2).upper, 1, 1e-9);
  const std::vector<double> zero = {0, 0, 1, 1};
  EXPECT_NEAR(hull_distance(zero, 2).upper, 0, 1e-9);
  const std::vector<double> all_zero = {0, 0, 0, 0};
  EXPECT_EQ(hull_distance(all_zero, 2).upper, 0);
}

TEST(HullDistance, DoesNotDependOnTheUnit) {
  const std::vector<double> points = {1, 2, 3, 1, 2, 2};
  const double expected = hull_distance(points, 2).upper;
  for (const double unit : {1e-30, 1e-6, 1e6, 1e30}) {
    std::vector<double> scaled = points;
    for (double& value : scaled) value *= unit;
    EXPECT_NEAR(hull_distance(scaled, 2).upper / unit, expected, 1e-8);
  }
}

TEST(MarginCapacity, SimplexReachesTheBound) {
  for (const std::size_t classes : {2U, 3U, 5U, 26U, 100U}) {
    const double bound = static_cast<double>(classes) / (2 * static_cast<double>(classes - 1));
    const Codebook simplex = Codebook::simplex(classes);
    EXPECT_DOUBLE_EQ(margin_capacity(simplex, 1).value, bound);
    EXPECT_DOUBLE_EQ(capacity_bound(simplex), bound);
    EXPECT_NEAR(margin_capacity(as_file(simplex), 1).value, bound, 1e-6);
    EXPECT_NEAR(minimum_distance(simplex, 1), 2 * std::sqrt(bound), 1e-12);
  }
}

TEST(MarginCapacity, ClosedFormsAgreeWithTheHull) {
  for (const std::size_t classes : {2U, 3U, 7U, 20U}) {
    for (const Codebook& book : {Codebook::simplex(classes), Codebook::canonical(classes),
                                 Codebook::one_vs_all(classes), all_pairs_codebook(classes)}) {
      const Codebook plain = as_file(book);
      const MarginCapacity hull = margin_capacity(plain, 1);
      EXPECT_NEAR(margin_capacity(book, 1).value, hull.value, 1e-5);
      EXPECT_LE(hull.error, 1e-8 * hull.value);
      EXPECT_NEAR(minimum_distance(book, 1), minimum_distance(plain, 1), 1e-5);
      EXPECT_NEAR(capacity_bound(book), capacity_bound(plain), 1e-5);
      EXPECT_EQ(codebook_shape(book).unit, codebook_shape(plain).unit);
      EXPECT_EQ(codebook_shape(book).centred, codebook_shape(plain).centred);
    }
  }
}

// jmlr2019 (60), and (68) with a norm where its proof has one.
TEST(MarginCapacity, KeepsTheBoundsForCentredSets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed, 2);
    const std::size_t dimension = 2 + random.below(8);
    const std::size_t classes = 3 + random.below(20);
    const Codebook book = random_centred(classes, dimension, seed);
    const CodebookShape shape = codebook_shape(book);
    ASSERT_TRUE(shape.unit && shape.centred) << seed;
    const MarginCapacity capacity = margin_capacity(book, 1);
    const double distance = minimum_distance(book, 1);
    EXPECT_LE(capacity.error, 1e-8);
    EXPECT_LE(capacity.value,
              static_cast<double>(classes) / (2 * static_cast<double>(classes - 1)) + 1e-6);
    EXPECT_GE(capacity.value, distance * distance / 4 - 1e-6);
    EXPECT_LE(capacity.value, distance / 2 + 1e-9);
  }
}

TEST(MarginCapacity, IsZeroWhereACodewordLiesBetweenOthers) {
  const Codebook book = Codebook::dense(CodebookKind::kFile, 3, {-1, 0, 0, 0, 1, 0});
  const MarginCapacity capacity = margin_capacity(book, 1);
  EXPECT_NEAR(capacity.value, 0, 1e-9);
  EXPECT_EQ(capacity.tightest_class, 1U);
}

TEST(MarginCapacity, DoesNotDependOnThreads) {
  const Codebook book = random_centred(200, 6, 9);
  const MarginCapacity one = margin_capacity(book, 1);
  const MarginCapacity four = margin_capacity(book, 4);
  EXPECT_EQ(one.value, four.value);
  EXPECT_EQ(one.tightest_class, four.tightest_class);
  EXPECT_EQ(minimum_distance(book, 1), minimum_distance(book, 4));
}

}  // namespace
}  // namespace simplexboost
