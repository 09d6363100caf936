#include "model/predict/prediction_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "certainty/set_scores.h"

namespace simplexboost {
namespace {

TEST(SetThreshold, IsTheScoreThatSplitConformalPredictionTakes) {
  std::vector<double> scores;
  for (int i = 1; i <= 99; ++i) scores.push_back(i);
  const SetTable table = make_set_table(scores, {}, 4096);
  // ceil((99 + 1) 0.9) = 90.
  EXPECT_NEAR(set_threshold(table, 0.9), 90, 1e-4);
  EXPECT_NEAR(set_threshold(table, 0.99), 99, 1e-4);
  EXPECT_EQ(set_threshold(table, 0.995), std::numeric_limits<double>::infinity());
}

TEST(SetThreshold, OfFewEntriesIsNeverBelowThatOfAll) {
  Random random(3);
  std::vector<double> scores(10'000);
  for (double& score : scores) score = random.uniform();
  const SetTable all = make_set_table(scores, {}, scores.size());
  const SetTable some = make_set_table(scores, {}, 100);
  EXPECT_LE(some.score.size(), 100U);
  for (const double coverage : {0.1, 0.5, 0.777, 0.9, 0.95}) {
    EXPECT_GE(set_threshold(some, coverage), set_threshold(all, coverage));
    EXPECT_NEAR(set_threshold(some, coverage), coverage, 0.03);
  }
}

TEST(SetThreshold, CountsRowsByTheirWeight) {
  const SetTable doubled = make_set_table({1, 2, 2, 3}, {}, 100);
  const SetTable weighted = make_set_table({1, 2, 3}, {1, 2, 1}, 100);
  EXPECT_EQ(set_threshold(doubled, 0.5), set_threshold(weighted, 0.5));
  EXPECT_LT(weighted.rows, doubled.rows);
}

TEST(RankedClasses, FollowTheDefinition) {
  const std::vector<float> p{0.2F, 0.5F, 0.3F};
  RankedClasses ranked;
  ranked.rank(p, 0.25, 1);
  const double draw = row_draw(p);
  EXPECT_EQ(ranked.classes, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_NEAR(ranked.scores[0], draw * 0.5, 1e-6);
  EXPECT_NEAR(ranked.scores[1], 0.5 + draw * 0.3 + 0.25, 1e-6);
  EXPECT_NEAR(ranked.scores[2], 0.8 + draw * 0.2 + 0.5, 1e-6);
}

TEST(RowDraw, IsEvenAndTheSameForTheSameRow) {
  Random random(1);
  std::vector<int> counts(10);
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<float> p{static_cast<float>(random.uniform()),
                               static_cast<float>(random.uniform())};
    ++counts[static_cast<std::size_t>(row_draw(p) * 10)];
    ASSERT_EQ(row_draw(p), row_draw(p));
  }
  for (const int count : counts) EXPECT_NEAR(count, 2000, 200);
}

// Rows whose probabilities are told far too surely.
struct Drawn {
  Labels labels;
  Matrix proba;
};

Drawn draw_rows(std::size_t rows, std::size_t classes, std::uint64_t seed) {
  Random random(seed);
  Drawn drawn;
  drawn.labels.classes.resize(classes);
  drawn.proba = {rows, classes, std::vector<float>(rows * classes)};
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> truth(classes);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += truth[k] = std::exp(2 * random.normal());
    double at = random.uniform() * sum;
    std::size_t label = 0;
    while (label + 1 < classes && at >= truth[label]) at -= truth[label++];
    drawn.labels.codes.push_back(static_cast<std::int32_t>(label));
    double told = 0;
    for (double& p : truth) told += p = std::pow(p, 2.5);
    for (std::size_t k = 0; k < classes; ++k)
      drawn.proba.row(i)[k] = static_cast<float>(truth[k] / told);
  }
  return drawn;
}

double share_held(const SetScores& sets, const Drawn& rows, double coverage, std::int32_t label) {
  double held = 0;
  double all = 0;
  RankedClasses ranked;
  for (std::size_t i = 0; i < rows.proba.rows; ++i) {
    const std::int32_t truth = rows.labels.codes[i];
    if (label >= 0 && truth != label) continue;
    ranked.rank({rows.proba.row(i), rows.proba.columns}, sets.penalty, sets.free_ranks);
    const SetTable& table = label < 0 ? sets.all : sets.classes[static_cast<std::size_t>(truth)];
    const auto at =
        std::find(ranked.classes.begin(), ranked.classes.end(), static_cast<std::uint32_t>(truth)) -
        ranked.classes.begin();
    held += ranked.scores[static_cast<std::size_t>(at)] <= set_threshold(table, coverage) ? 1 : 0;
    all += 1;
  }
  return held / all;
}

TEST(SetScores, HoldTheTrueClassAsOftenAsTheyPromise) {
  const Drawn known = draw_rows(5000, 6, 1);
  const Drawn fresh = draw_rows(20'000, 6, 2);
  const SetScores sets = set_scores_from("test", {known.labels, {}, known.proba}, 2);
  for (const double coverage : {0.5, 0.8, 0.9, 0.95})
    EXPECT_NEAR(share_held(sets, fresh, coverage, -1), coverage, 0.025);
  for (std::int32_t k = 0; k < 6; ++k) EXPECT_NEAR(share_held(sets, fresh, 0.9, k), 0.9, 0.035);
}

TEST(SetScores, DoNotDependOnThreads) {
  const Drawn rows = draw_rows(3000, 5, 7);
  const JudgedRows judged{rows.labels, {}, rows.proba};
  EXPECT_EQ(set_scores_from("test", judged, 1), set_scores_from("test", judged, 3));
}

TEST(SetScores, LeaveOutRowsThatAreNotKnown) {
  Drawn rows = draw_rows(50, 3, 4);
  rows.labels.codes.assign(50, -1);
  EXPECT_TRUE(set_scores_from("test", {rows.labels, {}, rows.proba}, 1).empty());
}

}  // namespace
}  // namespace simplexboost
