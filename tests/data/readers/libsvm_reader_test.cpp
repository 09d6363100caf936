#include <gtest/gtest.h>

#include <cmath>

#include "data/data_files.h"

namespace simplexboost {
namespace {

using testing::gzip;
using testing::read_text;
using testing::values;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = std::vector<std::int32_t>;
using Sizes = std::vector<std::size_t>;

TEST(LibsvmReader, ReadsSparseColumnsNamedByIndex) {
  const Dataset data =
      read_text("a.svm", "# a comment\n+1 1:0.5 3:2 # more\r\n\n-1\t2:7\n+1 1:0 3:nan\n");
  EXPECT_EQ(data.rows, 3U);
  ASSERT_EQ(data.columns.size(), 3U);
  EXPECT_FALSE(data.named);
  EXPECT_EQ(data.columns[2].schema.name, "3");
  for (const Column& column : data.columns) EXPECT_TRUE(column.sparse);
  EXPECT_EQ(data.columns[0].sparse_rows->size(), 1U) << "zeros are not stored";
  EXPECT_EQ(values(data, 0), (Numbers{0.5, 0, 0}));
  EXPECT_EQ(values(data, 1), (Numbers{0, 7, 0}));
  EXPECT_EQ(values(data, 2)[0], 2);
  EXPECT_TRUE(std::isnan(values(data, 2)[2]));
  EXPECT_EQ(data.labels.classes, (Texts{"-1", "1"}));
  EXPECT_EQ(data.labels.codes, (Codes{1, 0, 1}));
}

TEST(LibsvmReader, CountsFromZeroIfIndexZeroOccurs) {
  const Dataset data = read_text("a.svm", "1 1:5\n2 0:3 1:4\n");
  ASSERT_EQ(data.columns.size(), 2U);
  EXPECT_EQ(data.columns[0].schema.name, "0");
  EXPECT_EQ(values(data, 0), (Numbers{0, 3}));
  EXPECT_EQ(values(data, 1), (Numbers{5, 4}));
}

TEST(LibsvmReader, ListsOfLabelsAreMultiLabel) {
  const Dataset data = read_text("a.svm", "3,10 1:1\n 1:2\n10 1:3\n");
  EXPECT_EQ(data.labels.classes, (Texts{"3", "10"}));
  EXPECT_EQ(data.labels.offsets, (Sizes{0, 2, 2, 3}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 1, 1}));
}

TEST(LibsvmReader, AQuestionMarkLeavesALabelOpen) {
  const Dataset data = read_text("a.svm", "3,?10 1:1\n 1:2\n?3 1:3\n10 1:4\n");
  EXPECT_EQ(data.labels.classes, (Texts{"3", "10"}));
  EXPECT_EQ(data.labels.offsets, (Sizes{0, 1, 1, 1, 2}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 1}));
  EXPECT_EQ(data.labels.weights, (std::vector<float>{1, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_NE(testing::read_error("a.svm", "3,?3 1:1\n1 1:2\n").find("label '3' twice"),
            std::string::npos);
  EXPECT_NE(testing::read_error("a.svm", "? 1:1\n1 1:2\n").find("(?a: a is unknown)"),
            std::string::npos);
}

TEST(LibsvmReader, SingleLabelsMayBeForcedToLists) {
  ReadOptions options;
  options.multi_label = true;
  const Dataset data = read_text("a.svm", "1 1:1\n1:2\n2 1:2\n", options);
  EXPECT_EQ(data.labels.offsets, (Sizes{0, 1, 1, 2}));
}

TEST(LibsvmReader, ReadsGzip) {
  EXPECT_EQ(read_text("a.svm.gz", gzip("1 1:1\n2 2:2\n")).columns.size(), 2U);
}

TEST(LibsvmReader, IgnoredIndicesAreNoFeatures) {
  ReadOptions options;
  options.ignore = {"2"};
  const Dataset data = read_text("a.svm", "1 1:1 2:2 3:3\n2 1:2\n", options);
  ASSERT_EQ(data.columns.size(), 2U);
  EXPECT_EQ(data.columns[1].schema.name, "3");

  const Schema schema = data.schema();
  ReadOptions matching;
  matching.schema = &schema;
  EXPECT_EQ(values(read_text("b.svm", "1 2:2 3:9\n", matching), 1), Numbers{9}) << "by index";
}

TEST(LibsvmReader, MatchesAModelByIndexAndFillsWithZeros) {
  const Schema schema = read_text("a.svm", "1 1:1 3:3\n2 2:2\n").schema();
  ReadOptions options;
  options.schema = &schema;
  ReadNotes notes;
  const Dataset data = read_text("b.svm", "7 1:4 9:1\n2 2:1\n", options, &notes);
  ASSERT_EQ(data.columns.size(), 3U);
  EXPECT_EQ(values(data, 0), (Numbers{4, 0}));
  EXPECT_EQ(values(data, 2), (Numbers{0, 0}));
  EXPECT_EQ(data.labels.codes, (Codes{-1, 1}));
  ASSERT_EQ(notes.lines.size(), 2U);
  EXPECT_NE(notes.lines[0].find("ignored features that the model does not use: 9"),
            std::string::npos);
  EXPECT_NE(notes.lines[1].find("1 row holds '7', no class of the model"), std::string::npos);
}

// A few rows of large indices: what is zero in all rows has no name, no type and no column.
TEST(LibsvmReader, LargeIndicesTakeColumnsOnlyWhereARowHasThem) {
  const Dataset data = read_text("a.svm", "1 7:1 900000:2\n2 65536:3 900000:0\n");
  ASSERT_EQ(data.columns.size(), 3U);
  EXPECT_EQ(data.columns[0].schema.name, "7");
  EXPECT_EQ(data.columns[1].schema.name, "65536");
  EXPECT_EQ(data.columns[2].schema.name, "900000");
  EXPECT_EQ(values(data, 2), (Numbers{2, 0}));
  EXPECT_EQ(read_text("a.svm", "1 7:1\n2 65535:3\n").columns.size(), 65'535U) << "all of few";

  const Schema schema = data.schema();
  ReadOptions options;
  options.schema = &schema;
  EXPECT_EQ(values(read_text("b.svm", "2 8:5 65536:4\n", options), 1), Numbers{4}) << "by index";
  std::string row = "2";
  for (int j = 1; j <= 900'000; ++j) row += j == 65'536 ? ",6" : ",0";
  options.require_labels = false;
  options.header = false;
  EXPECT_EQ(values(read_text("b.csv", row.substr(2) + "\n", options), 1), Numbers{6})
      << "by position";
}

TEST(LibsvmReader, MatchesAModelOfACsvByPosition) {
  const Schema schema = read_text("a.csv", "x,y,class\n1,2,u\n3,4,v\n").schema();
  ReadOptions options;
  options.schema = &schema;
  options.require_labels = false;
  const Dataset data = read_text("b.svm", "2:5\n1:6\n", options);
  EXPECT_EQ(data.columns[1].schema.name, "y");
  EXPECT_EQ(values(data, 1), (Numbers{5, 0}));
  EXPECT_TRUE(data.labels.empty());
}

TEST(LibsvmReader, MultiLabelModelLeavesUnknownClassesOut) {
  const Schema schema = read_text("a.svm", "1,2 1:1\n3 1:2\n").schema();
  ReadOptions options;
  options.schema = &schema;
  ReadNotes notes;
  const Dataset data = read_text("b.svm", "3,9,1 1:1\n2 1:1\n", options, &notes);
  EXPECT_EQ(data.labels.offsets, (Sizes{0, 2, 3}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 2, 1}));
  EXPECT_EQ(notes.lines.size(), 1U);
}

}  // namespace
}  // namespace simplexboost
