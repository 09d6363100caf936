// Prediction data against the schema of a model: by name in any order, by position else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "data/data_files.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::read_text;
using testing::values;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = std::vector<std::int32_t>;

Dataset match(const Schema& schema, const std::string& text, ReadNotes* notes = nullptr,
              ReadOptions options = {}) {
  options.schema = &schema;
  options.require_labels = false;
  return read_text("p.csv", text, options, notes);
}

ReadOptions without_header() {
  ReadOptions options;
  options.header = false;
  return options;
}

Schema trained() {
  return read_text("t.csv", "x,color,y,class\n1,red,2,a\n3,blue,4,b\n5,green,6,c\n").schema();
}

TEST(Matching, TakesColumnsByNameInAnyOrder) {
  const Dataset data = match(trained(), "class,y,color,x\nb,20,red,10\n");
  ASSERT_EQ(data.columns.size(), 3U);
  EXPECT_EQ(values(data, 0), Numbers{10});
  EXPECT_EQ(values(data, 1), Numbers{2}) << "blue, green, red";
  EXPECT_EQ(values(data, 2), Numbers{20});
  EXPECT_EQ(data.labels.codes, Codes{1});
  EXPECT_EQ(data.labels.classes, (Texts{"a", "b", "c"}));
  EXPECT_EQ(data.schema().features, trained().features);
}

TEST(Matching, NamesTheColumnsThatItIgnores) {
  ReadNotes notes;
  match(trained(), "id,x,color,y,note\n1,2,red,3,hm\n", &notes);
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_NE(notes.lines[0].find("ignored columns that the model does not use: id, note"),
            std::string::npos);
}

TEST(Matching, OfVeryManyUnseenCategoriesAFewAreTold) {
  std::string text = "x,color,y\n";
  for (int i = 0; i < 2000; ++i) text += "1,t" + std::to_string(i) + ",2\n";
  ReadNotes notes;
  match(trained(), text, &notes);
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_NE(notes.lines[0].find("2000 rows hold 't0', 't1', 't10', 't100', 't101' and many more, "),
            std::string::npos)
      << notes.lines[0];
}

TEST(Matching, UnseenCategoriesAreMissing) {
  ReadNotes notes;
  const Dataset data =
      match(trained(), "x,color,y\n1,teal,2\n1,pink,2\n1,teal,2\n1,red,2\n", &notes);
  const Numbers color = values(data, 1);
  EXPECT_TRUE(std::isnan(color[0]));
  EXPECT_EQ(color[3], 2);
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_NE(notes.lines[0].find("column 'color': 3 rows hold 'pink', 'teal', not seen in training: "
                                "taken as missing"),
            std::string::npos);
}

TEST(Matching, UnseenClassesGetNoCode) {
  const char* const text = "x,color,y,class\n1,red,2,z\n1,red,2,c\n";
  const Schema schema = trained();
  ReadNotes notes;
  EXPECT_EQ(match(schema, text, &notes).labels.codes, (Codes{-1, 2}));
  EXPECT_TRUE(notes.lines.empty());  // nobody looks at them
  ReadOptions options;
  options.schema = &schema;
  const Dataset data = read_text("p.csv", text, options, &notes);
  EXPECT_EQ(data.labels.codes, (Codes{-1, 2}));
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_NE(notes.lines[0].find("1 row holds 'z', no class of the model"), std::string::npos);
}

TEST(Matching, OneRowOfOneClassIsEnoughForAModel) {
  const Schema schema = trained();
  ReadOptions options;
  options.schema = &schema;
  EXPECT_EQ(read_text("v.csv", "x,color,y,class\n1,red,2,a\n", options).rows, 1U);
}

TEST(Matching, WithoutHeaderColumnsGoByPositionAndTheLabelIsLast) {
  EXPECT_TRUE(match(trained(), "1,red,2\n", nullptr, without_header()).labels.empty());
  const Dataset data = match(trained(), "1,red,2,b\n", nullptr, without_header());
  EXPECT_EQ(data.labels.codes, Codes{1});
  EXPECT_EQ(values(data, 2), Numbers{2});
}

TEST(Matching, WithoutHeaderInTrainingTheLabelKeepsItsPlace) {
  ReadOptions options = without_header();
  options.label = {"1"};
  const Schema schema = read_text("t.csv", "a,1,2\nb,3,4\n", options).schema();
  EXPECT_EQ(values(match(schema, "b,7,8\n", nullptr, without_header()), 1), Numbers{8});
  EXPECT_EQ(values(match(schema, "7,8\n", nullptr, without_header()), 1), Numbers{8});
  const Dataset named = match(schema, "class,u,v\nb,7,8\n");
  EXPECT_EQ(values(named, 0), Numbers{7});
  EXPECT_EQ(named.labels.codes, Codes{1});
}

TEST(Matching, MultiLabelColumnsGoByName) {
  ReadOptions options;
  options.label = {"p", "q"};
  const Schema schema = read_text("t.csv", "x,p,q\n1,0,1\n2,1,0\n", options).schema();
  EXPECT_TRUE(schema.multi_label);
  const Dataset data = match(schema, "q,x,p\n1,5,0\n1,6,1\n");
  EXPECT_EQ(data.labels.codes, (Codes{1, 0, 1}));
  EXPECT_TRUE(match(schema, "x\n5\n").labels.empty());
}

TEST(Matching, SingleColumnMayHoldEmptyLines) {
  const Schema schema = read_text("t.csv", "x,class\n1,a\n2,b\n").schema();
  const Dataset data = match(schema, "x\n5\n\n6\n");
  EXPECT_EQ(data.rows, 3U);
  EXPECT_TRUE(std::isnan(values(data, 0)[1]));
}

// Puts a file in the place of standard input while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

TEST(StandardInputTest, IsCsvUnlessStatedOtherwise) {
  const DataFolder folder;
  {
    const StandardInput input(folder.write("a", "x,class\n1,a\n2,b\n"));
    EXPECT_EQ(read_dataset("-", {}).source, "<stdin>");
  }
  const StandardInput input(folder.write("b", testing::gzip("1 1:1\n2 2:2\n")));
  ReadOptions options;
  options.format = FileFormat::kLibsvm;
  EXPECT_EQ(read_dataset("-", options).columns.size(), 2U);
}

TEST(StandardInputTest, IsNamedInErrors) {
  const DataFolder folder;
  const StandardInput input(folder.write("a", "x,class\n1,a\n2\n"));
  try {
    read_dataset("-", {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("<stdin>:3:2: ")) << error.what();
  }
}

}  // namespace
}  // namespace simplexboost
