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

TEST(CsvReader, ReadsNumbersAndLabels) {
  const Dataset data = read_text("a.csv", "x,y,class\n1,-2.5,b\n+3,4e2,a\n.5,6.,b\n");
  EXPECT_EQ(data.rows, 3U);
  ASSERT_EQ(data.columns.size(), 2U);
  EXPECT_EQ(data.columns[0].schema.name, "x");
  EXPECT_EQ(values(data, 0), (Numbers{1, 3, .5}));
  EXPECT_EQ(values(data, 1), (Numbers{-2.5, 400, 6}));
  EXPECT_EQ(data.labels.classes, (Texts{"a", "b"}));
  EXPECT_EQ(data.labels.codes, (Codes{1, 0, 1}));
  EXPECT_EQ(data.labels.columns, Texts{"class"});
  EXPECT_FALSE(data.labels.multi_label());
}

TEST(CsvReader, NumbersAreTheNearestDoubles) {
  const Dataset data = read_text(
      "a.csv",
      "x,class\n0.1,a\n123456789012345678,b\n9007199254740993,a\n1.7976931348623157e308,a\n"
      "4.9e-324,a\n1e-400,a\n0.30000000000000004,a\n-0,a\n");
  EXPECT_EQ(values(data, 0),
            (Numbers{0.1, 123456789012345678.0, 9007199254740993.0, 1.7976931348623157e308,
                     4.9e-324, 0, 0.30000000000000004, -0.0}));
}

TEST(CsvReader, ColumnsAreAsNarrowAsTheirNumbersAllow) {
  const Dataset data = read_text("a.csv",
                                 "byte,word,half,gap,zero,tenth,large,class\n"
                                 "0,-1,0.5,3,-0,0.1,1e300,a\n"
                                 "255,300,16777216,,1,2,1,b\n");
  const std::vector<Scalar> wanted{Scalar::kUint8,   Scalar::kInt16,   Scalar::kFloat32,
                                   Scalar::kFloat32, Scalar::kFloat32, Scalar::kFloat64,
                                   Scalar::kFloat64};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(data.columns[i].scalar, wanted[i]) << i;
  EXPECT_EQ(values(data, 0), (Numbers{0, 255}));
  EXPECT_EQ(values(data, 1), (Numbers{-1, 300}));
  EXPECT_EQ(values(data, 2), (Numbers{0.5, 16777216}));
  EXPECT_TRUE(std::isnan(values(data, 3)[1]));
  EXPECT_TRUE(std::signbit(values(data, 4)[0]));
  EXPECT_EQ(values(data, 5), (Numbers{0.1, 2}));
  EXPECT_EQ(values(data, 6), (Numbers{1e300, 1}));
}

TEST(CsvReader, MissingValuesBecomeNaN) {
  const Dataset data = read_text("a.csv", "x,class\n,a\n?,b\nNA,a\nnan,a\nNaN,b\n1,b\n \"\" ,a\n");
  const Numbers x = values(data, 0);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::isnan(x[i]), i != 5) << i;
}

TEST(CsvReader, UnderstandsQuotesCrlfAndByteOrderMark) {
  const Dataset data = read_text(
      "a.csv",
      "\xEF\xBB\xBF\"the \"\"x\"\"\",größe,class\r\n\"a,b\", 1 ,\"u\nv\"\r\n\"a,b\",\"2\",w");
  EXPECT_EQ(data.columns[0].schema.name, "the \"x\"");
  EXPECT_EQ(data.columns[1].schema.name, "größe");
  EXPECT_EQ(data.columns[0].schema.categories, Texts{"a,b"});
  EXPECT_EQ(values(data, 1), (Numbers{1, 2}));
  EXPECT_EQ(data.labels.classes, (Texts{"u\nv", "w"}));
}

