// The LogitBoost family against its equations, and with everything else that training can do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boosting/algorithms/naive_logit.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "optimizer/logit_boosting.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::every_cut;
using testing::labelled_data;
using testing::NaiveLogit;

const std::vector<std::string> kWithoutBase = {"logitboost", "robust-logitboost", "mart"};
const std::vector<std::string> kAbc = {"abc-logitboost", "abc-mart"};
const std::vector<std::string> kFamily = {"logitboost",     "robust-logitboost", "mart",
                                          "abc-logitboost", "abc-mart",          "aoso-logitboost"};

void expect_twins(const NaiveLogit& naive, const Model& model) {
  const Matrix p = model.predict_proba(naive.data);
  for (std::size_t i = 0; i < naive.data.rows; ++i)
    for (std::size_t k = 0; k < naive.classes(); ++k)
      EXPECT_NEAR(static_cast<double>(p.row(i)[k]), naive.probabilities(i)[k], 2e-4) << i;
}

TEST(LogitBoost, IsWhatItsEquationsSay) {
  for (std::uint64_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = labelled_data({60, 2 + seed % 4, 3, false, 0.2}, seed);
    for (const std::string& name : kWithoutBase) {
      SCOPED_TRACE(name);
      Parameters wanted = every_cut(name, 6);
      wanted.learner = "stump";
      wanted.learning_rate = 0.3;
      NaiveLogit naive{data};
      naive.rate = 0.3;
      naive.second_order = name != "mart";
      naive.most_z = name == "logitboost" ? LogitBoosting::kMostZ : 0;
      naive.start();
      for (int round = 0; round < 6; ++round) naive.round(LogitBoosting::kMostZ);
      const Model model = train(data, wanted);
      expect_twins(naive, model);
      EXPECT_EQ(model.forest().trees.size(), 6 * naive.classes());
    }
  }
}

// The worst class as base, all tried, and the same base for three rounds.
TEST(LogitBoost, AdaptiveBaseClassIsWhatItsEquationsSay) {
  constexpr double kLimit = LogitBoosting::kMostZ;
  for (std::uint64_t seed = 0; seed < 9 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = labelled_data({60, 3 + seed % 3, 3, false, 0.2}, seed);
    for (const std::string& name : kAbc) {
      SCOPED_TRACE(name);
      Parameters wanted = every_cut(name, 6);
      wanted.learner = "stump";
      wanted.learning_rate = 0.2;
      wanted.base_candidates = seed % 3 == 1 ? 0 : 1;
      wanted.base_gap = seed % 3 == 2 ? 3 : 1;
      NaiveLogit naive{data};
      naive.rate = 0.2;
      naive.second_order = name == "abc-logitboost";
      naive.start();
      std::vector<double> bases;
      for (int round = 0; round < 6; ++round) {
        std::size_t base = seed % 3 == 1 ? naive.best_base(kLimit) : naive.worst_class();
        if (round % wanted.base_gap != 0) base = static_cast<std::size_t>(bases.back());
        bases.push_back(static_cast<double>(base));
        naive.abc_round(base, kLimit);
      }
      const Model model = train(data, wanted);
      EXPECT_EQ(column(model, "base"), bases);
      expect_twins(naive, model);
      const Matrix scores = model.predict_scores(data);
      for (std::size_t i = 0; i < data.rows; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < naive.classes(); ++k) sum += scores.row(i)[k];
        EXPECT_NEAR(sum, 0, 1e-5);
      }
    }
  }
}

TEST(LogitBoost, AdaptivePairsAreWhatTheirEquationsSay) {
  for (std::uint64_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = labelled_data({60, 2 + seed % 5, 3, false, 0.2}, seed);
    Parameters wanted = every_cut("aoso-logitboost", 10);
    wanted.learner = "stump";
    wanted.learning_rate = 0.3;
    NaiveLogit naive{data};
    naive.rate = 0.3;
    naive.start();
    for (int round = 0; round < 10; ++round) naive.aoso_round(LogitBoosting::kMostZ);
    expect_twins(naive, train(data, wanted));
  }
}

