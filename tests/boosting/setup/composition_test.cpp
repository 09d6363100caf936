#include "boosting/setup/composition.h"

#include <gtest/gtest.h>

#include "base/fake_cluster.h"
#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::labelled_data;
using testing::message_of;
using testing::multi_label_data;

Parameters of(const std::string& algorithm) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  return parameters;
}

std::string refusal(const Dataset& data, const Parameters& parameters,
                    const TrainOptions& options = {}) {
  return message_of<Error>([&] { compose(data, parameters, options); });
}

// A learner and an objective that are never asked.
MakeLearner some_learner() {
  return [](const LearnerContext&) -> std::unique_ptr<CustomLearner> { return nullptr; };
}
class SomeObjective : public Objective {
 public:
  explicit SomeObjective(bool losses) : losses_(losses) {}
  std::string name() const override { return "some"; }
  bool has_losses() const override { return losses_; }
  void losses(const ObjectiveRows& /*rows*/, double* /*out*/) const override {}
  void pulls(const ObjectiveRows& /*rows*/, float* /*pulls*/, float* /*curvature*/) const override {
  }

 private:
  bool losses_;
};

TEST(Composition, LeavesNothingToChoose) {
  const Dataset data = labelled_data({}, 1);
  for (const AlgorithmRow& row : algorithm_table()) {
    SCOPED_TRACE(std::string(row.name));
    const Composition chosen = compose(data, of(std::string(row.name)), {});
    const Parameters& p = chosen.parameters;
    EXPECT_EQ(p.algorithm, row.name);
    EXPECT_EQ(p.learner, row.learner);
    for (const std::string* text : {&p.learner, &p.early_stopping_metric, &p.leaf_precision})
      EXPECT_NE(*text, "auto");
    EXPECT_GT(p.learning_rate, 0);
    EXPECT_GE(p.early_stopping, 0);
    EXPECT_GT(p.max_bins, 1);
    EXPECT_EQ(chosen.codebook() != nullptr, row.composed || row.output_code);
    EXPECT_EQ(chosen.loss != nullptr, row.composed);
    EXPECT_EQ(chosen.outputs(), row.codewords == "simplex" ? 2U : 3U);
    EXPECT_FALSE(chosen.own_learner);
  }
}

TEST(Composition, ChoosesByTheData) {
  const Dataset one = labelled_data({}, 1);
  const Dataset several = multi_label_data({}, 1);
  EXPECT_EQ(compose(one, of("auto"), {}).algorithm.name, "newton");
  EXPECT_EQ(compose(several, of("auto"), {}).algorithm.name, "adaboost-mh");
  EXPECT_NE(refusal(several, of("newton")).find("takes one label a row; use adaboost-mh"),
            std::string::npos);
  const Dataset wide = labelled_data({200, 64, 2}, 1);
  EXPECT_EQ(compose(wide, of("newton"), {}).parameters.leaf_precision, "bfloat16");
  EXPECT_EQ(compose(one, of("newton"), {}).parameters.leaf_precision, "float32");
  Parameters half = of("gd-mcboost");
  half.leaf_precision = "bfloat16";
  EXPECT_EQ(refusal(one, half), "leaf-precision: bfloat16 is for newton's own trees; leave it out");
}

TEST(Composition, NewtonAloneIsStoppedEarlyUnasked) {
  const Dataset data = labelled_data({}, 1);
  TrainOptions watched;
  watched.valid = &data;
  EXPECT_EQ(compose(data, of("newton"), {}).parameters.early_stopping, 0);
  EXPECT_EQ(compose(data, of("newton"), watched).parameters.early_stopping, 50);
  EXPECT_EQ(compose(data, of("samme"), watched).parameters.early_stopping, 0);
  Parameters asked = of("samme");
  asked.early_stopping = 7;
  EXPECT_EQ(compose(data, asked, watched).parameters.early_stopping, 7);
}

