// A training that is broken off anywhere goes on from its checkpoint to the bytes of an unbroken
// one.
#include "boosting/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "base/message_of.h"
#include "base/stop.h"
#include "boosting/labelled_data.h"
#include "boosting/setup/algorithm_table.h"
#include "data/data_files.h"
#include "model/file/serialization.h"
#include "model/model_access.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::labelled_data;
using testing::message_of;

class StopAfter : public Progress {
 public:
  explicit StopAfter(std::size_t rounds) : rounds_(rounds) {}
  bool round(std::size_t round, std::span<const RoundMetric> /*metrics*/) override {
    if (round + 1 == rounds_) request_stop();
    return true;
  }

 private:
  std::size_t rounds_;
};

// Throws where a process would be killed: what is in the file is all that is left.
class DieAfter : public Progress {
 public:
  DieAfter(std::size_t rounds, const std::string& file) : rounds_(rounds), file_(file) {}
  bool round(std::size_t round, std::span<const RoundMetric> /*metrics*/) override {
    if (round + 1 < rounds_) return true;
    if (std::filesystem::exists(file_)) std::filesystem::copy(file_, file_ + ".left");
    throw std::runtime_error("killed");
  }

 private:
  std::size_t rounds_;
  std::string file_;
};

struct Kind {
  std::string algorithm;
  std::string learner = "auto";
};
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest calls it so
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.algorithm << " " << kind.learner; }

class CheckpointOf : public ::testing::TestWithParam<Kind> {
 protected:
  void TearDown() override { withdraw_stop(); }

  static Parameters parameters() {
    Parameters parameters;
    parameters.algorithm = GetParam().algorithm;
    parameters.learner = GetParam().learner;
    parameters.rounds = 25;
    parameters.depth = 2;
    parameters.row_fraction = 0.8;
    if (parameters.algorithm != "forest") parameters.learning_rate = 0.7;
    parameters.phase_patience = 3;
    parameters.early_stopping = 12;
    parameters.seed = 5;
    parameters.threads = 2;
    return parameters;
  }
};

TEST_P(CheckpointOf, GivesTheBytesOfAnUnbrokenRun) {
  const DataFolder folder;
  const bool mixed = GetParam().learner != "linear";
  const Dataset data = labelled_data({.rows = 250, .mixed = mixed}, 31);
  const Dataset valid = labelled_data({.rows = 100, .mixed = mixed}, 32);
  TrainOptions options;
  options.valid = &valid;
  const std::string whole = serialize(ensemble_of(train(data, parameters(), options)));
  options.checkpoint.file = folder.path("checkpoint");
  options.checkpoint.rounds = 1;
  for (const std::size_t rounds : {1U, 5U, 6U, 14U}) {
    StopAfter progress(rounds);
    options.progress = &progress;
    train(data, parameters(), options);
    if (!stop_requested()) break;  // it had ended before
    withdraw_stop();
    EXPECT_TRUE(std::filesystem::exists(options.checkpoint.file));
  }
  options.progress = nullptr;
  EXPECT_EQ(serialize(ensemble_of(train(data, parameters(), options))), whole);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint.file));
}

TEST_P(CheckpointOf, GoesOnFromWhatAKilledRunLeft) {
  const DataFolder folder;
  const bool mixed = GetParam().learner != "linear";
  const Dataset data = labelled_data({.rows = 250, .mixed = mixed}, 31);
  TrainOptions options;
  Parameters wanted = parameters();
  wanted.early_stopping = 0;
  const std::string whole = serialize(ensemble_of(train(data, wanted, options)));
  for (const std::size_t rounds : {2U, 9U, 25U}) {
    options.checkpoint.file = folder.path("checkpoint" + std::to_string(rounds));
    options.checkpoint.rounds = 3;
    DieAfter progress(rounds, options.checkpoint.file);
    options.progress = &progress;
    try {
      train(data, wanted, options);
    } catch (const std::runtime_error&) {
    }
    const std::string left = options.checkpoint.file + ".left";
    std::filesystem::remove(options.checkpoint.file);
    if (std::filesystem::exists(left)) std::filesystem::rename(left, options.checkpoint.file);
    options.progress = nullptr;
    EXPECT_EQ(serialize(ensemble_of(train(data, wanted, options))), whole) << rounds;
  }
}