TEST(CsvReader, FindsTabsAndSemicolons) {
  EXPECT_EQ(read_text("a.csv", "x;y;class\n1;2;a\n3;4;b\n").columns.size(), 2U);
  EXPECT_EQ(read_text("a.csv", "x\ty\tclass\n1\t\ta\n3\t4\tb\n").columns.size(), 2U);
  EXPECT_EQ(read_text("a.tsv", "x, z\tclass\n1\ta\n3\tb\n").columns[0].schema.name, "x, z");
}

TEST(CsvReader, ReadsGzippedFilesWhateverTheirName) {
  const std::string text = "x,class\n1,a\n2,b\n";
  EXPECT_EQ(read_text("a.csv.gz", gzip(text)).rows, 2U);
  EXPECT_EQ(read_text("a.csv", gzip(text)).rows, 2U);
  EXPECT_EQ(read_text("a.csv.gz", text).rows, 2U);
  EXPECT_EQ(read_text("a.csv.gz", gzip(text) + gzip("3,c\n")).rows, 3U) << "joined files";
}

TEST(CsvReader, TrailingEmptyLinesAreNoRows) {
  EXPECT_EQ(read_text("a.csv", "x,class\n1,a\n2,b\n\n\r\n\n").rows, 2U);
}

TEST(CsvReader, WithoutHeaderColumnsAreNamedByPosition) {
  ReadOptions options;
  options.header = false;
  const Dataset data = read_text("a.csv", "1,2,a\n3,4,b\n", options);
  EXPECT_FALSE(data.named);
  EXPECT_EQ(data.rows, 2U);
  EXPECT_EQ(data.columns[1].schema.name, "2");
  EXPECT_EQ(data.labels.columns, Texts{"3"});
}

TEST(CsvReader, LabelByNameOrPosition) {
  ReadOptions options;
  options.label = {"kind"};
  EXPECT_EQ(read_text("a.csv", "kind,x,class\na,1,u\nb,2,u\n", options).labels.classes,
            (Texts{"a", "b"}));
  options.label = {"2"};
  EXPECT_EQ(read_text("a.csv", "kind,x,class\na,1,u\nb,10,u\n", options).labels.columns,
            Texts{"x"});
  EXPECT_EQ(read_text("a.csv", "class,x\na,1\nb,2\n").labels.columns, Texts{"class"});
  EXPECT_EQ(read_text("a.csv", "x,kind\n1,a\n2,b\n").labels.columns, Texts{"kind"});
}

TEST(CsvReader, NumericClassesAreInTheOrderOfNumbers) {
  EXPECT_EQ(read_text("a.csv", "x,class\n1,10\n2,9\n3,-1\n").labels.classes,
            (Texts{"-1", "9", "10"}));
  EXPECT_EQ(read_text("a.csv", "x,class\n1,10\n2,9\n3,z\n").labels.classes,
            (Texts{"10", "9", "z"}));
}

TEST(CsvReader, TypeOfAColumnFollowsItsContent) {
  const Dataset data = read_text("a.csv",
                                 "text,doors,half,none,class\n"
                                 "u,2,k,,a\nv,3,l,?,b\nw,4,m,NA,a\nx,5more,1,,a\ny,5more,2,,b\n");
  EXPECT_EQ(data.columns[0].schema.type, FeatureType::kCategorical);
  EXPECT_EQ(data.columns[1].schema.categories, (Texts{"2", "3", "4", "5more"}));
  EXPECT_EQ(data.columns[2].schema.categories, (Texts{"1", "2", "k", "l", "m"}));
  EXPECT_EQ(data.columns[3].schema.type, FeatureType::kNumeric) << "all missing";
}

TEST(CsvReader, TextThatComesLateStillMakesACategory) {
  std::string text = "x,y,class\n";
  for (int i = 0; i < 150; ++i) text += "7,1,a\n";
  for (int i = 0; i < 50; ++i) text += "late,2,b\n";
  const Dataset data = read_text("a.csv", text);
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"7", "late"}));
  EXPECT_EQ(values(data, 0)[149], 0);
  EXPECT_EQ(values(data, 0)[150], 1);
  EXPECT_EQ(values(data, 1)[199], 2);
}