TEST(LogitBoost, AdaptivePairsOfTwoClassesAreBinaryLogitBoost) {
  const Dataset data = labelled_data({300, 2, 4, true, 0.2}, 2);
  const Matrix a = train(data, every_cut("robust-logitboost", 30)).predict_proba(data);
  const Matrix b = train(data, every_cut("aoso-logitboost", 30)).predict_proba(data);
  for (std::size_t i = 0; i < a.values.size(); ++i)
    EXPECT_NEAR(static_cast<double>(a.values[i]), static_cast<double>(b.values[i]), 1e-3);
}

TEST(LogitBoost, WithTwoClassesABaseClassChangesNothing) {
  const Dataset data = labelled_data({300, 2, 4, true, 0.2}, 2);
  for (const bool second_order : {true, false}) {
    const Model plain = train(data, every_cut(second_order ? "robust-logitboost" : "mart", 30));
    const Model abc = train(data, every_cut(second_order ? "abc-logitboost" : "abc-mart", 30));
    EXPECT_EQ(abc.forest().trees.size(), 30U);
    const Matrix a = plain.predict_proba(data);
    const Matrix b = abc.predict_proba(data);
    for (std::size_t i = 0; i < a.values.size(); ++i)
      EXPECT_NEAR(static_cast<double>(a.values[i]), static_cast<double>(b.values[i]), 1e-3);
  }
}

TEST(LogitBoost, SearchingAmongMoreBasesIsNoWorseInARound) {
  const Dataset data = labelled_data({300, 5, 4, true, 0.1}, 12);
  double before = std::numeric_limits<double>::infinity();
  for (const int candidates : {1, 2, 0}) {
    Parameters wanted = every_cut("abc-logitboost", 2);
    wanted.base_candidates = candidates;
    const double loss = column(train(data, wanted), "loss_before")[1];
    EXPECT_LE(loss, before);
    before = loss;
  }
}

TEST(LogitBoost, ModelsWithCountersSurviveTheirFile) {
  const Dataset data = labelled_data({200, 4, 3, true, 0.1}, 13);
  for (const char* learner : {"tree", "linear"}) {
    Parameters wanted = every_cut("abc-logitboost", 5);
    wanted.learner = learner;
    const Model model = train(data, wanted);
    const std::string bytes = serialize(ensemble_of(model));
    const Ensemble again = deserialize(std::as_bytes(std::span(bytes)));
    EXPECT_TRUE(again == ensemble_of(model));
    const Matrix scores = model.predict_scores(data);
    EXPECT_NE(scores.values, std::vector<float>(scores.values.size()));
  }
}

TEST(LogitBoost, TrainingLossFalls) {
  for (const std::string& name : kFamily) {
    SCOPED_TRACE(name);
    const Dataset data = labelled_data({400, 5, 4, true, 0.1}, 3);
    const Model model = train(data, every_cut(name, 60));
    const std::vector<double> loss = column(model, "loss_before");
    EXPECT_NEAR(loss[0], std::log(5), 1e-5);
    for (std::size_t t = 1; t < loss.size(); ++t) EXPECT_LT(loss[t], loss[t - 1]) << t;
    EXPECT_LT(loss.back(), name == "aoso-logitboost" ? 0.4 : 0.2);
  }
}

// Trees of a round that share a base would go too far together.
TEST(LogitBoost, TrainingLossFallsWithFullStepsToo) {
  const Dataset data = labelled_data({300, 12, 4, true, 0.1}, 3);
  for (const char* name : {"abc-logitboost", "abc-mart"})
    for (const int candidates : {1, 2}) {
      SCOPED_TRACE(name);
      Parameters wanted = every_cut(name, 10);
      wanted.learning_rate = 1;
      wanted.base_candidates = candidates;
      const std::vector<double> loss = column(train(data, wanted), "loss_before");
      for (std::size_t t = 1; t < loss.size(); ++t) EXPECT_LT(loss[t], loss[t - 1]) << t;
      EXPECT_LT(loss.back(), 0.3 * loss[0]);
    }
}

