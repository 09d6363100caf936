#include "simplexboost/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/message_of.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "model_XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "model.safetensors";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Model model(std::uint64_t seed) { return make_model(random_ensemble({}, seed)); }

  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(ModelFile, LoadGivesWhatWasSaved) {
  const Model saved = model(1);
  saved.save(path_);
  const Model loaded = Model::load(path_);
  EXPECT_TRUE(ensemble_of(loaded) == ensemble_of(saved));
  const Dataset data = random_data(saved.schema(), 100, 2);
  EXPECT_EQ(loaded.predict_proba(data).values, saved.predict_proba(data).values);
  const std::string bytes = content();
  loaded.save(path_);
  EXPECT_EQ(content(), bytes);
}

TEST_F(ModelFile, BytesInMemoryAreThoseOfTheFile) {
  const Model saved = model(1);
  saved.save(path_);
  const std::vector<std::byte> bytes = saved.to_bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), content());
  EXPECT_TRUE(ensemble_of(Model::from_bytes(bytes)) == ensemble_of(saved));
  EXPECT_THROW(Model::from_bytes(std::span(bytes).first(bytes.size() - 1)), ModelError);
}

TEST_F(ModelFile, TellsWhatItIsMadeOf) {
  const Ensemble ensemble = random_ensemble({}, 4);
  const Model model = make_model(ensemble);
  EXPECT_EQ(model.algorithm(), ensemble.algorithm);
  EXPECT_EQ(model.parameters(), ensemble.parameters);
  EXPECT_EQ(model.log(), ensemble.log);
  EXPECT_EQ(model.forest(), ensemble.forest);
  EXPECT_EQ(model.bias(), ensemble.bias);
  EXPECT_EQ(model.codewords(), codeword_matrix(ensemble));
  const std::size_t features = ensemble.schema.features.size();
  const std::vector<FeatureImportance> importance = model.importance();
  EXPECT_EQ(importance.size(), features);
  EXPECT_GE(importance.front().gain, importance.back().gain);
  EXPECT_EQ(model.class_importance().size(), features * ensemble.classes());
  EXPECT_NE(model.tree_text(0).find(model.test_text(model.forest().nodes[0])), std::string::npos);
  EXPECT_EQ(
      message_of<ModelError>([&] { model.tree_text(model.forest().trees.size()); }),
      fmt::format("the model has {0} trees, there is no tree {0}", ensemble.forest.trees.size()));
}

TEST_F(ModelFile, StagedScoresAreThoseOfTheFirstRounds) {
  const Model whole = model(5);
  const Dataset data = random_data(whole.schema(), 50, 6);
  StagedScores staged(whole, data, 1);
  for (std::size_t rounds = 1; rounds <= whole.rounds(); ++rounds)
    EXPECT_EQ(staged.after(rounds).values, whole.predict_scores(data, {1, rounds}).values)
        << rounds;
  EXPECT_THROW(staged.after(whole.rounds() - 1), ParameterError);
  EXPECT_THROW(staged.after(whole.rounds() + 1), ParameterError);
}

TEST_F(ModelFile, UnsoundModelIsRefusedBeforeUse) {
  auto ensemble = std::make_shared<Ensemble>(random_ensemble({}, 3));
  ensemble->bias.clear();
  EXPECT_THROW(make_model(ensemble), ModelError);
}

TEST_F(ModelFile, MessagesBeginWithThePath) {
  const auto load = [&] { Model::load(path_); };
  EXPECT_EQ(message_of<IoError>(load), path_ + ": No such file or directory");
  write("");
  EXPECT_EQ(message_of<ModelError>(load), path_ + ": it is too short to be a model file");
  write("a,b,class\n1,2,red\n");
  EXPECT_EQ(
      message_of<ModelError>(load),
      path_ + ": not a sound safetensors file: it does not begin with the length of a header");
  EXPECT_EQ(message_of<IoError>([&] { Model::load(folder_); }),
            folder_.string() + ": it is a directory, not a model file");
}

TEST_F(ModelFile, PipesAndDevicesAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(message_of<IoError>([&] { Model::load(path_); }), path_ + ": it is not a regular file");
  EXPECT_THROW(Model::load("/dev/zero"), IoError);
}

// A file whose size alone would exhaust the memory, its header promising more.
TEST_F(ModelFile, FilesLargerThanTheMemoryAreRefusedUnread) {
  write(std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  std::error_code error;
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 42, error);
  if (error) GTEST_SKIP() << "this file system has no sparse files of that size";
  EXPECT_THROW(Model::load(path_), ModelError);
}

// Limits the size of files, as a full disk does, for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*old_handler_)(int);
  rlimit old_limit_{};
};

TEST_F(ModelFile, OldFileSurvivesAFailedSave) {
  model(4).save(path_);
  const std::string before = content();
  {
    const FileSizeLimit limit(before.size() / 2);
    EXPECT_THROW(model(5).save(path_), IoError);
  }
  EXPECT_EQ(content(), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ModelFile, FailedSavesSayWhy) {
  EXPECT_THROW(model(6).save("/dev/full"), IoError);
  EXPECT_THROW(model(6).save(folder_), IoError);
  EXPECT_THROW(model(6).save(folder_ / "missing" / "model"), IoError);
}

}  // namespace
}  // namespace simplexboost
