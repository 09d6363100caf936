// DMCBoost (kdd2014) as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "data/data_files.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::labelled_data;

Parameters dmcboost(int rounds) {
  Parameters result;
  result.algorithm = "dmcboost";
  result.rounds = rounds;
  result.threads = 1;
  return result;
}

std::string stop_reason(const Model& model) { return model.log().stop_reason; }

TEST(DmcBoost, ErrorNeverRisesInPhaseOneNorMarginsFallInPhaseTwo) {
  int margin_rounds = 0;
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Dataset data = labelled_data(
        {30 + random.below(150), 2 + random.below(5), 2 + random.below(3), true, 0.2}, seed);
    if (seed % 3 == 0)
      for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.3 + random.uniform());
    Parameters wanted = dmcboost(40);
    wanted.relaxation = 0;
    wanted.depth = 1 + static_cast<int>(random.below(4));
    const double sizes[] = {1, 3, 0.1, 0.25, 0.5, 1e9};
    wanted.margin_rows = sizes[seed % 6];
    if (seed % 5 == 0) wanted.leaves = 6;
    const Model model = train(data, wanted);
    const std::vector<double> phase = column(model, "phase");
    const std::vector<double> error = column(model, "train_error");
    const std::vector<double> objective = column(model, "margin_objective");
    EXPECT_TRUE(std::is_sorted(phase.begin(), phase.end()));
    for (std::size_t t = 1; t < phase.size(); ++t) {
      if (phase[t] == 1) {
        EXPECT_LE(error[t], error[t - 1] + 1e-9) << t;
      } else {
        EXPECT_GE(objective[t], objective[t - 1] - 1e-6) << t;
        ++margin_rounds;
      }
    }
  }
  EXPECT_GT(margin_rounds, 300);
}

// (5) from the model's own margins.
TEST(DmcBoost, TheLogHasTheObjectiveOfTheModel) {
  const Dataset data = labelled_data({200, 4, 3, true, 0.1}, 3);
  for (const double rows : {1.0, 0.3, 500.0}) {
    Parameters wanted = dmcboost(25);
    wanted.margin_rows = rows;
    const Model model = train(data, wanted);
    const std::vector<double> steps = column(model, "step");
    double total = 0;
    for (const double step : steps) total += std::fabs(step);
    std::vector<float> margins = model.predict_margins(data);
    std::sort(margins.begin(), margins.end());
    const std::size_t count = rows == 1 ? 1 : rows < 1 ? 60 : 200;
    const double sum = std::accumulate(margins.begin(), margins.begin() + long(count), 0.0);
    EXPECT_NEAR(sum / static_cast<double>(count) / total, column(model, "margin_objective").back(),
                1e-5);
  }
}

TEST(DmcBoost, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = labelled_data({6000, 5, 4, true, 0.2}, 4);
  Parameters wanted = dmcboost(12);
  wanted.phase_patience = 1;
  const std::vector<std::byte> one = train(data, wanted).to_bytes();
  for (const int threads : {2, 3}) {
    wanted.threads = threads;
    EXPECT_EQ(train(data, wanted).to_bytes(), one) << threads;
  }
}

TEST(DmcBoost, ARowOfWeightTwoIsThatRowTwice) {
  Dataset weighted = labelled_data({150, 3, 3, false, 0.2}, 5);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < weighted.rows; ++i) {
    weighted.weights.push_back(i % 3 == 0 ? 2 : 1);
    rows.push_back(static_cast<std::uint32_t>(i));
    if (i % 3 == 0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  Dataset repeated = weighted;
  repeated.weights.clear();
  repeated = select_rows(repeated, rows);
  Parameters wanted = dmcboost(30);
  wanted.max_bins = 65536;
  wanted.search_steps = 4096;
  wanted.phase_patience = 2;
  const Model a = train(weighted, wanted);
  const Model b = train(repeated, wanted);
  ASSERT_EQ(column(a, "step").size(), column(b, "step").size());
  for (const char* name : {"train_error", "margin_objective", "step"})
    for (std::size_t t = 0; t < column(a, name).size(); ++t)
      EXPECT_NEAR(column(a, name)[t], column(b, name)[t], 1e-4) << name << " " << t;
}

TEST(DmcBoost, BothSearchesLearnAndTheExactOneIsNoPrivilege) {
  const Dataset data = labelled_data({120, 3, 2, true, 0}, 6);
  Parameters wanted = dmcboost(15);
  wanted.depth = 2;
  EXPECT_LT(column(train(data, wanted), "train_error").back(), 0.1);
  wanted.tree_search = "exact";
  wanted.row_fraction = 0.8;
  const Model exact = train(data, wanted);
  EXPECT_LT(column(exact, "train_error").back(), 0.3);
}

// One class is where both numbers are 1. No cut alone lowers the error, since half of each side
// would still be wrong; Algorithm 1.2 cuts all the same, and the next level finds what it wants.
TEST(DmcBoost, CutsThatGainNothingLeadToThoseThatDo) {
  Dataset data;
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(i % 2);
    b.push_back(i / 2 % 2);
    data.labels.codes.push_back(i % 4 == 3 ? 1 : 0);
  }
  data.rows = a.size();
  data.columns = {Column::numeric("a", a), Column::numeric("b", b)};
  data.labels.classes = {"p", "q"};
  Parameters wanted = dmcboost(1);
  wanted.depth = 2;
  const Model model = train(data, wanted);
  EXPECT_EQ(column(model, "train_error").front(), 0);
  EXPECT_EQ(model.forest().trees[0].leaves, 3U) << "the side that wants one class stays whole";
}