TEST(LogitBoost, LinesLowerTheLossToo) {
  const Dataset data = labelled_data({300, 4, 3, false, 0.1}, 4);
  for (const std::string& name : kFamily) {
    if (name == "aoso-logitboost") continue;  // leaves say pairs
    SCOPED_TRACE(name);
    Parameters wanted = every_cut(name, 40);
    wanted.learner = "linear";
    const Model model = train(data, wanted);
    const std::vector<double> loss = column(model, "loss_before");
    for (std::size_t t = 1; t < loss.size(); ++t) EXPECT_LT(loss[t], loss[t - 1]) << t;
  }
}

TEST(LogitBoost, ThreadsDoNotChangeTheModel) {
  const Dataset data = labelled_data({3000, 7, 4, true, 0.1}, 5);
  for (const std::string& name : kFamily) {
    SCOPED_TRACE(name);
    Parameters wanted = every_cut(name, 4);
    wanted.row_fraction = 0.7;
    wanted.feature_fraction = 0.6;
    wanted.threads = 1;
    const std::string one = serialize(ensemble_of(train(data, wanted)));
    for (const int threads : {2, 5, 16}) {
      wanted.threads = threads;
      EXPECT_EQ(serialize(ensemble_of(train(data, wanted))), one) << threads;
    }
  }
}

// A row of weight 2 is that row twice.
TEST(LogitBoost, WeightsCount) {
  const Dataset once = labelled_data({200, 3, 3, true, 0.1}, 6);
  std::vector<std::uint32_t> rows;
  Dataset weighted = once;
  for (std::uint32_t i = 0; i < 200; ++i) {
    rows.push_back(i);
    if (i % 3 == 0) rows.push_back(i);
    weighted.weights.push_back(i % 3 == 0 ? 2 : 1);
  }
  const Dataset repeated = select_rows(once, rows);
  for (const std::string& name : kFamily) {
    SCOPED_TRACE(name);
    Parameters wanted = every_cut(name, 5);
    wanted.leaves = 4;  // large leaves, without ties
    const Matrix a = train(weighted, wanted).predict_proba(once);
    const Matrix b = train(repeated, wanted).predict_proba(once);
    for (std::size_t i = 0; i < a.values.size(); ++i)
      EXPECT_NEAR(static_cast<double>(a.values[i]), static_cast<double>(b.values[i]), 2e-3);
  }
}

TEST(LogitBoost, StopsEarlyByTheLogLossAndKeepsTheBestRound) {
  const Dataset data = labelled_data({300, 4, 4, true, 0.4}, 7);
  const Dataset other = labelled_data({300, 4, 4, true, 0.4}, 8);
  for (const std::string& name : kFamily) {
    SCOPED_TRACE(name);
    Parameters wanted = every_cut(name, 500);
    wanted.early_stopping = 5;
    TrainOptions options;
    options.valid = &other;
    const Model model = train(data, wanted, options);
    EXPECT_LT(model.rounds(), 400U);
    const std::vector<double> losses = column(model, "valid_log_loss");
    const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
    EXPECT_EQ(model.rounds(), static_cast<std::size_t>(best) + 1);
  }
}

// Without noise every probability goes to 0 or 1; nothing may overflow or stop being a number, and
// the end is where the loss is rounding.
TEST(LogitBoost, StaysFiniteOnSeparableDataAndEndsWhereNothingIsLeft) {
  const Dataset data = labelled_data({200, 4, 3, false, 0}, 9);
  for (const std::string& name : kFamily) {
    SCOPED_TRACE(name);
    Parameters wanted = every_cut(name, 400);
    wanted.learning_rate = 1;
    const Model model = train(data, wanted);
    for (const float score : model.predict_scores(data).values) EXPECT_TRUE(std::isfinite(score));
    EXPECT_EQ(column(model, "train_error").back(), 0);
    EXPECT_EQ(model.log().stop_reason, "nothing is left to fit");
    EXPECT_LT(column(model, "loss_before").back(), 1e-12);
    EXPECT_GE(column(model, "loss_before").back(), std::numeric_limits<double>::epsilon());
  }
}

}  // namespace
}  // namespace simplexboost
