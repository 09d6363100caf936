#include "boosting/setup/custom_learner.h"

#include <gtest/gtest.h>

#include "base/message_of.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::message_of;

// Two numbers and a category; the class is the category.
Dataset small_data() {
  Dataset data;
  data.rows = 6;
  data.columns = {Column::numeric("a", {0, 1, 2, 3, 4, 5}),
                  Column::categorical("b", {0, 1, 0, 1, 0, 1}, {"x", "y"})};
  data.labels.classes = {"p", "q"};
  data.labels.codes = {0, 1, 0, 1, 0, 1};
  return data;
}

// Returns what it was made with, whatever the target.
class Fixed : public CustomLearner {
 public:
  explicit Fixed(Forest forest) : forest_(std::move(forest)) {}
  Forest fit(const FitTarget&, const Sample&) override { return forest_; }

 private:
  Forest forest_;
};

TrainOptions options_with(const Forest& forest) {
  TrainOptions options;
  options.make_learner = [forest](const LearnerContext&) {
    return std::make_unique<Fixed>(forest);
  };
  return options;
}

// A stump on the category that gives `left` or `right`.
Forest stump(std::vector<float> left, const std::vector<float>& right) {
  Forest forest;
  Node node;
  node.feature = 1;
  node.categorical = true;
  node.set_size = 1;
  node.left = ~0;
  node.right = ~1;
  forest.set_words = {1};
  const std::size_t width = left.size();
  left.insert(left.end(), right.begin(), right.end());
  append_tree(forest, {&node, 1}, left, 0, width);
  return forest;
}

std::string train_error(const Forest& forest, const char* algorithm) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  return message_of<ModelError>([&] { train(small_data(), parameters, options_with(forest)); });
}

TEST(CustomLearner, ItsHypothesesAreTheModel) {
  const Dataset data = small_data();
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.rounds = 3;
  const Dataset valid = data;
  TrainOptions options = options_with(stump({1, -1}, {-1, 1}));
  options.valid = &valid;
  const Model model = train(data, parameters, options);
  EXPECT_EQ(model.predict(data), data.labels.codes);
  EXPECT_EQ(model.parameters().at("learner"), "custom");
  EXPECT_EQ(model.rounds(), 1U) << "a perfect hypothesis ends the training";
}

TEST(CustomLearner, ServesClassifierBoosters) {
  Forest weak = stump({1, 0}, {1, 0});
  EXPECT_EQ(train_error(weak, "samme"), "");
}

TEST(CustomLearner, ServesGradientAndNewtonBoosting) {
  const Forest vectors = stump({1, -1}, {-1, 1});
  EXPECT_EQ(train_error(vectors, "newton"), "");
  Parameters parameters;
  parameters.algorithm = "gd-mcboost";
  parameters.codewords = "canonical";
  parameters.rounds = 2;
  const Dataset data = small_data();
  EXPECT_EQ(train(data, parameters, options_with(vectors)).predict(data), data.labels.codes);
}

TEST(CustomLearner, ValuesMustFitTheAlgorithm) {
  EXPECT_NE(train_error(stump({1, 1}, {0, 1}), "samme").find("1 for one class"), std::string::npos);
  EXPECT_NE(train_error(stump({1, 0}, {-1, 1}), "adaboost-mh").find("-1 or +1"), std::string::npos);
}

TEST(CustomLearner, UnsoundForestsAreRefused) {
  Forest wrong_feature = stump({1, -1}, {-1, 1});
  wrong_feature.nodes[0].feature = 7;
  EXPECT_NE(train_error(wrong_feature, "adaboost-mh").find("feature 7"), std::string::npos);
  EXPECT_NE(train_error(stump({1, -1, 1}, {1, 1, 1}), "adaboost-mh"), "") << "three outputs";
}

TEST(CustomLearner, NameAndFactoryExcludeEachOther) {
  Parameters parameters;
  parameters.learner = "hamming-stump";
  EXPECT_THROW(train(small_data(), parameters, options_with({})), ParameterError);
}

TEST(CustomLearner, FactoryMustMakeSomething) {
  TrainOptions options;
  options.make_learner = [](const LearnerContext&) { return nullptr; };
  EXPECT_THROW(train(small_data(), {}, options), ParameterError);
}

TEST(CustomLearner, SeveralTreesAndLinearPartsAddUp) {
  Forest other = stump({1, -1}, {-1, 1});
  append_linear(other, std::vector<LinearFeature>{{0, 0, 4, 2, 0}}, std::vector<float>{1, 2},
                std::vector<float>{8, 4}, 0);
  Forest forest;
  append_forest(forest, other, 0.5);
  append_forest(forest, other, 2);
  Ensemble ensemble;
  ensemble.schema = small_data().schema();
  forest.outputs = 2;
  forest.round_end = {2, 4};
  ensemble.forest = forest;
  ensemble.bias = {0, 0};
  const Model model = make_model(ensemble);
  const Matrix scores = model.predict_scores(small_data(), {1, 0});
  // Row 3: category y, position (3 - 2) / 4.
  EXPECT_FLOAT_EQ(scores.row(3)[0], 2.5F * (-1 + 1 + 2));
  EXPECT_FLOAT_EQ(scores.row(3)[1], 2.5F * (1 + 2 + 1));
  EXPECT_FLOAT_EQ(model.predict_scores(small_data(), {1, 1}).row(3)[0], 0.5F * 2);
}

}  // namespace
}  // namespace simplexboost
