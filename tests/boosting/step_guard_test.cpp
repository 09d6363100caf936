// Full Newton steps along hypotheses whose values nothing bounds: without a guard they send the
// scores to millions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "boosting/labelled_data.h"
#include "boosting/many_classes.h"
#include "boosting/training_log.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::every_cut;
using testing::labelled_data;

constexpr std::size_t kClasses = 6;

// Few rows with far outliers.
Dataset outliers(std::uint64_t seed) {
  Dataset data = labelled_data({100, kClasses, 8, false, 0.0}, seed);
  for (Column& one : data.columns) {
    std::vector<double> values(data.rows);
    one.copy(0, data.rows, values.data());
    for (double& value : values) value = std::pow(value, 5);
    one = Column::numeric(one.schema.name, values);
  }
  return data;
}

// Fits a line to one feature after the other, as a user might: nothing bounds its values.
class OwnLines : public CustomLearner {
 public:
  explicit OwnLines(const LearnerContext& context) : data_(context.data) {}

  Forest fit(const FitTarget& target, const Sample& /*sample*/) override {
    const Column& column = data_.columns[round_++ % data_.columns.size()];
    std::vector<double> x(data_.rows);
    column.copy(0, x.size(), x.data());
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    LinearFeature feature;
    feature.feature = static_cast<std::uint32_t>(&column - data_.columns.data());
    feature.low = *low;
    feature.high = *high;
    for (double& value : x) value = feature.position(value);
    std::vector<float> intercepts;
    std::vector<float> slopes;
    for (std::size_t k = 0; k < target.width; ++k) {
      const auto [intercept, slope] = line(target, k, x);
      intercepts.push_back(static_cast<float>(intercept));
      slopes.push_back(static_cast<float>(slope));
    }
    Forest forest;
    append_linear(forest, {&feature, 1}, intercepts, slopes, 0);
    return forest;
  }

 private:
  // Weighted least squares of pull / curvature.
  static std::pair<double, double> line(const FitTarget& target, std::size_t k,
                                        const std::vector<double>& x) {
    double w = 0, wx = 0, wxx = 0, g = 0, gx = 0;
    for (std::size_t i = 0; i < target.rows; ++i) {
      const std::size_t at = i * target.width + k;
      const double h = target.curvature ? target.curvature[at] : target.weights[i];
      w += h;
      wx += h * x[i];
      wxx += h * x[i] * x[i];
      g += target.pulls[at];
      gx += target.pulls[at] * x[i];
    }
    const double determinant = w * wxx - wx * wx;
    if (!(determinant > 0)) return {0, 0};
    return {(wxx * g - wx * gx) / determinant, (w * gx - wx * g) / determinant};
  }

  const Dataset& data_;
  std::size_t round_ = 0;
};

class StepGuard : public ::testing::TestWithParam<const char*> {
 protected:
  // The log loss stays near that of guessing, or below it, and ends at a share of it.
  static void expect_stable(const std::string& learner, TrainOptions options, double share) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(seed);
      const Dataset data = outliers(seed);
      options.valid = &data;
      Parameters wanted = every_cut(GetParam(), learner, 300);
      wanted.learning_rate = 1;
      const std::vector<double> loss = column(train(data, wanted, options), "valid_log_loss");
      const double guess = std::log(static_cast<double>(kClasses));
      EXPECT_LT(*std::max_element(loss.begin(), loss.end()), 1.03 * guess);
      EXPECT_LT(loss.back(), share * guess);
    }
  }
};

class LineGuard : public StepGuard {};

TEST_P(LineGuard, KeepsFullStepsStable) { expect_stable("linear", {}, 0.8); }

// A sketch of the pulls shapes trees; lines are fitted to the pulls themselves.
TEST(LinesOfNewton, LearnManyClassesAndTakeNoSketch) {
  const Dataset data = testing::many_classes(800, 20);
  Parameters lines;
  lines.learner = "linear";
  lines.rounds = 60;
  lines.learning_rate = 1;
  EXPECT_LT(column(train(data, lines), "train_error").back(), 0.5);
  lines.sketch = 6;
  EXPECT_THROW(train(data, lines), ParameterError);
}

TEST_P(StepGuard, KeepsFullStepsOfAUsersLearnerStable) {
  TrainOptions options;
  options.make_learner = [](const LearnerContext& context) {
    return std::make_unique<OwnLines>(context);
  };
  expect_stable("auto", options, 0.9);
}

std::string guarded_name(const ::testing::TestParamInfo<const char*>& row) {
  std::string name = row.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// aoso-logitboost has no lines: its leaves say pairs.
INSTANTIATE_TEST_SUITE_P(NewtonSteps, LineGuard,
                         ::testing::Values("newton", "logitboost", "robust-logitboost", "mart",
                                           "abc-logitboost", "abc-mart"),
                         guarded_name);
INSTANTIATE_TEST_SUITE_P(NewtonSteps, StepGuard,
                         ::testing::Values("newton", "logitboost", "robust-logitboost", "mart",
                                           "abc-logitboost", "abc-mart", "aoso-logitboost"),
                         guarded_name);

}  // namespace
}  // namespace simplexboost