// The state at the end is one to go on from, too: with the reason why it was the end.
TEST_P(CheckpointOf, OfAnEndedTrainingAddsNothing) {
  const DataFolder folder;
  const bool mixed = GetParam().learner != "linear";
  const Dataset data = labelled_data({.rows = 250, .mixed = mixed}, 31);
  const Dataset valid = labelled_data({.rows = 100, .mixed = mixed}, 32);
  TrainOptions options;
  options.valid = &valid;
  options.checkpoint = {folder.path("checkpoint"), 0, 1, true};
  Parameters wanted = parameters();
  wanted.early_stopping = 2;
  const std::string whole = serialize(ensemble_of(train(data, wanted, options)));
  EXPECT_TRUE(std::filesystem::exists(options.checkpoint.file));
  EXPECT_EQ(serialize(ensemble_of(train(data, wanted, options))), whole);
}

std::vector<Kind> kinds() {
  std::vector<Kind> kinds;
  for (const AlgorithmRow& row : algorithm_table()) kinds.push_back({std::string(row.name)});
  kinds.push_back({"gd-mcboost", "linear"});
  kinds.push_back({"newton", "linear"});
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, CheckpointOf, ::testing::ValuesIn(kinds()),
                         [](const auto& test) {
                           std::string name = test.param.algorithm + "_" + test.param.learner;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoints() : data_(labelled_data({.rows = 100}, 33)) {
    parameters_.rounds = 5;
    options_.checkpoint = {folder_.path("checkpoint"), 0, 1, true};
    train(data_, parameters_, options_);
  }
  std::string say() {
    return message_of([&] { train(data_, parameters_, options_); });
  }
  std::string bytes() const {
    std::ifstream in(options_.checkpoint.file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(options_.checkpoint.file, std::ios::binary) << bytes;
  }

  DataFolder folder_;
  Dataset data_;
  Parameters parameters_;
  TrainOptions options_;
};

TEST_F(Checkpoints, OfOtherWorkAreRefusedWithWhatDiffers) {
  EXPECT_EQ(say(), "");
  parameters_.rounds = 6;
  EXPECT_NE(say().find("'rounds: 5' there, 'rounds: 6' here"), std::string::npos) << say();
  parameters_.rounds = 5;
  data_.labels.codes[3] = data_.labels.codes[3] == 0 ? 1 : 0;
  EXPECT_NE(say().find("training labels and weights"), std::string::npos) << say();
  data_ = labelled_data({.rows = 100}, 34);
  EXPECT_NE(say().find("training columns"), std::string::npos) << say();
  data_ = labelled_data({.rows = 100}, 33);
  options_.valid = &data_;
  EXPECT_NE(say().find("validation sets: 0"), std::string::npos) << say();
  options_.valid = nullptr;
  train(data_, parameters_).save(options_.checkpoint.file);
  EXPECT_NE(say().find("it is no checkpoint"), std::string::npos) << say();
}

TEST_F(Checkpoints, OfAnotherKindOfWorkAreRefused) {
  CheckpointFile elsewhere({folder_.path("other"), 0, 1, true}, {"work: something else"});
  elsewhere.write();
  options_.checkpoint.file = folder_.path("other");
  EXPECT_NE(say().find("'work: something else' there, 'work: training' here"), std::string::npos)
      << say();
}

TEST(CheckpointFacts, SayWhichLineDiffers) {
  const auto say = [](const WorkFacts& there, const WorkFacts& here) {
    return message_of([&] { require_same_facts("a", there, here); });
  };
  EXPECT_EQ(say({"version: 1", "x: 2"}, {"version: 1", "x: 2"}), "");
  EXPECT_EQ(say({"version: 1"}, {"version: 2"}),
            "a: the checkpoint is of other work: 'version: 1' there, 'version: 2' here; remove it, "
            "or give another name");
  EXPECT_NE(say({"version: 1", "x: 2"}, {"version: 1"}).find("'x: 2' there"), std::string::npos);
  EXPECT_NE(say({"version: 1"}, {"version: 1", "x: 2"}).find("'x: 2' here"), std::string::npos);
}

TEST_F(Checkpoints, ThatAreDamagedAreRefused) {
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 211) {
    write(whole.substr(0, size));
    ASSERT_NE(say(), "") << size;
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 37) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    write(changed);
    ASSERT_NE(say(), "") << bit;
  }
  write(whole);
  EXPECT_EQ(say(), "");
}

// Whoever can write the file can compute its checksum: parts are looked at by themselves.
TEST_F(Checkpoints, WithPartsThatAreCutOffAreRefused) {
  CheckpointFile file(options_.checkpoint, {"work: training"});
  const std::string part = *file.find("training");
  for (std::size_t size = 0; size < part.size(); size += 97) {
    file.keep("training", part.substr(0, size));
    file.write();
    ASSERT_NE(say(), "") << size;
  }
}

}  // namespace
}  // namespace simplexboost
