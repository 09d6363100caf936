// One-vs-all: each class must fare as if it were alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boosting/algorithms/naive_binary.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "model/explain.h"
#include "model/model_access.h"
#include "optimizer/target/pulls.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::binary_weight;
using testing::column;
using testing::labelled_data;
using testing::multi_label_data;
using testing::NaiveBinaryBoosting;
using testing::StumpKind;

Parameters one_vs_all_parameters(const std::string& learner, int rounds) {
  return testing::every_cut("one-vs-all", learner, rounds);
}

// A label against the rest, as the naive twin wants it: the label is the first class.
Dataset one_against_rest(Dataset data, std::size_t label) {
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < data.rows; ++i)
    codes.push_back(label_holds(data.labels, i, label) ? 0 : 1);
  data.labels.codes = codes;
  data.labels.offsets.clear();
  data.labels.classes = {"it", "rest"};
  return data;
}

TEST(OneVsAll, EachClassIsTheBinaryAdaBoostOfItselfAgainstTheRest) {
  constexpr int kRounds = 15;
  for (const bool multi : {false, true}) {
    const testing::DataShape shape{250, 4, 3, false, 0.15};
    Dataset data = multi ? multi_label_data(shape, 1) : labelled_data(shape, 1);
    Random random(2);
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + random.uniform());
    const Matrix scores = train(data, one_vs_all_parameters("stump", kRounds)).predict_scores(data);
    for (std::size_t k = 0; k < 4; ++k) {
      NaiveBinaryBoosting twin(one_against_rest(data, k), binary_weight("exponential"),
                               StumpKind::kVote);
      for (int t = 0; t < kRounds; ++t) twin.round();
      for (std::size_t i = 0; i < data.rows; ++i)
        ASSERT_NEAR(static_cast<double>(scores.row(i)[k]), twin.scores()[i], 1e-3) << k << " " << i;
    }
  }
}

// One class is known from a feature of its own, the others are not.
Dataset with_an_easy_class(std::uint64_t seed) {
  Dataset data = labelled_data({300, 4, 3, false, 0.2}, seed);
  std::vector<double> easy;
  for (const std::int32_t code : data.labels.codes) easy.push_back(code == 2 ? 1 : 0);
  data.columns.push_back(Column::numeric("easy", easy));
  return data;
}

TEST(OneVsAll, LeavesAClassAloneThatHasEnded) {
  const Dataset data = with_an_easy_class(3);
  const Model model = train(data, one_vs_all_parameters("stump", 10));
  const Forest& forest = model.forest();
  ASSERT_EQ(model.rounds(), 10U);
  EXPECT_EQ(column(model, "classes")[0], 4);
  EXPECT_EQ(column(model, "classes")[1], 3);
  EXPECT_EQ(forest.trees_of(2), 7U);
  for (std::size_t t = forest.trees_of(1); t < forest.trees.size(); ++t)
    EXPECT_NE(forest.trees[t].output, 2U);
  EXPECT_NE(model.log().stop_reason.find(
                "class k2 ended after 1 rounds: the last weak hypothesis makes no error"),
            std::string::npos)
      << model.log().stop_reason;
}

TEST(OneVsAll, EndsWithTheLastClass) {
  Dataset data = labelled_data({90, 3, 2, false, 0}, 4);
  for (const std::int32_t k : {0, 1, 2}) {
    std::vector<double> is;
    for (const std::int32_t code : data.labels.codes) is.push_back(code == k ? 1 : 0);
    data.columns.push_back(Column::numeric("is" + std::to_string(k), is));
  }
  const Model model = train(data, one_vs_all_parameters("stump", 10));
  EXPECT_EQ(model.rounds(), 1U);
  EXPECT_NE(model.log().stop_reason.find("every class has ended"), std::string::npos);
  EXPECT_EQ(model.predict(data), data.labels.codes);
}

// Votes, log-odds, numbers and lines: the sum of the weights of each class falls by Z.
TEST(OneVsAll, EveryLearnerLowersTheRisk) {
  for (const testing::DataShape& shape :
       {testing::DataShape{400, 4, 3, true, 0.1}, testing::DataShape{400, 2, 3, true, 0.1}}) {
    const Dataset data = labelled_data(shape, 5);
    for (const auto& [learner, leaf_values] :
         std::vector<std::pair<std::string, std::string>>{{"stump", "auto"},
                                                          {"tree", "auto"},
                                                          {"hamming-product", "auto"},
                                                          {"stump", "confidence"},
                                                          {"tree", "confidence"},
                                                          {"tree", "scalar"},
                                                          {"linear", "scalar"}}) {
      SCOPED_TRACE(learner + " " + leaf_values);
      Parameters wanted = one_vs_all_parameters(learner, 20);
      wanted.leaf_values = leaf_values;
      const Model model = train(data, wanted);
      const std::vector<double> log_risk = column(model, "log_risk");
      EXPECT_NEAR(log_risk[0], 0, 1e-6);
      for (std::size_t t = 0; t + 1 < log_risk.size(); ++t)
        EXPECT_LE(log_risk[t + 1], log_risk[t] + 1e-6);
      EXPECT_LT(log_risk.back(), log_risk.front());
      for (const double z : column(model, "z")) EXPECT_LT(z, 1);
    }
  }
}

