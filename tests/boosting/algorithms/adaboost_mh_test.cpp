// The identities of AdaBoost.MH (icml2014, section 2), from the log of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boosting/algorithms/naive_binary.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::labelled_data;

Parameters hamming_parameters(const std::string& learner, int rounds) {
  return testing::every_cut("adaboost-mh", learner, rounds);
}

// W of the first round: 1/2 for the class, 1/(2(K-1)) for each other one, over n.
double first_weight(const Dataset& data, bool is_class) {
  const auto others = static_cast<double>(data.labels.classes.size() - 1);
  return (is_class ? 0.5 : 0.5 / others) / static_cast<double>(data.rows);
}

double hamming_loss(const Dataset& data, const Matrix& scores) {
  double loss = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < scores.columns; ++l) {
      const bool is_class = static_cast<std::size_t>(data.labels.codes[i]) == l;
      if ((scores.row(i)[l] > 0) != is_class) loss += first_weight(data, is_class);
    }
  return loss;
}

// With every learner that votes: one cut for all classes, a cut for each, and one class a leaf.
TEST(AdaBoostMh, RiskFallsByTheRootOfOneMinusTheEdgeSquared) {
  for (const std::string learner : {"hamming-stump", "hamming-tree", "hamming-product", "stump",
                                    "tree", "tree of classes", "augmented-tree"}) {
    const Dataset data = labelled_data({600, 5, 5, true, 0.1}, 1);
    Parameters wanted = hamming_parameters(learner, 60);
    if (learner == "tree of classes") {
      wanted.learner = "tree";
      wanted.leaf_values = "class";
    }
    const Model model = train(data, wanted);
    EXPECT_EQ(model.rounds(), 60U) << learner << ": " << model.log().stop_reason;
    const std::vector<double> edge = column(model, "edge");
    const std::vector<double> step = column(model, "step");
    const std::vector<double> log_risk = column(model, "log_risk");
    EXPECT_NEAR(log_risk[0], 0, 1e-6);  // the weights begin with sum 1
    for (std::size_t t = 0; t + 1 < edge.size(); ++t) {
      EXPECT_GT(edge[t], 0);
      EXPECT_NEAR(step[t], std::atanh(edge[t]), 1e-9);
      const double z = std::exp(log_risk[t + 1] - log_risk[t]);
      EXPECT_NEAR(z, std::sqrt(1 - edge[t] * edge[t]), 1e-6) << learner << " round " << t;
    }
  }
}

TEST(AdaBoostMh, HammingLossIsBoundedByTheProductOfZ) {
  const Dataset data = labelled_data({400, 4, 4, true, 0.2}, 2);
  const Model model = train(data, hamming_parameters("hamming-tree", 40));
  const std::vector<double> edge = column(model, "edge");
  std::vector<std::size_t> rounds(edge.size());
  for (std::size_t t = 0; t < rounds.size(); ++t) rounds[t] = t + 1;
  double bound = 1;
  model.predict_staged(data, rounds, [&](std::size_t round, const Matrix& scores) {
    bound *= std::sqrt(1 - edge[round - 1] * edge[round - 1]);
    EXPECT_LE(hamming_loss(data, scores), bound + 1e-9) << "round " << round;
  });
}

// Z = sqrt(1 - gamma^2), weights of sum 1 and the bound on the Hamming loss, on many problems.
TEST(AdaBoostMh, IdentitiesHoldOnRandomProblems) {
  const std::vector<std::string> learners = {"hamming-stump", "hamming-tree", "hamming-product",
                                             "stump", "tree"};
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Dataset data = labelled_data(
        {20 + random.below(80), 2 + random.below(6), 2 + random.below(3), true, 0.3}, seed);
    const Model model = train(data, hamming_parameters(learners[seed % learners.size()], 12));
    const std::vector<double> edge = column(model, "edge");
    const std::vector<double> log_risk = column(model, "log_risk");
    std::vector<std::size_t> rounds(edge.size());
    for (std::size_t t = 0; t < rounds.size(); ++t) rounds[t] = t + 1;
    double bound = 1;
    EXPECT_NEAR(log_risk[0], 0, 1e-6);
    model.predict_staged(data, rounds, [&](std::size_t round, const Matrix& scores) {
      const double z = std::sqrt(std::max(0.0, 1 - edge[round - 1] * edge[round - 1]));
      EXPECT_GT(edge[round - 1], 0);
      if (round < edge.size()) {
        EXPECT_NEAR(std::exp(log_risk[round] - log_risk[round - 1]), z, 1e-5);
      }
      bound *= z;
      EXPECT_LE(hamming_loss(data, scores), bound + 1e-6);
    });
  }
}

