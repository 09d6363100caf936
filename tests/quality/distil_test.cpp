#include "quality/distil.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "metric/evaluation.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/quality.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::message_of;
using testing::multi_label_data;

QualityOptions distilling() {
  QualityOptions options;
  options.folds = 3;
  options.distil = true;
  return options;
}

Parameters few_rounds(int threads) {
  Parameters parameters;
  parameters.rounds = 30;
  parameters.threads = threads;
  return parameters;
}

TEST(Distil, RowsArePartedOverTheirLikelyClasses) {
  Dataset data = labelled_data({2, 3, 2, false, 0}, 1);
  data.labels.codes = {0, 2};
  data.weights = {2, 1};
  const Matrix proba{3, 3, {0.5F, 0.5F, 0, 0.25F, 0.75F, 0, 0, 0.005F, 0.995F}};
  const std::vector<std::uint32_t> rows{1, 2};
  const Dataset all = part_rows(data, proba, rows, 1);
  EXPECT_EQ(all.labels.codes, (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(all.weights, (std::vector<double>{1.5, 0.5, 1}));
  const Dataset half = part_rows(data, proba, rows, 0.5);
  EXPECT_EQ(half.labels.codes, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(half.weights, (std::vector<double>{1.25, 0.75, 1}));
  EXPECT_EQ(half.rows, 3U);
}

TEST(Distil, IsOneSmallModelThatTellsWhatItCosts) {
  const Dataset data = labelled_data({400, 4, 3, true, 0.1}, 1);
  const Dataset test = labelled_data({2000, 4, 3, true, 0.1}, 2);
  const QualityResult result = train_quality(data, few_rounds(1), distilling());
  const Ensemble& ensemble = ensemble_of(result.model);
  EXPECT_TRUE(ensemble.members.empty());
  EXPECT_EQ(ensemble.forest.trees.size(), ensemble.forest.rounds());
  ASSERT_TRUE(result.distilled.has_value());
  EXPECT_LT(5 * result.distilled->bytes[1], result.distilled->bytes[0]);
  EXPECT_NEAR(result.distilled->log_loss[1], tally_model(result.model, test).log_loss.value(),
              0.12);
  EXPECT_LT(result.distilled->log_loss[1], 1.25 * result.distilled->log_loss[0]);
  EXPECT_EQ(ensemble.estimate->method, "out-of-fold");
  EXPECT_EQ(result.oof_proba.rows, 400U);
  const QualityResult three = train_quality(data, few_rounds(3), distilling());
  EXPECT_EQ(serialize(ensemble_of(three.model)), serialize(ensemble));
}

// Had those who teach the folds seen the rows that judge them, all would look far better.
TEST(Distil, ExpectsWhatNewRowsShow) {
  const Dataset data = labelled_data({300, 4, 6, false, 0.25}, 3);
  const Dataset test = labelled_data({3000, 4, 6, false, 0.25}, 4);
  const QualityResult result = train_quality(data, few_rounds(2), distilling());
  const auto tally = tally_model(result.model, test);
  EXPECT_GT(result.distilled->log_loss[1], 0.85 * tally.log_loss.value());
  EXPECT_GT(result.distilled->log_loss[1], result.distilled->log_loss[0]);
}

TEST(Distil, GoesOnFromACheckpoint) {
  const Dataset data = labelled_data({150, 3, 3, false, 0.1}, 1);
  QualityOptions options = distilling();
  const std::string whole =
      serialize(ensemble_of(train_quality(data, few_rounds(1), options).model));
  const std::string file = ::testing::TempDir() + "distil.cp";
  std::filesystem::remove(file);
  options.checkpoint.file = file;
  options.checkpoint.keep = true;
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(serialize(ensemble_of(train_quality(data, few_rounds(1), options).model)), whole);
  std::filesystem::remove(file);
}

TEST(Distil, IsRefusedWhereItHasNoPlace) {
  QualityOptions options = distilling();
  EXPECT_NE(message_of<ParameterError>([&] {
              train_quality(multi_label_data({60, 3, 3, false, 0.1}, 1), few_rounds(1), options);
            }).find("distil: it takes an ensemble"),
            std::string::npos);
  options.quality = Quality::kFast;
  EXPECT_NE(message_of<ParameterError>([&] {
              train_quality(labelled_data({60, 3, 3, false, 0.1}, 1), few_rounds(1), options);
            }).find("distil: it takes an ensemble"),
            std::string::npos);
}

}  // namespace
}  // namespace simplexboost
