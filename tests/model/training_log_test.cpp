#include "simplexboost/training_log.h"

#include <gtest/gtest.h>

namespace simplexboost {
namespace {

TrainingLog two_rounds() { return {{"train_error", "step"}, {0.5, 1, 0.25, 2}, "done", {}}; }

TEST(TrainingLog, ColumnsAndValuesGoByName) {
  const TrainingLog log = two_rounds();
  EXPECT_EQ(log.rounds(), 2U);
  EXPECT_EQ(log.column("step"), (std::vector<double>{1, 2}));
  EXPECT_EQ(log.value("train_error", 1), 0.25);
}

TEST(TrainingLog, WhatIsNotThereIsNothing) {
  const TrainingLog log = two_rounds();
  EXPECT_EQ(log.value("train_error", 2), std::nullopt);
  EXPECT_EQ(log.value("valid_error", 0), std::nullopt);
  EXPECT_TRUE(log.column("valid_error").empty());
  EXPECT_EQ(TrainingLog{}.rounds(), 0U);
  EXPECT_EQ(TrainingLog{}.value("step", 0), std::nullopt);
}

}  // namespace
}  // namespace simplexboost
