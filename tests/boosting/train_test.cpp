// Training from outside: what must hold of every algorithm.
#include "simplexboost/train.h"
#include "loss/margin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "boosting/labelled_data.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/training_log.h"
#include "data/data_files.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::DataShape;
using testing::error_of;
using testing::labelled_data;

// AdaBoost's step along a hypothesis without error would be infinite, so it is the last one, and
// the only reason to end before the last round.
bool stops_at_perfection(const std::string& algorithm) {
  return algorithm.starts_with("adaboost-") || algorithm.starts_with("grploss") ||
         algorithm == "samme" || algorithm == "boostma" || algorithm == "one-vs-all";
}

class EveryAlgorithm : public ::testing::TestWithParam<std::string> {
 protected:
  Parameters parameters() const {
    Parameters result;
    result.algorithm = GetParam();
    result.rounds = 12;
    return result;
  }
};

TEST_P(EveryAlgorithm, GivesTheSameBytesForAnyNumberOfThreads) {
  DataShape shape;
  shape.rows = 5000;
  shape.classes = 5;
  shape.mixed = true;
  const Dataset data = labelled_data(shape, 1);
  Parameters wanted = parameters();
  wanted.row_fraction = 0.7;
  wanted.feature_fraction = 0.8;
  wanted.seed = 7;
  wanted.threads = 1;
  const std::vector<std::byte> one = train(data, wanted).to_bytes();
  for (const int threads : {2, 3, 7}) {
    wanted.threads = threads;
    EXPECT_EQ(train(data, wanted).to_bytes(), one) << threads << " threads";
  }
}

// A row of a third class is the same loss, at first, to both sides that name the other two: cuts
// are equally good, and rounding decides.
bool has_ties(const std::string& algorithm) {
  return algorithm == "adaboost-mm" || algorithm == "adaboost-m2";
}

TEST_P(EveryAlgorithm, TakesAWeightForSoManyEqualRows) {
  if (GetParam() == "forest") GTEST_SKIP() << "what it draws depends on the number of rows";
  DataShape shape;
  if (has_ties(GetParam())) shape.classes = 2;
  Dataset data = labelled_data(shape, 2);
  Dataset weighted = data;
  std::vector<std::uint32_t> repeated;
  Random random(3);
  for (std::uint32_t i = 0; i < data.rows; ++i) {
    const std::size_t times = random.below(4);
    data.weights.push_back(0.5 + random.uniform());  // uneven: no two cuts are equally good
    weighted.weights.push_back(static_cast<double>(times) * data.weights.back());
    for (std::size_t k = 0; k < times; ++k) repeated.push_back(i);
  }
  Parameters wanted = parameters();
  wanted.max_bins = 1000;  // every value its own bin
  const Model by_weights = train(weighted, wanted);
  const Model by_rows = train(select_rows(data, repeated), wanted);
  EXPECT_EQ(by_weights.rounds(), by_rows.rounds());
  EXPECT_EQ(by_weights.predict(data), by_rows.predict(data));
}

TEST_P(EveryAlgorithm, RowsWithoutWeightChangeNothing) {
  const Dataset data = labelled_data({}, 4);
  Dataset weighted = data;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < data.rows; ++i) {
    weighted.weights.push_back(i % 3 == 0 ? 0 : 1);
    if (i % 3 != 0) kept.push_back(i);
  }
  const Dataset part = select_rows(data, kept);
  Parameters wanted = parameters();
  wanted.max_bins = 1000;
  EXPECT_EQ(train(weighted, wanted).predict(part), train(part, wanted).predict(part));
}