// A cut for each class, each the best of its own pulls; one step for all of them.
TEST(AdaBoostMh, StumpsOfTheClassesHaveAtLeastTheEdgeOfASharedOne) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = labelled_data({200, 4, 3, true, 0.2}, seed);
    const Model shared = train(data, hamming_parameters("hamming-stump", 1));
    const Model own = train(data, hamming_parameters("stump", 1));
    EXPECT_EQ(own.forest().trees.size(), 4U);
    EXPECT_GE(column(own, "edge")[0], column(shared, "edge")[0] - 1e-6);
  }
}

TEST(AdaBoostMh, SingleLabelTreesVoteForOneClassInEachLeaf) {
  const Dataset data = labelled_data({300, 4, 3, true, 0.2}, 3);
  Parameters wanted = hamming_parameters("tree", 10);
  wanted.leaf_values = "class";
  const Model model = train(data, wanted);
  const Forest& forest = model.forest();
  for (const TreeSpan& tree : forest.trees) {
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const std::vector<float> values =
          forest.leaf_values.copy(tree.value_begin + leaf * tree.width, 4);
      EXPECT_EQ(std::count_if(values.begin(), values.end(), [](float v) { return v > 0; }), 1);
      EXPECT_FLOAT_EQ(*std::max_element(values.begin(), values.end()),
                      -*std::min_element(values.begin(), values.end()));
    }
  }
}

// icml2014, footnote 5.
TEST(AdaBoostMh, RiskFallsByZWithTernaryVotes) {
  for (const std::string learner : {"hamming-stump", "hamming-tree"}) {
    const Dataset data = labelled_data({500, 5, 5, true, 0.1}, 1);
    Parameters wanted = hamming_parameters(learner, 40);
    wanted.leaf_values = "ternary";
    const Model model = train(data, wanted);
    const std::vector<double> z = column(model, "z");
    const std::vector<double> log_risk = column(model, "log_risk");
    EXPECT_EQ(z.size(), 40U) << model.log().stop_reason;
    for (std::size_t t = 0; t + 1 < z.size(); ++t)
      EXPECT_NEAR(std::exp(log_risk[t + 1] - log_risk[t]), z[t], 1e-5) << learner << " " << t;
    const Forest& forest = model.forest();
    std::size_t silent = 0;
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
      const TreeSpan& tree = forest.trees[t];
      for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf)
        for (const float value : leaf_vector(forest, tree, leaf)) {
          silent += value == 0 ? 1 : 0;
          EXPECT_TRUE(value == 0 || std::fabs(std::fabs(value) - column(model, "step")[t]) < 1e-5);
        }
    }
    EXPECT_GT(silent, 0U);
  }
}

// The first cut is that of the largest edge for both; without a say on some classes Z is no larger.
TEST(AdaBoostMh, TernaryVotesLowerTheRiskAtLeastAsMuchAsBinaryOnes) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Dataset data = labelled_data({300, 5, 3, true, 0.2}, seed);
    Parameters wanted = hamming_parameters("hamming-stump", 1);
    const double edge = column(train(data, wanted), "edge")[0];
    wanted.leaf_values = "ternary";
    EXPECT_LE(column(train(data, wanted), "z")[0], std::sqrt(1 - edge * edge) + 1e-6) << seed;
  }
}

// Real-valued AdaBoost.MH (Schapire and Singer 1999, section 4).
Parameters confident(const std::string& learner, int rounds) {
  Parameters result = hamming_parameters(learner, rounds);
  result.leaf_values = "confidence";
  return result;
}

