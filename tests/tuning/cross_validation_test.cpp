#include "tuning/cross_validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "data/rows/folds.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"
#include "tuning/tuning_runs.h"

namespace simplexboost {
namespace {

using testing::algorithm_names;
using testing::StopAfter;

Dataset led(std::size_t rows, double noise = 0) {
  GeneratorSpec spec;
  spec.name = "led";
  spec.rows = rows;
  spec.label_noise = noise;
  return generate(spec);
}

Parameters few_rounds(const std::string& algorithm = "newton") {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = 8;
  parameters.threads = 2;
  return parameters;
}

CrossValidationOptions three_folds() {
  CrossValidationOptions options;
  options.folds = 3;
  options.metrics = {find_metric("error", false), find_metric("log-loss", false)};
  return options;
}

TEST(CrossValidation, IsTrainingWithEachFoldHeldOut) {
  const Dataset data = led(300);
  CrossValidationOptions options = three_folds();
  options.exact_bins = true;
  options.keep_scores = true;
  options.repeats = 2;
  Parameters parameters = few_rounds();
  parameters.seed = 5;
  const CrossValidation result = cross_validate(data, parameters, options);
  ASSERT_EQ(result.folds.size(), 6U);
  EXPECT_TRUE(result.whole);
  // The second repeat, its last fold, by hand.
  parameters.seed = 6;
  const auto folds = make_folds(data.labels, data.rows, {3, 6, true, {}});
  const RowSplit split = hold_out_fold(folds, 2);
  const Model model = train(select_rows(data, split.train), parameters);
  const Dataset test = select_rows(data, split.valid);
  const Evaluation evaluation = tally_model(model, test);
  const FoldResult& fold = result.folds[5];
  EXPECT_EQ(fold.repeat, 1);
  EXPECT_EQ(fold.fold, 2);
  EXPECT_EQ(fold.test_rows, split.valid.size());
  EXPECT_DOUBLE_EQ(fold.values[0], evaluation.counts.error());
  EXPECT_DOUBLE_EQ(fold.values[1], evaluation.log_loss.value());
  EXPECT_EQ(result.scores[1].fold_of_row, folds);
  const Matrix proba = model.predict_proba(test);
  for (std::size_t i = 0; i < test.rows; ++i)
    EXPECT_EQ(result.scores[1].proba.row(split.valid[i])[3], proba.row(i)[3]);
}

TEST(CrossValidation, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = led(300);
  for (const char* algorithm : {"newton", "adaboost-mh", "samme"}) {
    Parameters parameters = few_rounds(algorithm);
    parameters.threads = 1;
    const CrossValidation one = cross_validate(data, parameters, three_folds());
    parameters.threads = 3;
    const CrossValidation three = cross_validate(data, parameters, three_folds());
    parameters.threads = 16;  // more than twice the folds: one after the other
    const CrossValidation many = cross_validate(data, parameters, three_folds());
    for (std::size_t f = 0; f < 3; ++f) {
      EXPECT_EQ(one.folds[f].values, three.folds[f].values) << algorithm;
      EXPECT_EQ(one.folds[f].values, many.folds[f].values) << algorithm;
    }
  }
}

TEST(CrossValidation, KeepsValidationRowsApartFromTestRows) {
  const Dataset data = led(400);
  CrossValidationOptions options = three_folds();
  options.folds = 4;
  options.valid_fraction = 0.25;
  Parameters parameters = few_rounds();
  parameters.early_stopping = 2;
  for (const FoldResult& fold : cross_validate(data, parameters, options).folds) {
    EXPECT_EQ(fold.train_rows + fold.valid_rows + fold.test_rows, 400U);
    EXPECT_NEAR(static_cast<double>(fold.valid_rows), 75, 5);
    EXPECT_EQ(fold.test_rows, 100U);
  }
  options.valid_fraction = 0;
  options.valid_fold = true;
  for (const FoldResult& fold : cross_validate(data, parameters, options).folds) {
    EXPECT_EQ(fold.train_rows, 200U);
    EXPECT_EQ(fold.valid_rows, 100U);
  }
}

TEST(CrossValidation, KeepsGroupsTogether) {
  const Dataset data = led(300);
  CrossValidationOptions options = three_folds();
  options.keep_scores = true;
  options.valid_fraction = 0.3;
  for (std::uint32_t i = 0; i < 300; ++i) options.groups.push_back(i / 10);
  const CrossValidation result = cross_validate(data, few_rounds(), options);
  std::map<std::uint32_t, std::set<int>> folds;
  for (std::size_t i = 0; i < 300; ++i)
    folds[options.groups[i]].insert(result.scores[0].fold_of_row[i]);
  for (const auto& [group, in] : folds) EXPECT_EQ(in.size(), 1U);
  for (const FoldResult& fold : result.folds) EXPECT_EQ(fold.valid_rows % 10, 0U);
}

TEST(CrossValidation, NoiseIsInTheLabelsOfTrainingOnly) {
  // With two classes and every label wrong, what is learnt is the opposite of what is true.
  Dataset data;
  data.rows = 120;
  data.labels.classes = {"no", "yes"};
  std::vector<double> x(data.rows);
  std::iota(x.begin(), x.end(), 0);
  for (const double value : x) data.labels.codes.push_back(value < 60 ? 0 : 1);
  data.columns = {Column::numeric("x", x)};
  CrossValidationOptions options = three_folds();
  EXPECT_LT(summarize(cross_validate(data, few_rounds(), options).folds, 0).mean, 0.05);
  options.label_noise = 1;
  EXPECT_GT(summarize(cross_validate(data, few_rounds(), options).folds, 0).mean, 0.95);
}

class CrossValidationOfEveryAlgorithm : public ::testing::TestWithParam<std::string_view> {};

TEST_P(CrossValidationOfEveryAlgorithm, BearsAClassThatIsAbsentFromAFold) {
  Dataset data = led(90);
  data.labels.classes.emplace_back("rare");
  data.labels.codes[7] = static_cast<std::int32_t>(data.labels.classes.size()) - 1;
  data.labels.classes.emplace_back("never");
  Parameters parameters = few_rounds(std::string(GetParam()));
  parameters.rounds = 3;
  const CrossValidation result = cross_validate(data, parameters, three_folds());
  std::size_t absent = 0;
  for (const FoldResult& fold : result.folds) {
    absent += fold.absent_classes;
    EXPECT_TRUE(std::isfinite(fold.values[0]));
  }
  EXPECT_GE(absent, 1U);
}

INSTANTIATE_TEST_SUITE_P(Table, CrossValidationOfEveryAlgorithm,
                         ::testing::ValuesIn(algorithm_names()), [](const auto& test) {
                           std::string name(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CrossValidation, StopsWhenToldAndGivesTheFinishedFolds) {
  const Dataset data = led(200);
  StopAfter stop(12);
  CrossValidationOptions options = three_folds();
  options.progress = &stop;
  Parameters parameters = few_rounds();
  parameters.threads = 1;
  const CrossValidation result = cross_validate(data, parameters, options);
  EXPECT_FALSE(result.whole);
  EXPECT_EQ(result.folds.size(), 1U);
}

TEST(CrossValidation, RefusesMoreFoldsThanRows) {
  CrossValidationOptions options = three_folds();
  options.folds = 100;
  EXPECT_THROW(cross_validate(led(50), few_rounds(), options), DataError);
}

TEST(Summarize, IsMeanAndDeviationOfWhatThereIs) {
  std::vector<FoldResult> folds(3);
  folds[0].values = {1.0};
  folds[1].values = {3.0};
  folds[2].values = {std::nan("")};
  EXPECT_DOUBLE_EQ(summarize(folds, 0).mean, 2);
  EXPECT_DOUBLE_EQ(summarize(folds, 0).deviation, std::sqrt(2.0));
}

}  // namespace
}  // namespace simplexboost
