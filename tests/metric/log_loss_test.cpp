#include "metric/log_loss.h"

#include <gtest/gtest.h>

namespace simplexboost {
namespace {

TEST(LogLoss, IsTheMeanOfMinusLog) {
  LogLoss loss;
  loss.add(0.5);
  loss.add(0.25);
  EXPECT_DOUBLE_EQ(loss.value(), (std::log(2.0) + std::log(4.0)) / 2);
}

TEST(LogLoss, WeightsCount) {
  LogLoss loss;
  loss.add(0.5, 3);
  loss.add(1.0, 1);
  EXPECT_DOUBLE_EQ(loss.value(), std::log(2.0) * 0.75);
}

TEST(LogLoss, StaysFiniteForSureMistakesAndNonsense) {
  LogLoss loss;
  loss.add(0);
  loss.add(std::nan(""));
  EXPECT_DOUBLE_EQ(loss.value(), -std::log(LogLoss::kFloor));
}

TEST(LogLoss, IsNeverNegative) {
  LogLoss loss;
  loss.add(1.0000001);
  EXPECT_GE(loss.value(), 0);
}

TEST(LogLoss, NoRowsHaveNone) { EXPECT_TRUE(std::isnan(LogLoss().value())); }

}  // namespace
}  // namespace simplexboost
