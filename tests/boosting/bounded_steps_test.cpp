// No setting makes the training loss end above that of the classes' shares.
#include <gtest/gtest.h>

#include <cmath>

#include "boosting/labelled_data.h"
#include "boosting/many_classes.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::many_classes;

double weight_of(const Dataset& data, std::size_t row) {
  return data.weights.empty() ? 1 : data.weights[row];
}

// Mean log loss of what the classes' shares say.
double loss_of_shares(const Dataset& data) {
  std::vector<double> sums(data.labels.classes.size());
  double all = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    sums[static_cast<std::size_t>(data.labels.codes[i])] += weight_of(data, i);
    all += weight_of(data, i);
  }
  double loss = 0;
  for (const double sum : sums) loss -= sum > 0 ? sum / all * std::log(sum / all) : 0;
  return loss;
}

double training_loss(const Model& model, const Dataset& data) {
  const Matrix proba = model.predict_proba(data);
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float p = proba.row(i)[data.labels.codes[i]];
    sum -= weight_of(data, i) * std::log(std::max(static_cast<double>(p), 1e-30));
    all += weight_of(data, i);
  }
  return sum / all;
}

void expect_no_rise(const Dataset& data, const Parameters& parameters) {
  const Model model = train(data, parameters);
  EXPECT_LT(training_loss(model, data), loss_of_shares(data) + 1e-3)
      << parameters.algorithm << ", l2 " << parameters.l2 << ", rate " << parameters.learning_rate
      << ", leaves " << parameters.leaves << ", sketch " << parameters.sketch << ", rounds "
      << parameters.rounds;
}

Dataset weighted_to_extremes(Dataset data) {
  Random random(9);
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(random.below(3) == 0 ? 1e6 : 1);
  return data;
}

TEST(BoundedSteps, HarshSettingsEndBelowTheSharesOfTheClasses) {
  for (const std::size_t classes : {2U, 3U, 30U}) {
    const Dataset plain = labelled_data({150, classes, 4, true, 0.5}, classes);
    for (const Dataset& data : {plain, weighted_to_extremes(plain)})
      for (const double l2 : {0.0, 0.01, 1.0})
        for (const double rate : {0.1, 1.0, 10.0})
          for (const int leaves : {4, 1000})
            for (const int sketch : {0, 1})
              for (const int rounds : {1, 20}) {
                Parameters parameters;
                parameters.algorithm = "newton";
                parameters.l2 = l2;
                parameters.learning_rate = rate;
                parameters.leaves = leaves;
                parameters.sketch = sketch;
                parameters.rounds = rounds;
                expect_no_rise(data, parameters);
              }
  }
}

TEST(BoundedSteps, VeryManyClassesDoNotDiverge) {
  const Dataset data = many_classes(4000, 3000);
  for (const double l2 : {0.0, 0.1}) {
    Parameters parameters;
    parameters.algorithm = "newton";
    parameters.l2 = l2;
    parameters.learning_rate = 1;
    parameters.leaves = 4000;
    parameters.rounds = 3;
    expect_no_rise(data, parameters);
  }
}

TEST(BoundedSteps, VeryManyClassesOfUnlikeWeightsDoNotDiverge) {
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.l2 = 0;
  parameters.learning_rate = 1;
  parameters.leaves = 4000;
  parameters.rounds = 3;
  expect_no_rise(weighted_to_extremes(many_classes(4000, 3000)), parameters);
}

// Their own loss, which is not that of their probabilities. Classes are nearly as frequent as each
// other, so it begins at what their shares say.
TEST(BoundedSteps, LossesOfOtherKindsNeverRise) {
  const Dataset plain = labelled_data({200, 6, 4, true, 0.5}, 7);
  for (const Dataset& data : {plain, weighted_to_extremes(plain)})
    for (const char* algorithm : {"newton", "gd-mcboost"})
      for (const char* loss : {"logistic", "exponential", "savage", "tangent"})
        for (const char* codewords : {"canonical", "simplex", "random"}) {
          SCOPED_TRACE(std::string(algorithm) + " " + loss + " " + codewords);
          Parameters parameters;
          parameters.algorithm = algorithm;
          parameters.loss = loss;
          parameters.codewords = codewords;
          parameters.l2 = 0;
          parameters.learning_rate = 1;
          parameters.min_rows = 1;
          parameters.rounds = 20;
          parameters.early_stopping = 0;
          parameters.early_stopping_metric = "risk";
          TrainOptions options;
          options.valid = &data;
          const Model model = train(data, parameters, options);
          const std::vector<double> risk = model.log().column("valid_risk");
          ASSERT_GT(risk.size(), 3U);
          for (std::size_t t = 1; t < risk.size(); ++t)
            EXPECT_LE(risk[t], risk[t - 1] * (1 + 1e-6));
          EXPECT_LT(risk.back(), 0.99 * risk.front());
        }
}

// One tree moves one class and, with a base, that one too: all of a round's trees together. They
// begin with classes of equal scores, and need some rounds to get below the shares.
TEST(BoundedSteps, TreesOfManyClassesDoNotDivergeTogether) {
  for (const std::size_t classes : {3U, 8U, 60U}) {
    const Dataset plain = labelled_data({300, classes, 4, true, 0.5}, classes);
    for (const Dataset& data : {plain, weighted_to_extremes(plain)})
      for (const std::string algorithm : {"logitboost", "robust-logitboost", "mart",
                                          "abc-logitboost", "abc-mart", "aoso-logitboost"})
        for (const double rate : {0.1, 1.0})
          for (const int rounds : {1, 12}) {
            Parameters parameters;
            parameters.algorithm = algorithm;
            parameters.l2 = 0;
            parameters.learning_rate = rate;
            parameters.min_rows = 1;
            parameters.rounds = rounds;
            parameters.threads = 1;
            const double start = std::log(static_cast<double>(classes));
            EXPECT_LT(training_loss(train(data, parameters), data), start + 1e-6)
                << algorithm << ", rate " << rate << ", rounds " << rounds;
            // One tree a round, each leaf of which moves two of the classes.
            const bool slow = algorithm == "aoso-logitboost" && classes > 8;
            if (rounds == 12 && rate == 1 && !slow) expect_no_rise(data, parameters);
          }
  }
}

TEST(BoundedSteps, OtherCodewordsAndLinesDoNotDivergeEither) {
  const Dataset data = labelled_data({200, 6, 4, true, 0.5}, 7);
  for (const char* codewords : {"canonical", "simplex", "random"})
    for (const char* learner : {"tree", "linear"}) {
      Parameters parameters;
      parameters.algorithm = "newton";
      parameters.codewords = codewords;
      parameters.learner = learner;
      parameters.l2 = 0;
      parameters.learning_rate = 1;
      parameters.rounds = 20;
      expect_no_rise(data, parameters);
    }
}

}  // namespace
}  // namespace simplexboost
