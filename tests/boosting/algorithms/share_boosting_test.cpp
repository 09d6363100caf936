// GrPloss and BoostMA (jmlr2005): every bound holds at every round.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::every_cut;
using testing::labelled_data;
using testing::message_of;

// Each column is at most the next, at every round.
void expect_ascending(const Model& model, const std::vector<std::string>& names) {
  for (std::size_t k = 0; k + 1 < names.size(); ++k) {
    const std::vector<double> low = column(model, names[k]);
    const std::vector<double> high = column(model, names[k + 1]);
    for (std::size_t t = 0; t < low.size(); ++t)
      EXPECT_LE(low[t], high[t] * (1 + 1e-5) + 1e-9) << names[k] << " round " << t;
  }
}

TEST(ShareBoosting, EveryBoundHoldsAtEveryRound) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Dataset data = labelled_data(
        {20 + random.below(80), 2 + random.below(5), 2 + random.below(3), true, 0.3}, seed);
    Parameters wanted = every_cut("grploss", 15);
    wanted.seed = seed;
    if (seed % 3 == 0) wanted.resample = "weights";
    if (seed % 5 == 0) wanted.learning_rate = 0.5;
    // Theorems 2 and 3 go on to tails that fall with the rounds, for whole steps.
    const auto with_tail = [&](std::vector<std::string> names, const char* tail) {
      if (seed % 5 != 0) names.emplace_back(tail);
      expect_ascending(train(data, wanted), names);
    };
    with_tail({"pseudo_loss_error", "bound_24", "bound_13", "bound_9"}, "tail_9");
    wanted.algorithm = "grploss-general";
    with_tail({"pseudo_loss_error", "bound_24", "bound_9"}, "tail_9");
    wanted.algorithm = "boostma";
    if (seed % 4 == 0) wanted.uninformed_share = 0.05 + 0.2 * random.uniform();
    with_tail({"maxlabel_error", "bound_24", "bound_20"}, "tail_20");
  }
}

// Figures 3 and 4 ask for h in [0, 1] with any sum: here sets of classes, all of 0 and 1.
TEST(ShareBoosting, EveryBoundHoldsForSetsOfClasses) {
  for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Dataset data = labelled_data(
        {20 + random.below(80), 3 + random.below(4), 2 + random.below(3), true, 0.3}, seed);
    Parameters wanted = every_cut("grploss-general", seed % 2 == 0 ? "stump" : "tree", 15);
    wanted.leaf_values = "subset";
    const Model general = train(data, wanted);
    expect_ascending(general, {"pseudo_loss_error", "bound_24", "bound_9", "tail_9"});
    wanted.algorithm = "boostma";
    expect_ascending(train(data, wanted), {"maxlabel_error", "bound_24", "bound_20", "tail_20"});
    if (seed > 0) continue;
    const LeafValues& leaves = general.forest().leaf_values;
    double sum = 0;
    for (std::size_t k = 0; k < data.labels.classes.size(); ++k)
      sum += static_cast<double>(leaves[k]) / column(general, "step")[0];
    EXPECT_GT(std::fabs(sum - 1), 0.5) << "a set of two classes or none";
  }
}

// Says 0.9 of the classes whose pulls are not less than 0 in all rows together, and 0.2 of the
// others, right of the median of the first feature; 0.6 of all of them left of it.
class UnnormalisedLearner : public CustomLearner {
 public:
  explicit UnnormalisedLearner(const LearnerContext& context) : rows_(context.data.rows) {}
  Forest fit(const FitTarget& target, const Sample& /*sample*/) override {
    std::vector<double> pulls(target.width);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t k = 0; k < target.width; ++k)
        pulls[k] += static_cast<double>(target.pulls[i * target.width + k]);
    const double most = *std::max_element(pulls.begin(), pulls.end());
    Node node;
    node.left = ~0;
    node.right = ~1;
    std::vector<float> values(2 * target.width, 0.6F);
    for (std::size_t k = 0; k < target.width; ++k)
      values[target.width + k] = pulls[k] > 0.7 * most ? 0.9F : 0.2F;
    Forest forest;
    append_tree(forest, {&node, 1}, values, 0, target.width);
    return forest;
  }

 private:
  std::size_t rows_;
};

