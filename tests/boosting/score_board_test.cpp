#include "boosting/score_board.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/fake_cluster.h"
#include "base/random.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::uneven_shares;

Labels labels_of(std::size_t classes, std::vector<std::int32_t> codes) {
  Labels labels;
  for (std::size_t k = 0; k < classes; ++k) labels.classes.push_back("k" + std::to_string(k));
  labels.codes = std::move(codes);
  return labels;
}

std::vector<float> scores_of(const ScoreBoard& board, std::size_t count) {
  return {board.scores(), board.scores() + count};
}

TEST(ScoreBoard, ErrorIsTheShareOfTheWeightThatIsBeaten) {
  // Right; a tie, which the lower class wins; a tie that the row's class wins; no known class.
  const Labels labels = labels_of(3, {2, 1, 0, -1});
  const std::vector<double> weights{1, 2, 4, 8};
  ScoreBoard board(labels, weights, {4, 1}, nullptr, 3);
  EXPECT_DOUBLE_EQ(board.error(), (1 + 2 + 8) / 15.0) << "all scores are 0: class 0 everywhere";
  board.set({0, 1, 2, 5, 5, 1, 3, 3, 3, 9, 0, 0});
  EXPECT_DOUBLE_EQ(board.error(), (2 + 8) / 15.0);
}

TEST(ScoreBoard, ErrorOfSetsIsTheHammingLossOfTheKnownLabels) {
  Labels labels = labels_of(2, {0, 0, 1});
  labels.offsets = {0, 1, 3, 3};  // {0}, {0, 1}, {}
  const std::vector<double> weights{1, 2, 1};
  const std::vector<float> scores{1, 1, -1, 2, -1, 0};  // wrong: (0, 1) and (1, 0); 0 means no
  ScoreBoard board(labels, weights, {3, 1}, nullptr, 2);
  board.set(scores);
  EXPECT_DOUBLE_EQ(board.error(), (1 * 0.5 + 2 * 0.5) / 4);
  labels.weights = {1, 0, 1, 1, 1, 1};  // label 1 of row 0 is not known
  ScoreBoard known(labels, weights, {3, 1}, nullptr, 2);
  known.set(scores);
  EXPECT_DOUBLE_EQ(known.error(), 2 * 0.5 / (0.5 + 2 + 1));
}

TEST(ScoreBoard, AddsWhatTheTreesOfTheModelWillAdd) {
  const Labels labels = labels_of(3, {0, 1});
  ScoreBoard board(labels, {}, {2, 1}, nullptr, 3);
  const std::uint32_t index[] = {1, 0};
  const float values[] = {1, 2, 3, 4};
  // Two outputs from the second on: row 0 has the second vector.
  board.add({index, values, 2, 1}, 0.5, LeafPrecision::kFloat32);
  EXPECT_EQ(scores_of(board, 6), (std::vector<float>{0, 1.5F, 2, 0, 0.5F, 1}));
  // Without an index a vector for each row, and what is added to one output leaves another.
  RowVectors moved{nullptr, values, 1, 0};
  moved.minus_output = 2;
  board.add(moved, 1, LeafPrecision::kFloat32);
  EXPECT_EQ(scores_of(board, 6), (std::vector<float>{1, 1.5F, 1, 2, 0.5F, -1}));
  // One number for several outputs, by a code.
  const float code[] = {1, 0, -1};
  RowVectors spread{index, values, 1, 0};
  spread.code = code;
  board.add(spread, 2, LeafPrecision::kFloat32);
  EXPECT_EQ(scores_of(board, 6), (std::vector<float>{5, 1.5F, -3, 4, 0.5F, -3}));
}

TEST(ScoreBoard, RoundsToThePrecisionOfTheLeaves) {
  const Labels labels = labels_of(2, {0});
  ScoreBoard board(labels, {}, {1, 1}, nullptr, 2);
  const float values[] = {1.0F, 1.01F};
  board.add({nullptr, values, 2, 0}, 1.003, LeafPrecision::kBfloat16);
  EXPECT_EQ(board.scores()[0], 1.0F);
  EXPECT_EQ(board.scores()[1], widen(to_bfloat16(1.003F * 1.01F)));
  EXPECT_NE(board.scores()[1], 1.003F * 1.01F);
}