// No weak hypothesis is perfect, but together they soon are: the risk goes to zero and the scores
// to infinity, yet every number stays finite.
TEST_P(EveryAlgorithm, StandsTenThousandRoundsOnSeparableData) {
  DataShape shape;
  shape.rows = 60;
  shape.numbers = 2;
  shape.noise = 0;
  const Dataset data = labelled_data(shape, 5);
  Parameters wanted = parameters();
  wanted.rounds = 10'000;
  wanted.depth = 2;
  wanted.threads = 1;
  wanted.margin_rows = 1;  // dmcboost: else it may give up a row for wider margins of others
  const Model model = train(data, wanted);
  if (stops_at_perfection(GetParam())) {
    EXPECT_EQ(model.rounds(), 10'000U) << model.log().stop_reason;
  }
  // A forest has no rounds that mend what others left.
  if (GetParam() != "forest") {
    EXPECT_EQ(error_of(model, data), 0);
  }
  for (const double value : model.log().values) ASSERT_TRUE(std::isfinite(value));
  for (const float score : model.predict_scores(data).values) ASSERT_TRUE(std::isfinite(score));
  if (!model.has_proba()) return;  // ecoc
  for (const float share : model.predict_proba(data).values) {
    ASSERT_GE(share, 0);
    ASSERT_LE(share, 1);
  }
}

// Those of the rounds that are in the model, whether or not later ones were dropped.
TEST_P(EveryAlgorithm, RecordsTheMarginsOfItsTrainingRows) {
  if (GetParam() == "forest") GTEST_SKIP() << "those of a forest are out of the bag";
  const Dataset data = labelled_data({}, 6);
  const Dataset valid = labelled_data({}, 7);
  for (const int early_stopping : {0, 1}) {
    Parameters wanted = parameters();
    wanted.early_stopping = early_stopping;
    TrainOptions options;
    options.valid = &valid;
    const Model model = train(data, wanted, options);
    const std::vector<float> margins = model.predict_margins(data);
    const MarginSummary wanted_summary = summarize_margins(margins, RowSpace(margins.size(), 1));
    ASSERT_TRUE(model.log().margins.has_value());
    const MarginSummary& found = *model.log().margins;
    EXPECT_NEAR(found.least, wanted_summary.least, 1e-3);
    EXPECT_NEAR(found.median, wanted_summary.median, 1e-3);
    EXPECT_NEAR(found.mean, wanted_summary.mean, 1e-3);
    EXPECT_EQ(std::accumulate(found.histogram.begin(), found.histogram.end(), std::size_t{0}),
              data.rows);
    // jmlr2019, Corollary 1.
    const std::vector<std::int32_t> predicted = model.predict(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      if (margins[i] != 0) {
        EXPECT_EQ(margins[i] > 0, predicted[i] == data.labels.codes[i]);
      }
    }
  }
}

TEST_P(EveryAlgorithm, StaysFiniteWithAPerfectHypothesis) {
  for (std::size_t rows = 10; rows < 200; ++rows) {
    Dataset data;
    data.rows = rows;
    std::vector<double> x;
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<double>(i));
      data.labels.codes.push_back(3 * i < rows ? 0 : 1);
    }
    data.columns = {Column::numeric("x", x)};
    data.labels.classes = {"no", "yes"};
    data.labels.columns = {"class"};
    Parameters wanted = parameters();
    if (GetParam() == "newton") wanted.thresholds = "best";  // drawn ones need not hit the place
    const Model model = train(data, wanted);
    if (GetParam() != "forest") {
      EXPECT_EQ(error_of(model, data), 0);
    }
    for (const float score : model.predict_scores(data).values) EXPECT_TRUE(std::isfinite(score));
    if (stops_at_perfection(GetParam())) {
      ASSERT_EQ(model.rounds(), 1U) << model.log().stop_reason;
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const AlgorithmRow& row : algorithm_table()) result.emplace_back(row.name);
  return result;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryAlgorithm, ::testing::ValuesIn(names()), name_of);

double first_logged(const Model& model, std::string_view column) {
  const TrainingLog& log = model.log();
  for (std::size_t i = 0; i < log.columns.size(); ++i)
    if (log.columns[i] == column) return log.values[i];
  return std::nan("");
}

