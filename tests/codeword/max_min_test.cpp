#include "codeword/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "codeword/capacity.h"

namespace simplexboost {
namespace {

double smallest_angle(const std::vector<double>& points, std::size_t dimension) {
  double largest_cosine = -1;
  for (std::size_t k = 0; k < points.size(); k += dimension) {
    for (std::size_t l = 0; l < k; l += dimension) {
      double cosine = 0;
      for (std::size_t j = 0; j < dimension; ++j) cosine += points[k + j] * points[l + j];
      largest_cosine = std::max(largest_cosine, cosine);
    }
  }
  return std::acos(largest_cosine) * 180 / std::numbers::pi;
}

double smallest_angle(const Codebook& book) {
  const std::vector<float> matrix = book.matrix();
  return smallest_angle({matrix.begin(), matrix.end()}, book.dimension());
}

void expect_unit_and_centred(const Codebook& book) {
  const CodebookShape shape = codebook_shape(book);
  EXPECT_TRUE(shape.unit);
  EXPECT_TRUE(shape.centred);
}

struct Tammes {
  std::size_t classes;
  std::size_t dimension;
  double degrees;
};

// Tammes 1930; Schütte and van der Waerden 1951; in 4 dimensions the 24-cell's are open only as a
// proof of being best.
constexpr Tammes kKnown[] = {{3, 2, 120},      {5, 2, 72}, {12, 2, 30},      {4, 3, 109.4712},
                             {5, 3, 90},       {6, 3, 90}, {8, 3, 74.8585},  {9, 3, 70.5288},
                             {12, 3, 63.4349}, {8, 4, 90}, {10, 4, 80.4060}, {16, 5, 78.4630},
                             {27, 6, 75.5225}};

TEST(MaxMin, ReachesTheKnownAngles) {
  for (const Tammes& known : kKnown) {
    const Codebook book = max_min_codebook(known.classes, known.dimension, 1, 0);
    EXPECT_NEAR(smallest_angle(book), known.degrees, 0.1)
        << known.classes << " points in dimension " << known.dimension;
    expect_unit_and_centred(book);
  }
}

// The search must not depend on the closed forms that usually go before it.
TEST(MaxMin, SearchFindsTheKnownAnglesByItself) {
  for (const Tammes& known : kKnown) {
    if (known.dimension + 1 > known.classes) continue;
    const auto points = search_max_min(known.classes, known.dimension, 5, 0);
    EXPECT_NEAR(smallest_angle(points, known.dimension), known.degrees, 0.1)
        << known.classes << " points in dimension " << known.dimension;
  }
}

TEST(MaxMin, FullDimensionGivesTheSimplex) {
  for (const std::size_t classes : {2U, 3U, 4U, 7U, 30U}) {
    const Codebook book = max_min_codebook(classes, classes - 1, 1, 1);
    EXPECT_NEAR(minimum_distance(book, 1), minimum_distance(Codebook::simplex(classes), 1), 1e-6);
    expect_unit_and_centred(book);
  }
}

TEST(MaxMin, SetsUpToTwiceTheDimensionHaveNoAcuteAngle) {
  for (std::size_t dimension = 3; dimension <= 9; ++dimension) {
    for (std::size_t classes = dimension + 2; classes <= 2 * dimension; ++classes) {
      const Codebook book = max_min_codebook(classes, dimension, 1, 1);
      EXPECT_NEAR(smallest_angle(book), 90, 1e-4);
      expect_unit_and_centred(book);
    }
  }
}

TEST(MaxMin, DoesNotDependOnThreads) {
  const auto one = search_max_min(20, 5, 7, 1);
  EXPECT_EQ(one, search_max_min(20, 5, 7, 4));
  EXPECT_NE(one, search_max_min(20, 5, 8, 4));
}

TEST(MaxMin, CentringKeepsUnitNorms) {
  std::vector<double> points = {1, 0, 0, 1, 0.6, 0.8, -0.6, 0.8, 0, -1};
  centre_on_sphere(points, 2);
  double x = 0;
  double y = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    x += points[2 * k];
    y += points[2 * k + 1];
    EXPECT_NEAR(std::hypot(points[2 * k], points[2 * k + 1]), 1, 1e-12);
  }
  EXPECT_NEAR(x, 0, 1e-9);
  EXPECT_NEAR(y, 0, 1e-9);
}

}  // namespace
}  // namespace simplexboost