TEST(CsvReader, StatedCategoriesMayBeNumbers) {
  ReadOptions options;
  options.categorical = {"x"};
  const Dataset data = read_text("a.csv", "x,class\n10,a\n9,b\n?,b\n10,a\n", options);
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"9", "10"}));
  const Numbers x = values(data, 0);
  EXPECT_EQ(x[0], 1);
  EXPECT_TRUE(std::isnan(x[2]));
}

TEST(CsvReader, WeightsAndIgnoredColumnsAreNoFeatures) {
  ReadOptions options;
  options.weight = "w";
  options.ignore = {"id", "2"};
  const Dataset data = read_text("a.csv", "id,y,w,x,class\nq,1,0.5,3,a\nr,2,0,4,b\n", options);
  ASSERT_EQ(data.columns.size(), 1U);
  EXPECT_EQ(data.columns[0].schema.name, "x");
  EXPECT_EQ(data.weights, (Numbers{0.5, 0}));
}

TEST(CsvReader, SeveralLabelColumnsAreMultiLabel) {
  ReadOptions options;
  options.label = {"sun", "rain"};
  const Dataset data = read_text("a.csv", "rain,x,sun\n1,5,1\n0,6,0\n1,7,0\n", options);
  EXPECT_TRUE(data.labels.multi_label());
  EXPECT_EQ(data.labels.classes, (Texts{"sun", "rain"}));
  EXPECT_EQ(data.labels.offsets, (std::vector<std::size_t>{0, 2, 2, 3}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 1, 1}));
  EXPECT_EQ(data.columns.size(), 1U);
}

TEST(CsvReader, LabelColumnsMaySayMinusOneForNo) {
  ReadOptions options;
  options.label = {"p", "q"};
  const Dataset data = read_text("a.csv", "p,q,x\n-1,1,5\n1,+1,6\n-1,-1,7\n", options);
  EXPECT_EQ(data.labels.offsets, (std::vector<std::size_t>{0, 1, 3, 3}));
  EXPECT_EQ(data.labels.codes, (Codes{1, 0, 1}));
}

TEST(CsvReader, EmptyCellsOfLabelColumnsAreUnknown) {
  ReadOptions options;
  options.label = {"p", "q"};
  ReadNotes notes;
  const Dataset data = read_text("a.csv", "p,q,x\n1,,5\n?,0,6\n1,NA,7\n", options, &notes);
  EXPECT_EQ(data.labels.offsets, (std::vector<std::size_t>{0, 1, 1, 2}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 0}));
  EXPECT_EQ(data.labels.weights, (std::vector<float>{1, 0, 0, 1, 1, 0}));
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_NE(notes.lines[0].find("3 of 6 labels are unknown, and left out"), std::string::npos);
  EXPECT_EQ(select_rows(data, {2, 1}).labels.weights, (std::vector<float>{1, 0, 0, 1}));
}

TEST(CsvReader, ALabelThatNoRowKnowsIsNoted) {
  ReadOptions options;
  options.label = {"p", "q"};
  ReadNotes notes;
  read_text("a.csv", "p,q,x\n1,,5\n0,,6\n", options, &notes);
  ASSERT_EQ(notes.lines.size(), 2U);
  EXPECT_NE(notes.lines[1].find("no row knows of 'q'"), std::string::npos) << notes.lines[1];
}

TEST(CsvReader, PredictionDataMayLackLabels) {
  const Schema schema = read_text("t.csv", "x,class\n1,a\n2,b\n").schema();
  ReadOptions options;
  options.schema = &schema;
  options.require_labels = false;
  EXPECT_TRUE(read_text("p.csv", "x\n1\n", options).labels.empty());
  EXPECT_TRUE(read_text("p.csv", "x,class\n1,?\n2,\n", options).labels.empty());
  EXPECT_EQ(read_text("p.csv", "x,class\n1,?\n2,b\n", options).labels.codes, (Codes{-1, 1}));
}

}  // namespace
}  // namespace simplexboost