TEST(Criterion, ErrorFindsTheStumpOfLeastWeightedError) {
  DataShape shape;
  shape.rows = 400;
  shape.classes = 4;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = labelled_data(shape, seed);
    Parameters parameters;
    parameters.algorithm = "samme";
    parameters.learner = "stump";
    parameters.rounds = 1;
    parameters.criterion = "gini";
    const double gini = first_logged(train(data, parameters), "weighted_error");
    parameters.criterion = "error";
    const double error = first_logged(train(data, parameters), "weighted_error");
    EXPECT_LE(error, gini + 1e-9);
    better += error < gini - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(better, 0) << "the two criteria differ on some set";
}

TEST(Criterion, OtherFamiliesHaveNoChoice) {
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.criterion = "error";
  EXPECT_THROW(train(labelled_data({}, 1), parameters), ParameterError);
}

TEST(CategoricalSplits, OneAgainstRestPutsOneCategoryAside) {
  std::vector<std::int32_t> codes;
  Dataset data;
  data.rows = 600;
  data.labels.classes = {"a", "b"};
  for (std::size_t i = 0; i < data.rows; ++i) {
    codes.push_back(static_cast<std::int32_t>(i % 6));
    data.labels.codes.push_back(i % 6 < 3 ? 0 : 1);
  }
  data.columns.push_back(Column::categorical("c", codes, {"0", "1", "2", "3", "4", "5"}));
  Parameters parameters;
  parameters.depth = 1;
  parameters.rounds = 1;
  const auto left_size = [&] {
    const Model model = train(data, parameters);
    const Forest& forest = model.forest();
    return std::popcount(forest.set_words.at(forest.nodes.at(0).set));
  };
  EXPECT_EQ(left_size(), 3) << "the subset that parts the classes";
  parameters.categorical_splits = "one-vs-rest";
  const int size = left_size();
  EXPECT_TRUE(size == 1 || size == 5) << size;
}

class WithValidation : public ::testing::TestWithParam<std::string> {};

TEST_P(WithValidation, LogsTheFiguresThatEvaluationGives) {
  const Dataset data = labelled_data({}, 1);
  const Dataset other = labelled_data({}, 2);
  Parameters parameters;
  parameters.algorithm = GetParam();
  parameters.rounds = 9;
  TrainOptions options;
  options.valid = &other;
  const Model model = train(data, parameters, options);
  const TrainingLog& log = model.log();
  const Evaluation judged = tally_model(model, other);
  const auto last = [&](std::string_view name) {
    const auto at = std::find(log.columns.begin(), log.columns.end(), name);
    EXPECT_NE(at, log.columns.end()) << name;
    return log.values[log.values.size() - static_cast<std::size_t>(log.columns.end() - at)];
  };
  EXPECT_NEAR(last("valid_error"), judged.counts.error(), 1e-9);
  EXPECT_NEAR(last("valid_log_loss"), judged.log_loss.value(), 1e-4);
}

TEST_P(WithValidation, KeepsTheRoundThatIsBestByTheMetric) {
  const Dataset data = labelled_data({}, 3);
  const Dataset other = labelled_data({}, 4);
  for (const std::string metric : {"error", "log-loss"}) {
    Parameters parameters;
    parameters.algorithm = GetParam();
    parameters.rounds = 60;
    parameters.early_stopping = 60;
    parameters.early_stopping_metric = metric;
    TrainOptions options;
    options.valid = &other;
    const Model model = train(data, parameters, options);
    const TrainingLog& log = model.log();
    const std::string column = metric == "error" ? "valid_error" : "valid_log_loss";
    const auto at = static_cast<std::size_t>(
        std::find(log.columns.begin(), log.columns.end(), column) - log.columns.begin());
    std::size_t best = 0;
    for (std::size_t r = 0; r * log.columns.size() < log.values.size(); ++r)
      if (log.values[r * log.columns.size() + at] < log.values[best * log.columns.size() + at])
        best = r;
    EXPECT_EQ(model.rounds(), best + 1) << metric;
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, WithValidation,
                         ::testing::Values("newton", "gd-mcboost", "adaboost-mh", "samme",
                                           "one-vs-all"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace simplexboost
