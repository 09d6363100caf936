// Weights of labels from a file of their own.
#include "data/labels/label_weights.h"

#include <gtest/gtest.h>

#include "data/data_files.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::DataFolder;

constexpr const char* kData = "x,class\n1,b\n2,a\n3,c\n";

// With the weights in a file beside the data.
Dataset read_weighted(const DataFolder& folder, const std::string& weights,
                      const std::string& data = kData, ReadOptions options = {}) {
  options.label_weights = folder.write("w.csv", weights);
  return read_dataset(folder.write("a.csv", data), options);
}

TEST(LabelWeights, MayComeInAnyUnit) {
  const DataFolder folder;
  for (const char* unit : {"e39", "e-300", "e300"}) {
    const std::string one = std::string("1") + unit;
    const std::string half = std::string("0.5") + unit;
    const Dataset data = read_weighted(folder, "a,b,c\n" + one + ",0," + half + "\n" + one + "," +
                                                   one + "," + half + "\n0,0," + one + "\n");
    const std::vector<float>& weights = data.labels.weights;
    EXPECT_GE(weights[0], 1) << unit;
    EXPECT_EQ(weights[1], 0) << unit;
    EXPECT_FLOAT_EQ(weights[2] * 2, weights[0]) << unit;
  }
}

TEST(LabelWeights, ColumnsGoByName) {
  const DataFolder folder;
  const Dataset data = read_weighted(folder, "c,a,b\n1,2,3\n0,0.5,6\n7,8,1e3\n");
  EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(data.labels.weights, (std::vector<float>{2, 3, 1, 0.5, 6, 0, 8, 1000, 7}));
}

TEST(LabelWeights, NamesMayBeNumbersAndTheFileGzipped) {
  const DataFolder folder;
  const Dataset data =
      read_weighted(folder, testing::gzip("1;0\n1;2\n3;4\n"), "x,class\n1,0\n2,1\n");
  EXPECT_EQ(data.labels.weights, (std::vector<float>{2, 1, 4, 3}));
}

TEST(LabelWeights, UnknownLabelsStayUnknown) {
  const DataFolder folder;
  ReadOptions options;
  options.label = {"p", "q"};
  const Dataset data = read_weighted(folder, "q,p\n2,3\n4,5\n", "p,q,x\n1,,5\n0,1,6\n", options);
  EXPECT_EQ(data.labels.weights, (std::vector<float>{3, 0, 5, 4}));
}

TEST(LabelWeights, MistakesAreNamedWithTheirPlace) {
  const DataFolder folder;
  const auto say = [&](const std::string& weights) {
    try {
      read_weighted(folder, weights);
    } catch (const Error& error) {
      const std::string message = error.what();
      const std::string path = folder.path("w.csv");
      return message.starts_with(path) ? message.substr(path.size()) : message;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,-1,1\n1,1,1\n"), ":3:3: a negative weight; expected zero or more");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1,\n1,1,1\n"),
            ":3:5: the weight is missing; expected a number, zero or more");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1,nan\n1,1,1\n"),
            ":3:5: the weight is missing; expected a number, zero or more");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1,1\n1,inf,1\n"),
            ":4:3: 'inf' is infinite; expected a finite number in a column of weights, zero or "
            "more");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1,1\n1,x,1\n"),
            ":4:3: 'x' is text; expected a number in a column of weights, zero or more");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1e-50,1,1\n1,1,1\n"),
            ":3:1: the weight 1e-50 is less than 8e-31 of the mean weight; give 0 or more than "
            "that");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1,1\n").substr(0, 38),
            ": 2 rows of weights, but " + folder.path("a.csv").substr(0, 13));
  EXPECT_EQ(say("a,b\n1,1\n1,1\n1,1\n"),
            ":1:1: no column of weights for c; give one for every class");
  EXPECT_EQ(say("a,b,d\n1,1,1\n1,1,1\n1,1,1\n").substr(0, 61),
            ":1:1: the first line must name the classes: unknown class 'd'");
  EXPECT_EQ(say("0.5,0.25,0.125\n1,1,1\n1,1,1\n1,1,1\n").substr(0, 63),
            ":1:1: the first line must name the classes: unknown class '0.5'");
  EXPECT_EQ(say("a,b,a\n1,1,1\n1,1,1\n1,1,1\n"),
            ":1:5: a second column named 'a'; give each its own name");
  EXPECT_EQ(say("a,b,c\n1,1,1\n1,1\n1,1,1\n"),
            ":3:4: the row ends after 2 cells, expected 3 as in the header");
  EXPECT_EQ(say("a,b,c\n0,0,0\n0,0,0\n0,0,0\n"),
            ": all weights are zero; expected one above zero at least");
  EXPECT_EQ(say(""), ": is empty; expected a line of column names and rows below it");
}

}  // namespace
}  // namespace simplexboost
