#include "metric/metric_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/message_of.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Two rows of class 0 and one of class 2, by scores of three classes that are also probabilities.
Evaluation tally(const std::vector<std::vector<float>>& scores, const std::vector<int>& codes,
                 std::vector<double> weights = {}) {
  Labels labels;
  labels.codes.assign(codes.begin(), codes.end());
  labels.classes = {"a", "b", "c"};
  std::vector<float> all;
  for (const auto& row : scores) all.insert(all.end(), row.begin(), row.end());
  const auto rows_of = [&](std::size_t begin, std::size_t, std::vector<float>&) {
    return static_cast<const float*>(all.data() + begin * 3);
  };
  return tally_rows(
      {labels, weights, RowSpace(codes.size(), 1), 3, false, rows_of, [](std::span<float>) {}},
      kTallyAll);
}

double value(std::string_view name, const Evaluation& evaluation) {
  return find_metric(name, false).value(evaluation);
}

TEST(MetricTable, ByHand) {
  const Evaluation e =
      tally({{0.6F, 0.3F, 0.1F}, {0.2F, 0.5F, 0.3F}, {0.1F, 0.2F, 0.7F}}, {0, 0, 2});
  EXPECT_NEAR(value("error", e), 1 / 3.0, 1e-6);
  EXPECT_NEAR(value("brier", e),
              ((0.16 + 0.09 + 0.01) + (0.64 + 0.25 + 0.09) + (0.01 + 0.04 + 0.09)) / 3, 1e-6);
  EXPECT_NEAR(value("log-loss", e), -(std::log(0.6) + std::log(0.2) + std::log(0.7)) / 3, 1e-6);
  EXPECT_NEAR(value("top-2-error", e), 1 / 3.0, 1e-6);
  EXPECT_NEAR(value("top_3_error", e), 0, 1e-6);
  // Confidences 0.6 right, 0.5 wrong, 0.7 right, each in a bin of its own.
  EXPECT_NEAR(value("calibration-error", e), (0.4 + 0.5 + 0.3) / 3, 1e-6);
  // Yes above a half: rows 1 and 3 are right throughout, row 2 says neither.
  EXPECT_NEAR(value("hamming-loss", e), 1 / 9.0, 1e-6);
  // Row 2: 0.2 is below the mean of 0.5 and 0.3.
  EXPECT_NEAR(value("pseudo-loss-error", e), 1 / 3.0, 1e-6);
  // Classes of 2/3 and 1/3: the uninformed rule is right in 5/9; only 0.6 and 0.7 are more.
  EXPECT_NEAR(value("maxlabel-error", e), 1 / 3.0, 1e-6);
  EXPECT_NEAR(value("margin-min", e), -0.3, 1e-6);
  EXPECT_NEAR(value("margin-mean", e), (0.3 - 0.3 + 0.5) / 3, 1e-6);
  // A third of the rows and more: -0.3 and half of 0.3 of the next.
  EXPECT_NEAR(value("margin-lowest-50", e), (-0.3 + 0.5 * 0.3) / 1.5, 1e-6);
}

TEST(MetricTable, BetterKnowsTheDirectionAndNaN) {
  const Metric error = find_metric("error", false);
  const Metric auc = find_metric("auc", false);
  EXPECT_TRUE(error.better(0.1, 0.2));
  EXPECT_TRUE(auc.better(0.2, 0.1));
  EXPECT_FALSE(auc.better(0.1, 0.1));
  EXPECT_FALSE(auc.better(kNone, 0.1));
  EXPECT_TRUE(auc.better(0.1, kNone));
}

TEST(MetricTable, NamesAreFoundBackAndDiffer) {
  for (const bool sets : {false, true}) {
    std::set<std::string> names;
    for (const Metric& metric : all_metrics(sets)) {
      EXPECT_EQ(find_metric(metric.name(), sets).name(), metric.name());
      EXPECT_EQ(find_metric(metric.json_name(), sets).name(), metric.name());
      EXPECT_TRUE(names.insert(metric.name()).second);
    }
  }
  EXPECT_EQ(find_metric("top-3", false).name(), "top-3-error");
  EXPECT_EQ(find_metric("error", true).name(), "hamming-loss");
}

TEST(MetricTable, SaysWhatIsWrongWithAName) {
  EXPECT_NE(message_of([] { find_metric("eror", false); }).find("error"), std::string::npos);
  EXPECT_NE(message_of([] { find_metric("top-0-error", false); }).find("from 1 to"),
            std::string::npos);
  EXPECT_NE(message_of([] { find_metric("kappa", true); }).find("one label"), std::string::npos);
  EXPECT_THROW(check_metric_name("top-x"), ParameterError);
  EXPECT_NO_THROW(check_metric_name("exact-match-error"));
}

}  // namespace
}  // namespace simplexboost