TEST(DmcBoost, PhaseOneAloneEndsAtItsLocalMinimum) {
  const Dataset data = labelled_data({200, 4, 3, true, 0.2}, 3);
  Parameters wanted = dmcboost(500);
  const Model both = train(data, wanted);
  wanted.phases = 1;
  const Model first = train(data, wanted);
  const std::vector<double> phase = column(both, "phase");
  const auto rounds = static_cast<std::size_t>(std::count(phase.begin(), phase.end(), 1.0));
  EXPECT_LT(rounds, both.rounds());
  EXPECT_EQ(first.rounds(), rounds);
  EXPECT_TRUE(stop_reason(first).starts_with("phase I reached a coordinatewise local minimum"))
      << stop_reason(first);
  for (std::size_t t = 0; t < rounds; ++t)
    EXPECT_EQ(column(first, "train_error")[t], column(both, "train_error")[t]);
}

// Theorem 2: theta is the sum of the n' smallest margins over n, and the bound falls as it rises.
TEST(DmcBoost, TheLogHasTheQuantitiesOfTheBound) {
  const Dataset data = labelled_data({200, 3, 3, false, 0.02}, 3);
  const Model model = train(data, dmcboost(60));
  const std::vector<double> objective = column(model, "margin_objective");
  const std::vector<double> theta = column(model, "theta");
  const std::vector<double> bound = column(model, "bound_theorem2");
  for (std::size_t t = 0; t < theta.size(); ++t) {
    EXPECT_NEAR(theta[t], objective[t] / 4, 1e-6);
    for (std::size_t s = 0; s < t; ++s)
      EXPECT_TRUE(theta[s] >= theta[t] || bound[s] >= bound[t]) << s << " " << t;
  }
  EXPECT_GT(theta.back(), 0);
}

TEST(DmcBoost, TellsInWordsHowItsPhasesEnded) {
  const Dataset data = labelled_data({80, 3, 2, false, 0.3}, 7);
  Parameters wanted = dmcboost(2000);
  wanted.depth = 1;
  wanted.relaxation = 0;
  wanted.margin_rows = 1;
  const Model model = train(data, wanted);
  EXPECT_LT(model.rounds(), 2000U);
  EXPECT_NE(stop_reason(model).find("phase I reached a coordinatewise local minimum"),
            std::string::npos)
      << stop_reason(model);
  EXPECT_NE(stop_reason(model).find("phase II reached a coordinatewise maximum"), std::string::npos)
      << stop_reason(model);
}

// Perfect from the first tree: nothing can be better, and nothing divides by zero.
TEST(DmcBoost, EndsAtOnceOnDataThatOneTreeTells) {
  Dataset data = labelled_data({60, 2, 2, false, 0}, 8);
  std::vector<double> x(data.rows);
  data.columns[0].copy(0, data.rows, x.data());
  for (std::size_t i = 0; i < data.rows; ++i) data.labels.codes[i] = x[i] > 0 ? 1 : 0;
  const Model model = train(data, dmcboost(100));
  EXPECT_EQ(column(model, "train_error").back(), 0);
  EXPECT_NEAR(column(model, "margin_objective").back(), 1, 1e-6);
  EXPECT_LT(model.rounds(), 20U);
}

// Half of the hands are of one class, most others of a second: constant trees for these two, in
// turn, are a corner of (5) that no tree leads out of by (5) alone.
TEST(DmcBoost, LeavesTheCornerOfTheTwoLargestClasses) {
  GeneratorSpec spec;
  spec.name = "poker";
  spec.rows = 12000;
  spec.seed = 5;
  Parameters wanted = dmcboost(100);
  wanted.depth = 3;
  wanted.margin_rows = 0.1;
  const Model model = train(generate(spec), wanted);
  EXPECT_GT(column(model, "train_error").front(), 0.48);
  EXPECT_LT(column(model, "train_error").back(), 0.45);
}

TEST(DmcBoost, LearnsTwoClassesWithStepsOfBothSigns) {
  const Dataset data = labelled_data({300, 2, 2, false, 0.05}, 9);
  Parameters wanted = dmcboost(60);
  wanted.depth = 1;
  const Model model = train(data, wanted);
  EXPECT_LT(column(model, "train_error").back(), 0.12);
}

TEST(DmcBoost, ExactSearchTriesEveryCategory) {
  // Of a hundred categories one, late in their order, is a class of its own.
  Dataset data;
  data.rows = 300;
  std::vector<std::string> names;
  for (int c = 0; c < 100; ++c) names.push_back("c" + std::to_string(100 + c));
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < data.rows; ++i) {
    codes.push_back(static_cast<std::int32_t>(i % 100));
    data.labels.codes.push_back(i % 100 == 90 ? 1 : 0);
  }
  data.columns.push_back(Column::categorical("colour", codes, names));
  data.labels.classes = {"most", "few"};
  for (const char* search : {"curves", "exact"}) {
    Parameters wanted = dmcboost(1);
    wanted.depth = 1;
    wanted.tree_search = search;
    wanted.subset_values = 100;
    EXPECT_EQ(column(train(data, wanted), "train_error").back(), 0) << search;
  }
}

TEST(DmcBoost, SaysWhatItDoesNotTake) {
  const Dataset data = labelled_data({30, 3, 2, false, 0}, 10);
  Parameters wanted = dmcboost(3);
  wanted.resample = "weights";
  EXPECT_THROW(train(data, wanted), ParameterError);
  wanted = dmcboost(3);
  wanted.weight_floor = 0.1;
  EXPECT_THROW(train(data, wanted), ParameterError);
  wanted = dmcboost(3);
  wanted.criterion = "gini";
  EXPECT_THROW(train(data, wanted), ParameterError);
}

}  // namespace
}  // namespace simplexboost
