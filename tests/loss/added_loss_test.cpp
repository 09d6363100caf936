// Adding a loss takes a formula and a row: what they make of it is compared with its twin, a
// user's pair (and, in loss_test.cpp, with differences).
#include "loss/added_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "boosting/booster.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "loss/added_formula.h"
#include "loss/builtin_loss.h"
#include "loss/formula_posterior.h"
#include "loss/loss_loops.h"
#include "loss/posterior.h"
#include "loss/sample_pairs.h"

namespace simplexboost {
namespace {

// The row. The table itself cannot grow while the program runs, so nobody finds it by its name.
constexpr LossFacts kRow{.name = "root"};
constexpr LossKernels kKernels = plain::kKernelsOf<plain::RootFormula>;

// newton or gd-mcboost with the added loss.
Model train_added(const Dataset& data, const Parameters& parameters) {
  const TrainOptions options;
  Composition chosen = compose(data, parameters, options);
  chosen.loss = testing::added_loss();
  Booster booster(data, std::move(chosen), options);
  booster.boost(static_cast<std::size_t>(parameters.rounds));
  return booster.finish();
}

Parameters parameters_of(const std::string& algorithm, int rounds) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = rounds;
  return parameters;
}

class AddedLossIn : public ::testing::TestWithParam<std::string> {};

TEST_P(AddedLossIn, Learns) {
  const Dataset data = testing::labelled_data({.rows = 300, .mixed = true}, 3);
  const Model model = train_added(data, parameters_of(GetParam(), 15));
  EXPECT_EQ(model.parameters().at("loss"), "root");
  EXPECT_LT(testing::column(model, "train_error").back(), 0.25);
  EXPECT_FALSE(model.has_proba());  // as the row says
}

INSTANTIATE_TEST_SUITE_P(AddedLoss, AddedLossIn, ::testing::Values("newton", "gd-mcboost"));

// A few rounds: where a risk is not convex, rounding may lead a line search elsewhere.
TEST(AddedLoss, TrainsTheModelOfItsTwin) {
  const Dataset data = testing::labelled_data({.rows = 300, .mixed = true}, 3);
  const Parameters parameters = parameters_of("gd-mcboost", 3);
  TrainOptions options;
  options.loss = std::make_shared<RootPair>();
  const Matrix expected = train(data, parameters, options).predict_scores(data);
  const Matrix found = train_added(data, parameters).predict_scores(data);
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t i = 0; i < found.values.size(); ++i)
    EXPECT_NEAR(found.values[i], expected.values[i], 1e-3);
}

TEST(AddedLoss, HasThePosteriorOfItsTwin) {
  Random random(5);
  const RootPair pair;
  for (const std::size_t classes : {1U, 2U, 3U, 9U}) {
    std::vector<float> scores(classes);
    for (float& u : scores) u = static_cast<float>(2 * random.normal());
    std::vector<float> found(classes);
    std::vector<float> expected(classes);
    set_formula_posterior<plain::RootFormula>(scores, found.data());
    pair_posteriors(pair, 1, classes, scores.data(), expected.data());
    for (std::size_t k = 0; k < classes; ++k) EXPECT_NEAR(found[k], expected[k], 2e-6);
  }
}

}  // namespace

std::shared_ptr<const Loss> testing::added_loss() {
  return std::make_shared<BuiltinLoss>(kRow, kKernels);
}

}  // namespace simplexboost