TEST(ShareBoosting, TakesHypothesesOfUsersWithAnySum) {
  const Dataset data = labelled_data({200, 4, 3, false, 0.1}, 7);
  TrainOptions options;
  options.make_learner = [](const LearnerContext& context) {
    return std::make_unique<UnnormalisedLearner>(context);
  };
  Parameters wanted;
  wanted.rounds = 12;
  wanted.algorithm = "grploss-general";
  const Model general = train(data, wanted, options);
  EXPECT_GT(general.rounds(), 2U);
  expect_ascending(general, {"pseudo_loss_error", "bound_24", "bound_9", "tail_9"});
  wanted.algorithm = "boostma";
  const Model boostma = train(data, wanted, options);
  EXPECT_GT(boostma.rounds(), 2U);
  expect_ascending(boostma, {"maxlabel_error", "bound_24", "bound_20", "tail_20"});
  wanted.algorithm = "grploss";
  EXPECT_NE(message_of<ModelError>([&] { train(data, wanted, options); }).find("sum to 1"),
            std::string::npos)
      << "its steps are right for shares alone";
}

TEST(ShareBoosting, GrPlossIsBoostMaWithAllClassesAlike) {
  const Dataset data = labelled_data({400, 4, 4, true, 0.2}, 1);
  Parameters wanted = every_cut("grploss", 40);
  const Model grploss = train(data, wanted);
  wanted.algorithm = "boostma";
  wanted.uninformed_share = 0.25;
  const Model boostma = train(data, wanted);
  EXPECT_EQ(grploss.forest().nodes, boostma.forest().nodes);
  EXPECT_EQ(column(grploss, "step"), column(boostma, "step"));
  EXPECT_EQ(column(grploss, "bound_13"), column(boostma, "bound_20"));
  EXPECT_EQ(grploss.predict(data), boostma.predict(data));
}

TEST(ShareBoosting, StepsOfBoostMaSumToOneAndProbabilitiesStay) {
  const Dataset data = labelled_data({300, 3, 3, true, 0.2}, 2);
  const Model boostma = train(data, every_cut("boostma", 25));
  const Matrix scores = boostma.predict_scores(data);
  for (std::size_t i = 0; i < data.rows; ++i) {
    double sum = 0;
    for (std::size_t l = 0; l < 3; ++l) sum += static_cast<double>(scores.row(i)[l]);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  double steps = 0;
  for (const double step : column(boostma, "step")) steps += step;
  EXPECT_NEAR(ensemble_of(boostma).link_scale, steps, 1e-9 * steps);
}

TEST(ShareBoosting, DefaultShareIsTheSumOfSquares) {
  const Dataset data = labelled_data({300, 3, 3, false, 0.2}, 3);
  double c = 0;
  for (std::int32_t k = 0; k < 3; ++k) {
    const auto count = std::count(data.labels.codes.begin(), data.labels.codes.end(), k);
    c += std::pow(static_cast<double>(count) / 300, 2);
  }
  Parameters wanted = every_cut("boostma", 10);
  const std::vector<double> own = column(train(data, wanted), "step");
  wanted.uninformed_share = c;
  const std::vector<double> given = column(train(data, wanted), "step");
  ASSERT_EQ(own.size(), given.size());
  for (std::size_t t = 0; t < own.size(); ++t) EXPECT_NEAR(own[t], given[t], 1e-6);
}

TEST(ShareBoosting, StopsWhereNothingBeatsTheUninformedShare) {
  const Dataset data = labelled_data({100, 3, 2, false, 1}, 4);
  Parameters wanted = every_cut("boostma", 10);
  wanted.uninformed_share = 0.95;
  const Model model = train(data, wanted);
  EXPECT_EQ(model.rounds(), 0U);
  EXPECT_NE(model.log().stop_reason.find("no better than 0.95"), std::string::npos);
}

// Two classes: r = sum D h(x, c) and both steps are AdaBoost's of a hypothesis 2 h - 1 in [-1, 1].
TEST(ShareBoosting, TwoClassesHaveTheStepsOfBinaryAdaBoost) {
  const Dataset data = labelled_data({200, 2, 3, true, 0.2}, 5);
  const Model normalised = train(data, every_cut("grploss", 20));
  const Model general = train(data, every_cut("grploss-general", 20));
  const std::vector<double> r = column(normalised, "r");
  const std::vector<double> u = column(general, "U");
  ASSERT_EQ(r.size(), u.size());
  for (std::size_t t = 0; t < r.size(); ++t) {
    EXPECT_NEAR(2 * r[t] - 1, u[t], 1e-4);
    EXPECT_NEAR(column(normalised, "step")[t], std::log((1 + u[t]) / (1 - u[t])), 1e-3);
  }
  EXPECT_EQ(normalised.predict(data), general.predict(data));
}

}  // namespace
}  // namespace simplexboost
