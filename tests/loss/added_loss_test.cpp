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

class AddedLossIn : public ::testing::TestWithParam<std::string> {};

TEST_P(AddedLossIn, TrainsTheModelOfItsTwinAndLearns) {
  const Dataset data = testing::labelled_data({.rows = 300, .mixed = true}, 3);
  Parameters parameters;
  parameters.algorithm = GetParam();
  parameters.rounds = 15;
  const Model added = train_added(data, parameters);
  TrainOptions options;
  options.loss = std::make_shared<RootPair>();
  const Model twin = train(data, parameters, options);
  const Matrix found = added.predict_scores(data);
  const Matrix expected = twin.predict_scores(data);
  ASSERT_EQ(found.values.size(), expected.values.size());
  // newton's curvature is a bound that the two losses do not share (see PairLoss).
  if (GetParam() != "newton") {
    for (std::size_t i = 0; i < found.values.size(); ++i)
      EXPECT_NEAR(found.values[i], expected.values[i], 0.02);
  }
  EXPECT_LT(testing::column(added, "train_error").back(), 0.25);
  EXPECT_FALSE(added.has_proba());
}

INSTANTIATE_TEST_SUITE_P(AddedLoss, AddedLossIn, ::testing::Values("newton", "gd-mcboost"));

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
