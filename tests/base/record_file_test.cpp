#include "base/files/record_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

class RecordFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "recordsXXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = (folder_ / "records.jsonl").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(RecordFileTest, KeepsWhatWasAdded) {
  RecordFile(path_).add("a", R"({"value":0.5,"text":"x"})");
  RecordFile file(path_);
  file.add("b", R"({"value":null})");
  const RecordFile again(path_);
  ASSERT_NE(again.find("a"), nullptr);
  EXPECT_EQ(*again.find("a"), R"({"value":0.5,"text":"x"})");
  EXPECT_EQ(*again.find("b"), R"({"value":null})");
  EXPECT_EQ(again.find("c"), nullptr);
}

TEST_F(RecordFileTest, LeavesOutWhatIsNoWholeRecord) {
  std::ofstream(path_)
      << "{\"key\":\"a\",\"n\":1}\n{\"key\":\"b\",\"n\n[1]\n{\"key\":7}\nnonsense\n";
  RecordFile file(path_);
  EXPECT_NE(file.find("a"), nullptr);
  EXPECT_EQ(file.find("b"), nullptr);
  file.add("c", "{}");
  EXPECT_NE(RecordFile(path_).find("a"), nullptr);
}

TEST_F(RecordFileTest, AFileOfSomethingElseIsNotReplaced) {
  for (const char* text : {"my notes\n", "\n{\"keys\":1}\n", "x\n{\"key\":\"a\"}\n"}) {
    std::ofstream(path_, std::ios::trunc) << text;
    EXPECT_THROW(RecordFile{path_}, IoError) << text;
    std::ifstream in(path_);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
  }
  for (const char* text : {"", "\n \n", "\n{\"key\":\"a\"}\n"}) {
    std::ofstream(path_, std::ios::trunc) << text;
    EXPECT_NO_THROW(RecordFile{path_}) << text;
  }
}

TEST_F(RecordFileTest, WithoutAPathRemembersOnly) {
  RecordFile file("");
  file.add("a", "{}");
  EXPECT_NE(file.find("a"), nullptr);
}

TEST(ShortHash, IsFnv1a) {
  EXPECT_EQ(short_hash(""), "cbf29ce484222325");
  EXPECT_EQ(short_hash("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace simplexboost
