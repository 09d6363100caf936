#include "experiment/codeword_picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/count_text.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::count;

const std::vector<float> kTriangle{1, 0, -0.5F, 0.8660254F, -0.5F, -0.8660254F};

TEST(CodewordPicture, HasARayForEachCodeword) {
  for (const std::size_t dimension : {1U, 2U, 3U}) {
    const Plot plot = codeword_plot(std::vector<float>(4 * dimension, 0.5F), dimension);
    EXPECT_EQ(plot.series.size(), 8U);  // a line and its end
    EXPECT_EQ(count(svg_text(plot), "<path"), 4U);
  }
}

TEST(CodewordPicture, ContoursLieWhereTheFunctionHasTheValue) {
  constexpr std::size_t kSide = 41;
  std::vector<double> values;
  for (std::size_t j = 0; j < kSide; ++j)
    for (std::size_t i = 0; i < kSide; ++i) {
      const double x = static_cast<double>(i) / 20 - 1;
      const double y = static_cast<double>(j) / 20 - 1;
      values.push_back(x * x + y * y);
    }
  const std::vector<PlotPoint> circle = contour(values, kSide, 1, 0.49);
  ASSERT_GT(circle.size(), 100U);
  std::size_t points = 0;
  for (const PlotPoint& point : circle) {
    if (!std::isfinite(point.x)) continue;
    ++points;
    EXPECT_NEAR(std::hypot(point.x, point.y), 0.7, 0.002);
  }
  EXPECT_EQ(3 * points, 2 * circle.size());
  EXPECT_TRUE(contour(values, kSide, 1, 5).empty());
}

// jmlr2019, section 8.1: the contours of (125) cross the boundaries of the classes, those of (126)
// follow them: 'B', a wrong prediction, has the loss of the right one 'A' by the first alone.
TEST(CodewordPicture, VotesDoNotSeeTheOtherClassesAndGammaPhiLossesDo) {
  const auto first_contour = [](const std::string& loss) {
    const Plot plot = contour_plot(kTriangle, loss);
    // Codewords and boundaries come first; then the contour through -3/2 of the first codeword.
    return plot.series[9].points;
  };
  for (const PlotPoint& point : first_contour("votes"))
    if (std::isfinite(point.x)) {
      EXPECT_NEAR(point.x, -1.5, 1e-2);
    }
  double least = 0;
  for (const PlotPoint& point : first_contour("exponential"))
    if (std::isfinite(point.x)) least = std::max(least, point.x);
  EXPECT_GT(least, -1);  // it bends around the codewords of the others
}

TEST(CodewordPicture, NamesTheLossesThatItCanDraw) {
  EXPECT_EQ(drawn_losses().front(), "votes");
  for (const std::string_view loss : drawn_losses())
    EXPECT_EQ(contour_plot(kTriangle, std::string(loss)).series.size(), 16U) << loss;
  EXPECT_THROW(contour_plot(kTriangle, "vote"), ParameterError);
}

}  // namespace
}  // namespace simplexboost
