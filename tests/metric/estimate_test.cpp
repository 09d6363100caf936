#include "metric/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "metric/temperature.h"

namespace simplexboost {
namespace {

Labels labels_of(std::vector<std::int32_t> codes, std::size_t classes) {
  Labels labels;
  for (std::size_t k = 0; k < classes; ++k) labels.classes.push_back("k" + std::to_string(k));
  labels.codes = std::move(codes);
  return labels;
}

const EstimateFigure* find(const Estimate& estimate, const std::string& name, std::int32_t label) {
  for (const EstimateFigure& figure : estimate.figures)
    if (figure.name == name && figure.label == label) return &figure;
  return nullptr;
}

TEST(Estimate, FiguresOfAFewRows) {
  const Labels labels = labels_of({0, 1, 1, 0}, 2);
  const Matrix p{4, 2, {0.75F, 0.25F, 0.5F, 0.5F, 0.25F, 0.75F, 0.75F, 0.25F}};
  const std::vector<double> none;
  const Estimate estimate = estimate_from("out-of-fold", {labels, none, p});
  EXPECT_EQ(estimate.rows, 4U);
  EXPECT_NEAR(find(estimate, "error", -1)->value, 0.25, 1e-12);  // a tie goes to the lower class
  EXPECT_NEAR(find(estimate, "error", 1)->value, 0.5, 1e-12);
  EXPECT_NEAR(find(estimate, "log-loss", -1)->value, -(3 * std::log(0.75) + std::log(0.5)) / 4,
              1e-7);
  const std::vector<double> weights{1, 3, 1, 1};
  EXPECT_NEAR(find(estimate_from("x", {labels, weights, p}), "error", -1)->value, 0.5, 1e-12);
  const std::vector<std::uint8_t> seen{1, 0, 1, 1};
  const Estimate part = estimate_from("x", {labels, none, p, seen});
  EXPECT_EQ(part.rows, 3U);
  EXPECT_EQ(find(part, "error", -1)->value, 0);
  EXPECT_GT(find(part, "error", -1)->high, 0.3);  // three rows prove little
}

// By hand: probabilities of class 0 are 0.75 (true), 0.5 (not), 0.25 (not), 0.75 (true).
TEST(Estimate, CalibrationOfEachClassAgainstTheRest) {
  const Labels labels = labels_of({0, 1, 1, 0}, 2);
  const Matrix p{4, 2, {0.75F, 0.25F, 0.5F, 0.5F, 0.25F, 0.75F, 0.75F, 0.25F}};
  const std::vector<double> none;
  const Estimate estimate = estimate_from("x", {labels, none, p});
  for (const std::int32_t k : {0, 1}) {
    const EstimateFigure* figure = find(estimate, "calibration", k);
    ASSERT_NE(figure, nullptr);
    EXPECT_NEAR(figure->value, (0.25 + 0.5 + 0.25 + 0.25) / 4, 1e-12);
    EXPECT_LT(figure->low, figure->value);
    EXPECT_GT(figure->high, figure->value);
  }
  const std::vector<double> weights{1, 3, 1, 1};
  EXPECT_NEAR(find(estimate_from("x", {labels, weights, p}), "calibration", 0)->value,
              (0.25 + 1.5 + 0.25 + 0.25) / 6, 1e-12);
}

// More classes than are counted at once; those that tell the truth are within chance of 0.
TEST(Estimate, CalibrationFindsTheClassThatLies) {
  constexpr std::size_t kClasses = 40;
  constexpr std::size_t kRows = 20000;
  Random random(7);
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < kRows; ++i)
    codes.push_back(static_cast<std::int32_t>(random.uniform() * kClasses));
  Matrix p{kRows, kClasses, std::vector<float>(kRows * kClasses, 1.0F / kClasses)};
  constexpr std::int32_t kLiar = 33;
  for (std::size_t i = 0; i < kRows; ++i) p.values[i * kClasses + kLiar] = 0.3F;
  const Labels labels = labels_of(codes, kClasses);
  const std::vector<double> none;
  const Estimate estimate = estimate_from("x", {labels, none, p});
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(kClasses); ++k) {
    const EstimateFigure& figure = *find(estimate, "calibration", k);
    EXPECT_NEAR(figure.value, k == kLiar ? 0.3 - 1.0 / kClasses : 0, 0.005) << k;
    EXPECT_LT(figure.high - figure.low, 0.02) << k;
  }
}

