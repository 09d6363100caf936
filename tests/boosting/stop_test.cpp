#include "base/stop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <span>

#include "base/threads/parallel.h"
#include "boosting/labelled_data.h"
#include "codeword/max_min.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

class StopTest : public ::testing::Test {
 protected:
  void TearDown() override { withdraw_stop(); }
};

TEST_F(StopTest, LoopsLeaveOutWhatHasNotBegun) {
  for (const int threads : {1, 3}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(parallel_for(threads, 1000,
                              [&](std::size_t i) {
                                if (i == 5) request_stop();
                                ++done;
                              }),
                 Stopped);
    EXPECT_LT(done, 1000);
    withdraw_stop();
  }
}

TEST_F(StopTest, NothingStopsDuringAPause) {
  request_stop();
  EXPECT_THROW(check_stop(), Stopped);
  {
    const StopPause pause;
    EXPECT_NO_THROW(check_stop());
  }
  EXPECT_THROW(check_stop(), Stopped);
}

TEST_F(StopTest, SearchForCodewordsStops) {
  request_stop();
  EXPECT_THROW(search_max_min(40, 5, 1, 1), Stopped);
}

// Wishes to stop when a round has ended, so that the next one is broken off.
class StoppingProgress : public Progress {
 public:
  explicit StoppingProgress(std::size_t round) : round_(round) {}
  bool round(std::size_t round, std::span<const RoundMetric> /*metrics*/) override {
    if (round + 1 == round_) request_stop();
    return true;
  }

 private:
  std::size_t round_;
};

TEST_F(StopTest, RoundsBeforeAreTheModel) {
  const Dataset data = testing::labelled_data({.rows = 300, .mixed = true}, 3);
  const Dataset valid = testing::labelled_data({.rows = 100, .mixed = true}, 4);
  for (const char* algorithm : {"newton", "samme", "dmcboost", "cd-mcboost", "one-vs-all"}) {
    Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.rounds = 7;
    parameters.early_stopping = 0;
    TrainOptions options;
    options.valid = &valid;
    const Model shorter = train(data, parameters, options);
    StoppingProgress progress(7);
    parameters.rounds = 20;
    options.progress = &progress;
    const Model stopped = train(data, parameters, options);
    withdraw_stop();
    EXPECT_EQ(stopped.log().stop_reason.rfind("interrupted after round 7", 0), 0U)
        << stopped.log().stop_reason;
    EXPECT_EQ(stopped.rounds(), 7U) << algorithm;
    EXPECT_TRUE(stopped.forest().nodes == shorter.forest().nodes) << algorithm;
    EXPECT_EQ(stopped.log().rounds(), 7U);
    EXPECT_EQ(stopped.predict(data).size(), data.rows);
  }
}

TEST_F(StopTest, BeforeTheFirstRoundThereIsNoModel) {
  const Dataset data = testing::labelled_data({}, 3);
  request_stop();
  EXPECT_THROW(train(data, {}), Stopped);
}

}  // namespace
}  // namespace simplexboost
