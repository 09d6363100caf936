#include "quality/label_noise.h"

#include <gtest/gtest.h>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/quality.h"

namespace simplexboost {
namespace {

using testing::labelled_data;

// What one who knows the truth well says of it, where `wrong` of the labels are guesses.
struct Said {
  Matrix proba;
  Labels labels;
  std::vector<bool> guessed;
};

Said said(double wrong, std::size_t rows) {
  constexpr std::size_t kClasses = 5;
  Random random(3);
  Said result{{rows, kClasses, {}}, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t truth = random.below(kClasses);
    const bool sure = random.uniform() < 0.9;
    // Of the rows that it is not sure of, every second one is of the class after.
    const std::size_t drawn = !sure && random.below(2) == 0 ? (truth + 1) % kClasses : truth;
    for (std::size_t k = 0; k < kClasses; ++k) {
      const bool maybe = k == truth || (!sure && k == (truth + 1) % kClasses);
      result.proba.values.push_back(maybe ? (sure ? 0.96F : 0.485F) : 0.01F);
    }
    result.guessed.push_back(random.uniform() < wrong);
    result.labels.codes.push_back(
        static_cast<std::int32_t>(result.guessed.back() ? random.below(kClasses) : drawn));
  }
  result.labels.classes.resize(kClasses);
  return result;
}

TEST(WrongLabels, FindsTheShareAndTheRowsOfWrongLabels) {
  const Said rows = said(0.25, 2000);
  const auto trust = judge_labels(rows.proba, rows.labels, {}, 1);
  ASSERT_TRUE(trust.has_value());
  EXPECT_NEAR(trust->wrong, 0.25, 0.04);
  double right = 0;
  double wrong = 0;
  double guesses = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double one = trust->of_rows[i];
    ASSERT_GT(one, 0);
    ASSERT_LE(one, 1);
    (rows.guessed[i] ? wrong : right) += one;
    guesses += rows.guessed[i] ? 1 : 0;
  }
  EXPECT_GT(right / (2000 - guesses), 0.9);
  EXPECT_LT(wrong / guesses, 0.4);  // a guess in five is right
}

TEST(WrongLabels, TrustsLabelsThatComeAsOftenAsSaid) {
  const Said rows = said(0, 2000);
  EXPECT_FALSE(judge_labels(rows.proba, rows.labels, {}, 1).has_value());
}

// Few of its errors are guesses: it is the model that knows little.
TEST(WrongLabels, AreNotBlamedForWhatAModelDoesNotKnow) {
  constexpr std::size_t kClasses = 40;
  constexpr std::size_t kCandidates = 10;
  constexpr std::size_t kRows = 3000;
  Random random(5);
  Matrix proba{kRows, kClasses, {}};
  Labels labels;
  labels.classes.resize(kClasses);
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t candidates = random.uniform() < 0.2 ? 1 : kCandidates;
    const std::size_t first = random.below(kClasses);
    for (std::size_t k = 0; k < kClasses; ++k) {
      const bool may = (k + kClasses - first) % kClasses < candidates;
      // Those that may be are not quite alike, so that one of them is the likeliest.
      const float share = 1 / static_cast<float>(candidates);
      proba.values.push_back((may ? share : 1e-4F) * (k == first ? 1.01F : 1.0F));
    }
    const bool guess = random.uniform() < 0.1;
    const std::size_t label =
        guess ? random.below(kClasses) : (first + random.below(candidates)) % kClasses;
    labels.codes.push_back(static_cast<std::int32_t>(label));
  }
  const LabelTrust trust = fit_trust(proba, labels, {}, 1);
  EXPECT_NEAR(trust.wrong, 0.1, 0.04);
  EXPECT_GT(trust.gain, 10);
  EXPECT_FALSE(judge_labels(proba, labels, {}, 1).has_value());
}

TEST(WrongLabels, WeightsCountAsRowsDo) {
  Said rows = said(0.25, 2000);
  std::vector<double> weights;
  for (const bool guessed : rows.guessed) weights.push_back(guessed ? 0 : 1);
  EXPECT_FALSE(judge_labels(rows.proba, rows.labels, weights, 1).has_value());
}

TEST(WrongLabels, DoubtingTrainingsMakeFewerErrorsAndSayHowManyLabelsAreWrong) {
  const Dataset data = labelled_data({1500, 12, 4, false, 0.3}, 1);
  const Dataset test = labelled_data({4000, 12, 4, false, 0}, 2);
  Parameters parameters;
  QualityOptions options;
  options.quality = Quality::kDefault;
  const Model model = train_quality(data, parameters, options).model;
  const std::vector<Member>& members = ensemble_of(model).members;
  ASSERT_GE(members.size(), 2U) << testing::error_of(model, test);
  EXPECT_EQ(members.back().name, "a guess");
  EXPECT_NEAR(members.back().weight, 0.3, 0.1);
  parameters.algorithm = "newton";  // an algorithm that is named is all that there is
  const Model plain = train_quality(data, parameters, options).model;
  EXPECT_TRUE(ensemble_of(plain).members.empty());
  EXPECT_LT(testing::error_of(model, test), 0.95 * testing::error_of(plain, test));
  parameters = {};
  parameters.threads = 3;
  EXPECT_EQ(serialize(ensemble_of(train_quality(data, parameters, options).model)),
            serialize(ensemble_of(model)));
}

}  // namespace
}  // namespace simplexboost