TEST(AdaBoostMh, RiskFallsByZWithConfidences) {
  for (const std::string learner : {"hamming-stump", "hamming-tree", "stump", "tree"}) {
    for (const bool multi : {false, true}) {
      const testing::DataShape shape{500, 5, 5, true, 0.1};
      const Dataset data = multi ? testing::multi_label_data(shape, 1) : labelled_data(shape, 1);
      const Model model = train(data, confident(learner, 40));
      const std::vector<double> z = column(model, "z");
      const std::vector<double> log_risk = column(model, "log_risk");
      EXPECT_EQ(z.size(), 40U) << learner;
      EXPECT_NEAR(log_risk[0], 0, 1e-6);
      for (std::size_t t = 0; t + 1 < z.size(); ++t) {
        EXPECT_LT(z[t], 1);
        EXPECT_NEAR(std::exp(log_risk[t + 1] - log_risk[t]), z[t], 1e-5) << learner << " " << t;
      }
    }
  }
}

// Confidences are never worse, in one round, than the same kind of cut with votes and a step.
TEST(AdaBoostMh, ConfidencesLowerTheRiskAtLeastAsMuchAsVotes) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Dataset data = labelled_data({2000, 4, 3, true, 0.2}, seed);
    const double edge = column(train(data, hamming_parameters("hamming-stump", 1)), "edge")[0];
    const double z = column(train(data, confident("hamming-stump", 1)), "z")[0];
    EXPECT_LE(z, std::sqrt(1 - edge * edge) + 1e-3);  // what smoothing may cost
  }
}

TEST(AdaBoostMh, ConfidencesStayFiniteWithPerfectCuts) {
  Dataset data = labelled_data({60, 3, 2, false, 0}, 4);
  std::vector<double> answer;
  for (const std::int32_t code : data.labels.codes) answer.push_back(code);
  data.columns.push_back(Column::numeric("answer", answer));
  for (const std::string learner : {"hamming-stump", "hamming-tree", "stump", "tree"}) {
    const Model model = train(data, confident(learner, 2000));
    for (const double value : model.log().values) ASSERT_TRUE(std::isfinite(value));
    for (const float value : model.predict_scores(data).values) ASSERT_TRUE(std::isfinite(value));
    EXPECT_EQ(model.predict(data), data.labels.codes);
  }
}

TEST(AdaBoostMh, IsBinaryAdaBoostForTwoClasses) {
  const Dataset data = labelled_data({300, 2, 3, false, 0.1}, 3);
  testing::NaiveBinaryBoosting twin(data, testing::binary_weight("exponential"),
                                    testing::StumpKind::kVote);
  std::vector<double> expected;
  for (int t = 0; t < 25; ++t) expected.push_back(1 - 2 * twin.round().error);
  for (const std::string learner : {"hamming-stump", "stump"}) {
    const Model model = train(data, hamming_parameters(learner, 25));
    const std::vector<double> edge = column(model, "edge");
    ASSERT_EQ(edge.size(), expected.size());
    for (std::size_t t = 0; t < edge.size(); ++t) EXPECT_NEAR(edge[t], expected[t], 2e-6) << t;
    const Matrix scores = model.predict_scores(data);
    for (std::size_t i = 0; i < data.rows; ++i)
      EXPECT_FLOAT_EQ(scores.row(i)[0], -scores.row(i)[1]);
  }
}

// Real AdaBoost with decision stumps, by the book; returns Z of its rounds.
std::vector<double> real_adaboost(const Dataset& data, int rounds) {
  const std::size_t rows = data.rows;
  std::vector<std::vector<double>> x(data.columns.size(), std::vector<double>(rows));
  for (std::size_t f = 0; f < x.size(); ++f) data.columns[f].copy(0, rows, x[f].data());
  const auto sign = [&](std::size_t i) { return data.labels.codes[i] == 1 ? 1.0 : -1.0; };
  const double smoothing = 1 / static_cast<double>(rows);
  std::vector<double> w(rows, 1 / static_cast<double>(rows));
  std::vector<double> result;
  for (int t = 0; t < rounds; ++t) {
    double least = 2;
    std::size_t feature = 0;
    double threshold = 0;
    double said[2] = {0, 0};
    for (std::size_t f = 0; f < x.size(); ++f) {
      for (std::size_t cut = 0; cut < rows; ++cut) {
        double yes[2] = {0, 0};
        double no[2] = {0, 0};
        for (std::size_t i = 0; i < rows; ++i)
          (sign(i) > 0 ? yes : no)[x[f][i] <= x[f][cut] ? 0 : 1] += w[i];
        const double z = 2 * (std::sqrt(yes[0] * no[0]) + std::sqrt(yes[1] * no[1]));
        if (z >= least - 1e-12) continue;
        least = z;
        feature = f;
        threshold = x[f][cut];
        for (int side : {0, 1})
          said[side] = 0.5 * std::log((yes[side] + smoothing) / (no[side] + smoothing));
      }
    }
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      w[i] *= std::exp(-said[x[feature][i] <= threshold ? 0 : 1] * sign(i));
      sum += w[i];
    }
    for (double& weight : w) weight /= sum;
    result.push_back(sum);
  }
  return result;
}