// Of 200 data sets the interval misses the truth in about one of twenty.
TEST(Estimate, IntervalsHoldAsOftenAsTheySay) {
  constexpr int kSets = 200;
  constexpr double kTruth = 0.2;
  int held = 0;
  for (int s = 0; s < kSets; ++s) {
    Random random(static_cast<std::uint64_t>(s));
    std::vector<std::int32_t> codes;
    for (int i = 0; i < 150; ++i) codes.push_back(random.uniform() < kTruth ? 1 : 0);
    const Labels labels = labels_of(codes, 2);
    Matrix p{150, 2, {}};
    for (int i = 0; i < 150; ++i) p.values.insert(p.values.end(), {0.8F, 0.2F});
    const std::vector<double> none;
    const EstimateFigure error = *find(estimate_from("x", {labels, none, p}), "error", -1);
    held += error.low <= kTruth && kTruth <= error.high ? 1 : 0;
  }
  EXPECT_GE(held, 180);
  EXPECT_LE(held, 199);
}

TEST(Estimate, SetsOfLabels) {
  Labels labels = labels_of({0, 1, 1}, 2);
  labels.offsets = {0, 2, 3};
  const Matrix p{2, 2, {0.9F, 0.8F, 0.6F, 0.7F}};
  const std::vector<double> none;
  const Estimate estimate = estimate_from("x", {labels, none, p});
  EXPECT_NEAR(find(estimate, "error", -1)->value, 0.25, 1e-12);
  EXPECT_NEAR(find(estimate, "error", 0)->value, 0.5, 1e-12);
  EXPECT_NEAR(find(estimate, "log-loss", 0)->value, -(std::log(0.9) + std::log(0.4)) / 2, 1e-6);
  EXPECT_NEAR(find(estimate, "calibration", 0)->value, (0.1 + 0.6) / 2, 1e-6);
  EXPECT_NEAR(find(estimate, "calibration", 1)->value, (0.2 + 0.3) / 2, 1e-6);
}

TEST(Temperature, FindsTheScaleThatProbabilitiesLack) {
  Random random(5);
  constexpr double kScale = 2.5;
  std::vector<std::int32_t> codes;
  Matrix p{4000, 3, {}};
  for (int i = 0; i < 4000; ++i) {
    double z[3];
    double unsure[3];
    double sure[3];
    double sums[2] = {0, 0};
    for (int k = 0; k < 3; ++k) {
      z[k] = random.normal();
      sums[0] += unsure[k] = std::exp(z[k]);
      sums[1] += sure[k] = std::exp(kScale * z[k]);
    }
    const double at = random.uniform() * sums[1];
    codes.push_back(at < sure[0] ? 0 : at < sure[0] + sure[1] ? 1 : 2);
    for (const double one : unsure) p.values.push_back(static_cast<float>(one / sums[0]));
  }
  const Labels labels = labels_of(codes, 3);
  const std::vector<double> none;
  const double scale = fit_score_scale({labels, none, p}, 1);
  EXPECT_NEAR(scale, kScale, 0.2);
  EXPECT_EQ(fit_score_scale({labels, none, p}, 3), scale);
  // Right in every row: as sure as may be, not without end.
  const Labels first = labels_of(std::vector<std::int32_t>(2, 0), 2);
  const Matrix right{2, 2, {0.6F, 0.4F, 0.6F, 0.4F}};
  EXPECT_GT(fit_score_scale({first, none, right}, 1), 1);
  EXPECT_LT(fit_score_scale({first, none, right}, 1), 3);
}

}  // namespace
}  // namespace simplexboost
