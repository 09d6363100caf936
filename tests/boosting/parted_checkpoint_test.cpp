// Trainings of several ranks that are broken off go on from their checkpoint, with as many ranks or
// with others, to the bytes of one that never was.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/fake_peers.h"
#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/parted_training.h"
#include "data/data_files.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::FakePeers;
using testing::labelled_data;
using testing::message_of;
using testing::shares_of;

// Ends its rank, as if killed, when so many rounds are done.
class Death : public Progress {
 public:
  explicit Death(std::size_t round) : round_(round) {}
  bool round(std::size_t round, std::span<const RoundMetric>) override {
    if (round + 1 == round_) throw DataError("killed");
    return true;
  }

 private:
  std::size_t round_;
};

struct Attempt {
  int ranks = 1;
  std::size_t death = 0;  // of the last rank, in this round; 0: none
};

class PartedCheckpoint : public ::testing::Test {
 protected:
  std::string train_by(const Attempt& run, const Parameters& parameters) {
    std::string bytes;
    const std::vector<Dataset> shares = shares_of(data_, run.ranks);
    const std::vector<Dataset> valid = shares_of(valid_, run.ranks);
    FakePeers(run.ranks).run([&](Communicator& ranks) {
      const auto r = static_cast<std::size_t>(ranks.rank());
      Death death(run.death);
      TrainOptions options;
      options.valid = &valid[r];
      options.checkpoint.file = file_;
      options.checkpoint.rounds = 2;
      if (ranks.rank() + 1 == run.ranks && run.death > 0) options.progress = &death;
      const Model model = train(shares[r], parameters, options, {.ranks = ranks});
      if (r == 0) bytes = serialize(ensemble_of(model));
    });
    return bytes;
  }

  // The first to throw is the rank that dies, or one that hears of it.
  void expect_killed(const Attempt& run, const Parameters& parameters) {
    const std::string message = message_of([&] { train_by(run, parameters); });
    EXPECT_TRUE(message.ends_with("killed")) << message;
  }

  static Parameters settings(const std::string& algorithm) {
    Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.rounds = 7;
    parameters.row_fraction = 0.7;
    return parameters;
  }

  DataFolder folder_;
  std::string file_ = folder_.path("rounds");
  Dataset data_ = labelled_data({.rows = 2700, .classes = 4, .numbers = 3, .mixed = true}, 3);
  Dataset valid_ = labelled_data({.rows = 1500, .classes = 4, .numbers = 3, .mixed = true}, 4);
};

TEST_F(PartedCheckpoint, GoesOnWithAnyNumberOfRanksToTheSameBytes) {
  for (const char* algorithm : {"newton", "gd-mcboost", "adaboost-mh", "samme", "logitboost"}) {
    SCOPED_TRACE(algorithm);
    const Parameters parameters = settings(algorithm);
    const std::string wanted = train_by({1}, parameters);
    EXPECT_FALSE(std::filesystem::exists(file_));
    expect_killed({3, 2}, parameters);
    EXPECT_TRUE(std::filesystem::exists(file_));
    expect_killed({2, 4}, parameters);
    expect_killed({1, 6}, parameters);
    EXPECT_TRUE(train_by({5}, parameters) == wanted);
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
}

// What a rank has of a batch of trees when another one dies is not kept: it has the votes of its
// own rows alone. Each batch that is whole is.
TEST_F(PartedCheckpoint, AForestGoesOnAfterItsLastWholeBatch) {
  Parameters parameters = settings("forest");
  parameters.rounds = 80;
  parameters.threads = 1;  // four trees of each rank are a batch
  const std::string wanted = train_by({1}, parameters);
  expect_killed({3, 3}, parameters);
  EXPECT_FALSE(std::filesystem::exists(file_));
  expect_killed({3, 26}, parameters);
  EXPECT_TRUE(std::filesystem::exists(file_));
  expect_killed({2, 46}, parameters);
  expect_killed({1, 60}, parameters);
  EXPECT_TRUE(train_by({5}, parameters) == wanted);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

// Linear learners sum in another order when they predict: their scores are kept.
TEST_F(PartedCheckpoint, KeepsScoresThatCannotBeComputedAgain) {
  Parameters parameters = settings("newton");
  set_parameter(parameters, "learner", "linear");
  const std::string wanted = train_by({1}, parameters);
  expect_killed({3, 4}, parameters);
  EXPECT_TRUE(train_by({2}, parameters) == wanted);
}

// So are those that statistics of categories gave, of which the model has others.
TEST_F(PartedCheckpoint, KeepsScoresThatStatisticsGave) {
  Parameters parameters = settings("newton");
  parameters.subset_values = 4;
  const std::string wanted = train_by({1}, parameters);
  expect_killed({3, 4}, parameters);
  expect_killed({1, 6}, parameters);
  EXPECT_TRUE(train_by({2}, parameters) == wanted);
}

TEST_F(PartedCheckpoint, OneOfOtherRowsIsRefusedByAllRanks) {
  const Parameters parameters = settings("newton");
  expect_killed({3, 4}, parameters);
  data_.labels.codes[17] = (data_.labels.codes[17] + 1) % 4;
  const std::string message = message_of([&] { train_by({2}, parameters); });
  EXPECT_NE(message.find("the checkpoint is of other work: 'training labels"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace simplexboost
