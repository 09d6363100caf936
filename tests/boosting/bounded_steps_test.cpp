// No setting of newton makes its training loss rise: it ends below that of the classes' shares.
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
      << "l2 " << parameters.l2 << ", rate " << parameters.learning_rate << ", leaves "
      << parameters.leaves << ", sketch " << parameters.sketch << ", rounds " << parameters.rounds;
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

TEST(BoundedSteps, OtherCodewordsLossesAndLinesDoNotDivergeEither) {
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
