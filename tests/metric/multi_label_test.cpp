#include "metric/multi_label.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

void add(MultiLabelCounts& counts, std::vector<std::int32_t> truth, std::vector<float> scores,
         double weight = 1) {
  counts.add(truth, scores, weight);
}

TEST(MultiLabelCounts, ByHand) {
  MultiLabelCounts counts(3);
  add(counts, {0, 2}, {1, -1, 1});        // right
  add(counts, {1}, {1, 1, -1});           // one too many
  add(counts, {}, {-1, -1, -1});          // right: none at all
  add(counts, {0, 1, 2}, {1, -1, 0}, 2);  // two too few; a score of 0 is no
  EXPECT_DOUBLE_EQ(counts.total(), 5);
  EXPECT_DOUBLE_EQ(counts.hamming_loss(), (1 + 2 * 2) / 15.0);
  EXPECT_DOUBLE_EQ(counts.exact_match_error(), 3 / 5.0);
  EXPECT_DOUBLE_EQ(counts.error(0), 1 / 5.0);
  EXPECT_DOUBLE_EQ(counts.per_label()[0].precision(), 3 / 4.0);
  EXPECT_DOUBLE_EQ(counts.per_label()[0].recall(), 1);
  EXPECT_DOUBLE_EQ(counts.per_label()[2].f1(), 2 * 1 / (3.0 + 1));
  EXPECT_DOUBLE_EQ(counts.micro_f1(), 2 * 5 / (9.0 + 6));
  EXPECT_DOUBLE_EQ(counts.macro_f1(), (6 / 7.0 + 2 / 4.0 + 2 / 4.0) / 3);
}

TEST(MultiLabelCounts, LabelsNeverTrueNorPredictedDoNotCountInTheMacroMean) {
  MultiLabelCounts counts(2);
  add(counts, {0}, {1, -1});
  EXPECT_DOUBLE_EQ(counts.macro_f1(), 1);
  EXPECT_TRUE(std::isnan(counts.per_label()[1].f1()));
}

TEST(MultiLabelCounts, NothingGivesNoFigures) {
  const MultiLabelCounts counts(2);
  EXPECT_TRUE(std::isnan(counts.hamming_loss()));
  EXPECT_TRUE(std::isnan(counts.exact_match_error()));
  EXPECT_TRUE(std::isnan(counts.micro_f1()));
  EXPECT_TRUE(std::isnan(counts.macro_f1()));
}

// Label k is there where x is above k.
Dataset staircase(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  std::vector<double> x(rows);
  data.labels.classes = {"above 0", "above 1", "above 2"};
  data.labels.offsets = {0};
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 8) / 2 - 0.75;
    for (std::int32_t k = 0; k < 3; ++k)
      if (x[i] > k) data.labels.codes.push_back(k);
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  data.columns = {Column::numeric("x", x)};
  return data;
}

TEST(EvaluateLabels, PerfectModelHasNoLoss) {
  const Dataset data = staircase(40);
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.rounds = 30;
  const Model model = train(data, parameters);
  const MultiLabelEvaluation evaluation = evaluate_labels(model, data);
  EXPECT_DOUBLE_EQ(evaluation.counts.hamming_loss(), 0);
  EXPECT_DOUBLE_EQ(evaluation.counts.micro_f1(), 1);
  EXPECT_LT(evaluation.log_loss.value(), 0.5);
  const Labels predicted = model.predict_labels(data);
  EXPECT_EQ(predicted.codes, data.labels.codes);
  EXPECT_EQ(predicted.offsets, data.labels.offsets);
}

TEST(EvaluateLabels, RefusesDataWithOneLabelARow) {
  const Dataset data = staircase(16);
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  const Model model = train(data, parameters);
  Dataset single = data;
  single.labels.offsets.clear();
  EXPECT_THROW(evaluate_labels(model, single), DataError);
}

}  // namespace
}  // namespace simplexboost
