#include "base/stop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <span>
#include <thread>

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

// So many seconds of the processor a training goes on after the wish, which comes in the midst of
// its first round.
double seconds_after_wish(const Dataset& data, Parameters parameters) {
  constexpr double kIntoTheRound = 0.5;
  const auto seconds_since = [](std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  parameters.rounds = 1;
  parameters.threads = 1;
  std::atomic<std::clock_t> wished{0};
  const std::clock_t begin = std::clock();
  const std::jthread other([&](const std::stop_token& ended) {
    while (seconds_since(begin) < kIntoTheRound && !ended.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    wished = std::clock();
    request_stop();
  });
  EXPECT_THROW(train(data, parameters), Stopped);
  return seconds_since(wished);
}

// Each of these rounds takes several seconds.
TEST_F(StopTest, EndsARoundOfTheExactSearch) {
  Parameters parameters;
  parameters.algorithm = "dmcboost";
  parameters.tree_search = "exact";
  parameters.depth = 6;
  const Dataset data = testing::labelled_data({.rows = 3000, .classes = 8, .numbers = 12}, 3);
  EXPECT_LT(seconds_after_wish(data, parameters), 1);
}

TEST_F(StopTest, EndsARoundOfLinesOfManyFeatures) {
  Parameters parameters;
  parameters.algorithm = "logitboost";
  parameters.learner = "linear";
  parameters.linear_features = 100;
  const Dataset data = testing::labelled_data({.rows = 2000, .classes = 20, .numbers = 300}, 3);
  EXPECT_LT(seconds_after_wish(data, parameters), 1);
}

}  // namespace
}  // namespace simplexboost
