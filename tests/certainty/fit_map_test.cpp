#include "certainty/fit_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "model/predict/adjusted.h"

namespace simplexboost {
namespace {

struct MappedRows {
  Labels labels;
  Matrix proba;
};

// Labels that come true as `truth` maps the probabilities.
MappedRows draw_mapped(std::size_t rows, const ProbabilityMap& truth, std::size_t classes) {
  Random random(5);
  MappedRows drawn;
  drawn.labels.classes.resize(classes);
  drawn.proba = {rows, classes, std::vector<float>(rows * classes)};
  std::vector<double> q(classes);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (double& p : q) sum += p = std::exp(1.5 * random.normal());
    for (std::size_t k = 0; k < classes; ++k)
      drawn.proba.row(i)[k] = static_cast<float>(q[k] / sum);
    std::copy_n(drawn.proba.row(i), classes, q.begin());
    apply_map(truth, false, q);
    double at = random.uniform();
    std::size_t label = 0;
    while (label + 1 < classes && at >= q[label]) at -= q[label++];
    drawn.labels.codes.push_back(static_cast<std::int32_t>(label));
  }
  return drawn;
}

double log_loss(const MappedRows& rows, const ProbabilityMap& map) {
  double sum = 0;
  std::vector<double> q(rows.proba.columns);
  for (std::size_t i = 0; i < rows.proba.rows; ++i) {
    std::copy_n(rows.proba.row(i), q.size(), q.begin());
    apply_map(map, false, q);
    sum -= std::log(q[static_cast<std::size_t>(rows.labels.codes[i])]);
  }
  return sum / static_cast<double>(rows.proba.rows);
}

TEST(FitMap, FindsTheScalesAndShiftsThatLabelsWereDrawnBy) {
  const ProbabilityMap truth{"vector", {0.5, 1, 1.5}, {0.4, 0, -0.4}, {}, {}, {}};
  const MappedRows rows = draw_mapped(20'000, truth, 3);
  const ProbabilityMap found = fit_map("vector", {rows.labels, {}, rows.proba}, 2);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.scale[k], truth.scale[k], 0.1);
  // Only differences of shifts matter.
  EXPECT_NEAR(found.shift[0] - found.shift[2], 0.8, 0.1);
  EXPECT_LT(log_loss(rows, found), log_loss(rows, truth) + 1e-6);
}

TEST(FitMap, FindsTheTemperature) {
  const ProbabilityMap truth{"temperature", {0.4}, {}, {}, {}, {}};
  const MappedRows rows = draw_mapped(20'000, truth, 4);
  EXPECT_NEAR(fit_map("temperature", {rows.labels, {}, rows.proba}, 1).scale[0], 0.4, 0.03);
}

TEST(FitMap, CurvesRiseAndAreTheLeastSquares) {
  const ProbabilityMap truth{"temperature", {0.5}, {}, {}, {}, {}};
  const MappedRows rows = draw_mapped(300, truth, 2);
  const ProbabilityMap found = fit_map("isotonic", {rows.labels, {}, rows.proba}, 1);
  ASSERT_EQ(found.knot_end.size(), 2U);
  for (std::size_t i = 1; i < found.knot_end[0]; ++i) {
    EXPECT_GT(found.knot_p[i], found.knot_p[i - 1]);
    EXPECT_GE(found.knot_q[i], found.knot_q[i - 1]);
  }
  // The naive twin: max over starts of min over ends of the means (Barlow et al. 1972).
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < 300; ++i)
    points.emplace_back(rows.proba.row(i)[0], rows.labels.codes[i] == 0 ? 1 : 0);
  std::sort(points.begin(), points.end());
  std::vector<double> fitted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double best = 0;
    for (std::size_t a = 0; a <= i; ++a) {
      double least = 1;
      double sum = 0;
      for (std::size_t b = a; b < points.size(); ++b) {
        sum += points[b].second;
        if (b >= i) least = std::min(least, sum / static_cast<double>(b - a + 1));
      }
      best = std::max(best, least);
    }
    fitted.push_back(best);
  }
  // Knots are the means of levels, drawn by half a row to each side.
  std::size_t level = 0;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i;
    double p = 0;
    double y = 0;
    while (end < points.size() && fitted[end] == fitted[i]) {
      p += points[end].first;
      y += points[end].second;
      ++end;
    }
    const auto count = static_cast<double>(end - i);
    ASSERT_LT(level, found.knot_end[0]);
    EXPECT_NEAR(found.knot_p[level], p / count, 1e-6);
    EXPECT_GE(found.knot_q[level] + 1e-9, (y + 0.5) / (count + 1));
    ++level;
    i = end;
  }
  EXPECT_EQ(level, found.knot_end[0]);
}

TEST(FitMap, OfNoRowsChangesLittle) {
  Labels labels;
  labels.classes = {"a", "b"};
  const Matrix none{0, 2, {}};
  for (const std::string_view method : kMapMethods) {
    const ProbabilityMap map = fit_map(method, {labels, {}, none}, 1);
    std::vector<double> p{0.25, 0.75};
    apply_map(map, false, p);
    EXPECT_NEAR(p[0], 0.25, 1e-9) << method;
  }
}

TEST(ApplyMap, KeepsProbabilitiesThatSumToOne) {
  const ProbabilityMap curves{"isotonic", {}, {}, {2, 4}, {0.1, 0.9, 0.2, 0.8}, {0, 1, 0.3, 0.4}};
  for (const double x : {0.0, 0.05, 0.1, 0.37, 0.9, 1.0}) {
    std::vector<double> p{x, 1 - x};
    apply_map(curves, false, p);
    EXPECT_NEAR(p[0] + p[1], 1, 1e-12);
    EXPECT_GE(p[0], 0);
  }
}

TEST(ApplyPriors, IsBayesRule) {
  std::vector<double> p{0.2, 0.3, 0.5};
  const std::vector<double> then{0.5, 0.25, 0.25};
  const std::vector<double> now{0.1, 0.1, 0.8};
  apply_priors(then, now, false, p);
  const double whole = 0.2 * 0.2 + 0.3 * 0.4 + 0.5 * 3.2;
  EXPECT_NEAR(p[0], 0.2 * 0.2 / whole, 1e-12);
  EXPECT_NEAR(p[2], 0.5 * 3.2 / whole, 1e-12);
}

}  // namespace
}  // namespace simplexboost