// The round, not the tree, is what early stopping, staged prediction and importance count.
TEST(OneVsAll, StagesAreRoundsOfSeveralTrees) {
  const Dataset data = with_an_easy_class(6);
  const Model whole = train(data, one_vs_all_parameters("stump", 8));
  const std::vector<std::size_t> rounds{1, 3, 8};
  whole.predict_staged(data, rounds, [&](std::size_t count, const Matrix& scores) {
    const Model part = train(data, one_vs_all_parameters("stump", static_cast<int>(count)));
    EXPECT_EQ(part.predict_scores(data).values, scores.values) << count;
    PredictOptions options;
    options.rounds = count;
    EXPECT_EQ(whole.predict_scores(data, options).values, scores.values) << count;
  });
  const std::vector<FeatureImportance> importance = feature_importance(ensemble_of(whole));
  std::size_t splits = 0;
  for (const FeatureImportance& feature : importance) splits += feature.splits;
  EXPECT_EQ(splits, whole.forest().nodes.size());
}

TEST(OneVsAll, TakesSeveralLabelsARow) {
  const Dataset data = multi_label_data({600, 4, 3, true, 0.02}, 7);
  const Dataset other = multi_label_data({600, 4, 3, true, 0.02}, 8);
  const Labels predicted = train(data, one_vs_all_parameters("tree", 60)).predict_labels(other);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < other.rows; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      wrong += label_holds(predicted, i, k) != label_holds(other.labels, i, k) ? 1U : 0U;
  EXPECT_LT(static_cast<double>(wrong) / static_cast<double>(4 * other.rows), 0.12);
}

// ---- output codes: the columns are problems of their own ----

TEST(AllPairs, EachPairIsTheBinaryAdaBoostOfItsRows) {
  const Dataset data = labelled_data({250, 4, 3, true, 0.2}, 8);
  const Model all = train(data, testing::every_cut("all-pairs", "stump", 12));
  ASSERT_EQ(all.forest().outputs, 6U);
  const Matrix outputs = all.predict_outputs(data);
  std::size_t column = 0;
  for (std::int32_t a = 0; a < 4; ++a)
    for (std::int32_t b = a + 1; b < 4; ++b, ++column) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t i = 0; i < data.rows; ++i)
        if (data.labels.codes[i] == a || data.labels.codes[i] == b) rows.push_back(i);
      Dataset two = select_rows(data, rows);
      for (std::int32_t& code : two.labels.codes) code = code == a ? 0 : 1;
      two.labels.classes = {"a", "b"};
      const Matrix scores =
          train(two, testing::every_cut("one-vs-all", "stump", 12)).predict_scores(two);
      for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_NEAR(outputs.row(rows[i])[column], scores.row(i)[0], 1e-4) << a << b << " " << i;
    }
}

TEST(AllPairs, VotesOfThePairsAddUpAndTellProbabilities) {
  const Dataset data = labelled_data({300, 3, 3, false, 0.1}, 9);
  const Model model = train(data, testing::every_cut("all-pairs", "stump", 30));
  const Matrix outputs = model.predict_outputs(data);
  const Matrix scores = model.predict_scores(data);
  const Matrix proba = model.predict_proba(data);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float* const f = outputs.row(i);  // 0 against 1, 0 against 2, 1 against 2
    EXPECT_NEAR(scores.row(i)[0], (f[0] + f[1]) / 2, 1e-4);
    EXPECT_NEAR(scores.row(i)[1], (f[2] - f[0]) / 2, 1e-4);
    EXPECT_NEAR(std::log(proba.row(i)[0] / proba.row(i)[1]),
                4.0F / 3 * (scores.row(i)[0] - scores.row(i)[1]), 1e-2);
  }
}

TEST(Ecoc, LearnsWithAnyLearnerAndSaysThatItTellsNoProbabilities) {
  const Dataset data = labelled_data({400, 6, 2, false, 0}, 10);
  for (const char* values : {"vote", "confidence", "scalar"}) {
    Parameters wanted = testing::every_cut("ecoc", "tree", 15);
    wanted.leaf_values = values;
    wanted.depth = 4;
    const Model model = train(data, wanted);
    EXPECT_GT(model.forest().outputs, 5U);
    const std::vector<std::int32_t> found = model.predict(data);
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.rows; ++i) right += found[i] == data.labels.codes[i] ? 1U : 0U;
    EXPECT_GT(right, 340U) << values;
    EXPECT_FALSE(model.has_proba());
    EXPECT_THROW(model.predict_proba(data), ModelError);
  }
}

}  // namespace
}  // namespace simplexboost
