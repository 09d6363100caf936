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

constexpr const char* kWeather =
    "% weather\n@RELATION 'the weather'\n\n"
    "@Attribute temperature REAL\n@attribute 'wind speed' integer % in knots\n"
    "@attribute outlook{sunny, 'light rain', \"it\\'s dark\"}\n@attribute place string\n"
    "@attribute class {yes,no}\n@DATA\n"
    "20.5, 3, sunny, 'New York', yes\r\n"
    "% a comment\n"
    "?,4,'light rain',Berlin,no % another\n"
    "\n"
    "1e1,5,\"it's dark\",Berlin,yes\n";

TEST(ArffReader, ReadsDenseRows) {
  const Dataset data = read_text("a.arff", kWeather);
  EXPECT_EQ(data.rows, 3U);
  ASSERT_EQ(data.columns.size(), 4U);
  EXPECT_EQ(data.columns[1].schema.name, "wind speed");
  EXPECT_EQ(values(data, 0)[0], 20.5);
  EXPECT_TRUE(std::isnan(values(data, 0)[1]));
  EXPECT_EQ(values(data, 1), (Numbers{3, 4, 5}));
  EXPECT_EQ(data.columns[2].schema.categories, (Texts{"it's dark", "light rain", "sunny"}));
  EXPECT_EQ(values(data, 2), (Numbers{2, 1, 0}));
  EXPECT_EQ(data.columns[3].schema.categories, (Texts{"Berlin", "New York"}));
  EXPECT_EQ(data.labels.classes, (Texts{"no", "yes"}));
  EXPECT_EQ(data.labels.codes, (Codes{1, 0, 1}));
}

TEST(ArffReader, ReadsGzip) { EXPECT_EQ(read_text("a.arff.gz", gzip(kWeather)).rows, 3U); }

TEST(ArffReader, SparseRowsLeaveOutZerosAndFirstValues) {
  const Dataset data = read_text("a.arff",
                                 "@attribute x real\n@attribute c {u,v}\n@attribute class {a,b}\n"
                                 "@data\n{0 5}\n{1 v, 2 b}\n{}\n{ 0 ?, 1 v }\n");
  EXPECT_EQ(values(data, 0)[0], 5);
  EXPECT_EQ(values(data, 0)[1], 0);
  EXPECT_TRUE(std::isnan(values(data, 0)[3]));
  EXPECT_EQ(values(data, 1), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(data.labels.codes, (Codes{0, 1, 0, 0}));
}

TEST(ArffReader, DeclaredValuesMayLookMissing) {
  const Dataset data = read_text("a.arff",
                                 "@attribute x {NA,EU}\n@attribute class {a,b}\n@data\n"
                                 "NA,a\nEU,b\n?,b\n");
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"EU", "NA"}));
  EXPECT_EQ(values(data, 0)[0], 1);
  EXPECT_TRUE(std::isnan(values(data, 0)[2]));
}

TEST(ArffReader, NumbersMayBeLabelsOrStatedCategories) {
  ReadOptions options;
  options.categorical = {"x"};
  const Dataset data = read_text(
      "a.arff", "@attribute x real\n@attribute y real\n@data\n10,2\n9,1\n{0 10}\n", options);
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"9", "10"}));
  EXPECT_EQ(data.labels.classes, (Texts{"0", "1", "2"}));
}

TEST(ArffReader, NominalNumbersFitANumericFeatureOfAModel) {
  const Schema schema = read_text("a.csv", "x,class\n1,a\n2,b\n").schema();
  ReadOptions options;
  options.schema = &schema;
  const Dataset data =
      read_text("a.arff", "@attribute class {b,a}\n@attribute x {0,1}\n@data\nb,1\na,0\n", options);
  EXPECT_EQ(values(data, 0), (Numbers{1, 0}));
  EXPECT_EQ(data.labels.codes, (Codes{1, 0}));
}

}  // namespace
}  // namespace simplexboost