TEST(AdaBoostMh, ConfidencesAreRealAdaBoostForTwoClasses) {
  const Dataset data = labelled_data({120, 2, 3, false, 0.1}, 5);
  const std::vector<double> expected = real_adaboost(data, 12);
  for (const std::string learner : {"hamming-stump", "stump"}) {
    const std::vector<double> z = column(train(data, confident(learner, 12)), "z");
    ASSERT_EQ(z.size(), expected.size());
    for (std::size_t t = 0; t < z.size(); ++t) EXPECT_NEAR(z[t], expected[t], 1e-4) << t;
  }
}

// Rows of a few kinds, each with chances of its own for the classes, and as many of them as these
// chances say: what is predicted can be compared with the truth itself.
struct KnownChances {
  Dataset data;
  std::vector<std::vector<double>> chances;  // of each kind
};

KnownChances known_chances(std::size_t kinds, std::size_t classes, std::uint64_t seed) {
  constexpr double kRows = 400;  // of a kind
  Random random(seed);
  KnownChances result;
  std::vector<double> x;
  for (std::size_t k = 0; k < classes; ++k)
    result.data.labels.classes.push_back("k" + std::to_string(k));
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    std::vector<double> counts;
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      counts.push_back(std::round(kRows * std::pow(random.uniform(), 2)) + 1);
      sum += counts.back();
    }
    result.chances.emplace_back();
    for (std::size_t k = 0; k < classes; ++k) {
      result.chances.back().push_back(counts[k] / sum);
      const auto count = static_cast<std::size_t>(counts[k]);
      x.insert(x.end(), count, static_cast<double>(kind));
      result.data.labels.codes.insert(result.data.labels.codes.end(), count,
                                      static_cast<std::int32_t>(k));
    }
  }
  result.data.rows = x.size();
  result.data.columns = {Column::numeric("kind", x)};
  return result;
}

// 2 f_l = ln((K-1) p_l / (1 - p_l)) where the risk is least, as the class of a row weighs K-1 times
// as much as each other one.
TEST(AdaBoostMh, ProbabilitiesAreTheChancesOfTheClasses) {
  for (const std::string leaf_values : {"confidence", "vote"})
    for (const std::size_t classes : {2U, 5U, 10U}) {
      const KnownChances known = known_chances(6, classes, classes);
      Parameters wanted = hamming_parameters("hamming-tree", leaf_values == "vote" ? 400 : 60);
      wanted.leaf_values = leaf_values;
      if (leaf_values == "vote") wanted.learner = "stump";
      const Model model = train(known.data, wanted);
      const Matrix proba = model.predict_proba(known.data);
      const Matrix scores = model.predict_scores(known.data);
      double gap = 0;
      double gap_without = 0;  // taking all weights for the same
      for (std::size_t i = 0; i < known.data.rows; ++i) {
        double kind = 0;
        known.data.columns[0].copy(i, i + 1, &kind);
        double sum = 0;
        const auto odds = [&](std::size_t l) {
          return 1 / (1 + std::exp(-2 * static_cast<double>(scores.row(i)[l])));
        };
        for (std::size_t l = 0; l < classes; ++l) sum += odds(l);
        for (std::size_t l = 0; l < classes; ++l) {
          const double chance = known.chances[static_cast<std::size_t>(kind)][l];
          gap = std::max(gap, std::fabs(static_cast<double>(proba.row(i)[l]) - chance));
          gap_without = std::max(gap_without, std::fabs(odds(l) / sum - chance));
        }
      }
      EXPECT_LT(gap, 0.02) << leaf_values << " " << classes;
      if (classes > 2) {
        EXPECT_GT(gap_without, 3 * gap) << leaf_values << " " << classes;
      }
    }
}

}  // namespace
}  // namespace simplexboost