TEST(ScoreBoard, FiguresAreThoseOfClassScores) {
  const Labels labels = labels_of(3, {0, 2});
  const Codebook codebook = Codebook::simplex(3);
  ScoreBoard board(labels, {}, {2, 1}, &codebook, 3);
  const std::vector<float> scores{2, -1, 0.5F, 3};
  board.set(scores);
  std::vector<float> u(6);
  codebook.class_scores(scores, u);
  Ensemble ensemble;
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = 2;
  double log_loss = 0;
  double error = 0;
  const std::shared_ptr<const Loss> loss = make_loss("exponential");
  double risk = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const float* row = u.data() + 3 * i;
    const auto own = static_cast<std::size_t>(labels.codes[i]);
    double sum = 0;
    double others = -1e30;
    for (std::size_t k = 0; k < 3; ++k) {
      sum += std::exp(2 * (row[k] - row[own]));
      if (k != own) risk += std::exp(row[k] - row[own]) / 2;
      if (k != own) others = std::max(others, static_cast<double>(row[k]));
    }
    log_loss += std::log(sum) / 2;
    error += others > row[own] ? 0.5 : 0;
    EXPECT_NEAR(board.margins()[i], row[own] - others, 1e-6);
  }
  EXPECT_DOUBLE_EQ(board.error(), error);
  EXPECT_NEAR(board.log_loss(ensemble), log_loss, 1e-6);
  EXPECT_NEAR(board.risk(*loss, codebook, {}), risk, 1e-6);
}

TEST(ScoreBoard, RiskLeavesOutRowsWithoutAKnownClassAndCountsCosts) {
  const Labels labels = labels_of(2, {0, -1});
  const std::vector<double> weights{3, 5};
  const Codebook codebook = Codebook::canonical(2);
  ScoreBoard board(labels, weights, {2, 1}, &codebook, 2);
  const std::shared_ptr<const Loss> loss = make_loss("exponential");
  EXPECT_DOUBLE_EQ(board.risk(*loss, codebook, {}), 1);
  EXPECT_DOUBLE_EQ(board.risk(*loss, codebook, {0, 4, 1, 0}), 4);
}

TEST(ScoreBoard, FiguresDoNotDependOnHowRowsAreParted) {
  constexpr std::size_t kRows = 5000;
  Random random(1);
  std::vector<std::int32_t> codes(kRows);
  std::vector<double> weights(kRows);
  std::vector<float> scores(3 * kRows);
  for (std::int32_t& code : codes) code = static_cast<std::int32_t>(random.below(3));
  for (double& weight : weights) weight = random.uniform();
  for (float& score : scores) score = static_cast<float>(random.normal());
  const Ensemble ensemble;
  const Codebook codebook = Codebook::canonical(3);
  const std::shared_ptr<const Loss> loss = make_loss("logistic");
  const auto figures = [&](std::size_t begin, std::size_t end, int threads, Communicator& ranks) {
    const auto part = [&](const auto& all, std::size_t width) {
      return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin * width),
                         all.begin() + static_cast<std::ptrdiff_t>(end * width));
    };
    const Labels labels = labels_of(3, part(codes, 1));
    const std::vector<double> own = part(weights, 1);
    ScoreBoard board(labels, own, {end - begin, threads, ranks}, &codebook, 3);
    board.set(part(scores, 3));
    return std::vector<double>{board.error(), board.log_loss(ensemble),
                               board.risk(*loss, codebook, {}),
                               board.evaluate(ensemble, kTallyProbabilities).log_loss.value()};
  };
  const std::vector<double> whole = figures(0, kRows, 1, no_others());
  EXPECT_EQ(figures(0, kRows, 3, no_others()), whole);
  for (std::size_t pattern = 0; pattern < 3; ++pattern) {
    const std::vector<std::size_t> shares = uneven_shares(kRows, 3, pattern);
    FakeCluster(3).run([&](Communicator& ranks) {
      std::size_t begin = 0;
      for (int r = 0; r < ranks.rank(); ++r) begin += shares[static_cast<std::size_t>(r)];
      const std::size_t rows = shares[static_cast<std::size_t>(ranks.rank())];
      EXPECT_EQ(figures(begin, begin + rows, 1, ranks), whole);
    });
  }
}

}  // namespace
}  // namespace simplexboost