TEST(Composition, CodewordsOfOnesOwnMustTellClassesApart) {
  const Dataset data = labelled_data({}, 1);
  TrainOptions options;
  options.codewords = {1, 0, 0, 1, -1, -1};
  const Composition chosen = compose(data, of("gd-mcboost"), options);
  EXPECT_EQ(chosen.parameters.codewords, "custom");
  EXPECT_EQ(chosen.outputs(), 2U);
  options.codewords = {1, 0, 0, 1, 1, 0};
  EXPECT_EQ(refusal(data, of("gd-mcboost"), options), "codewords: two classes have the same");
  options.codewords = {1, 0, 0, 1};
  EXPECT_EQ(refusal(data, of("gd-mcboost"), options),
            "codewords: 4 numbers are no lines for 3 classes");
  options.codewords = {1, 0, 0, 1, INFINITY, -1};
  EXPECT_EQ(refusal(data, of("gd-mcboost"), options),
            "codewords: a number of the matrix is not finite");
  options.codewords = {1, 0, 0, 1, -1, -1};
  EXPECT_EQ(refusal(data, of("samme"), options), "codewords: samme has its own");
  Parameters named = of("gd-mcboost");
  named.codewords = "simplex";
  EXPECT_EQ(refusal(data, named, options), "codewords: it must be 'auto' where a matrix is given");
}

TEST(Composition, PartsOfOnesOwnStandInForNoneThatIsNamed) {
  const Dataset data = labelled_data({}, 1);
  TrainOptions learner;
  learner.make_learner = some_learner();
  EXPECT_TRUE(compose(data, of("gd-mcboost"), learner).own_learner);
  Parameters named = of("gd-mcboost");
  named.learner = "tree";
  EXPECT_EQ(refusal(data, named, learner),
            "learner: it must be 'auto' where make_learner is given");
  EXPECT_EQ(refusal(data, of("cd-mcboost"), learner),
            "cd-mcboost takes no learner of one's own; use gd-mcboost");
  TrainOptions loss;
  loss.objective = std::make_shared<SomeObjective>(true);
  EXPECT_EQ(compose(data, of("newton"), loss).parameters.early_stopping_metric, "risk");
  loss.objective = std::make_shared<SomeObjective>(false);
  EXPECT_EQ(compose(data, of("newton"), loss).parameters.early_stopping_metric, "error");
  EXPECT_NE(refusal(data, of("samme"), loss).find("loss: samme has its own"), std::string::npos);
  named = of("newton");
  named.loss = "logistic";
  EXPECT_EQ(refusal(data, named, loss),
            "loss: it must be 'auto' where a loss of one's own is given");
}

TEST(Composition, CostsAreKeptInWords) {
  const Dataset data = labelled_data({}, 1);
  Parameters costs = of("newton");
  costs.costs = "0,1,2;1,0,1;5,1,0";
  const Composition chosen = compose(data, costs, {});
  EXPECT_EQ(chosen.problem.costs, (std::vector<float>{0, 1, 2, 1, 0, 1, 5, 1, 0}));
  EXPECT_EQ(chosen.parameters.costs, costs.costs);
  costs.algorithm = "adaboost-mh";
  EXPECT_NE(refusal(data, costs).find("costs: adaboost-mh has no place for them"),
            std::string::npos);
}

TEST(Composition, WhatSeesAllRowsAtOnceIsRefusedWhereTheyAreParted) {
  FakeCluster(2).run([](Communicator& ranks) {
    const Dataset data = labelled_data({RowSpace::kShareRows}, 1);
    EXPECT_EQ(message_of<ParameterError>([&] { compose(data, of("dmcboost"), {}, ranks); }),
              "algorithm: dmcboost sorts all rows in one process, and the rows of this training "
              "are parted among several; use another one");
    EXPECT_EQ(compose(data, of("newton"), {}, ranks).problem.space.all(), 2 * RowSpace::kShareRows);
  });
}

TEST(Composition, RefusesWeightsThatAreAllZero) {
  Dataset data = labelled_data({}, 1);
  data.weights.assign(data.rows, 0);
  EXPECT_NE(refusal(data, of("newton")).find("all weights are zero"), std::string::npos);
  data.weights[7] = 1;
  EXPECT_EQ(refusal(data, of("newton")), "");
}

}  // namespace
}  // namespace simplexboost
