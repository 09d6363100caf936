#include "codeword/make_codebook.h"

#include <gtest/gtest.h>

#include <string>

#include "base/message_of.h"
#include "codeword/codebook_file.h"
#include "data/data_files.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::message_of;

std::string spec_error(const CodebookSpec& spec) {
  return message_of([&] { make_codebook(spec); });
}

// The message without the folder; "" if nothing was thrown.
std::string file_error(std::string_view text) {
  const DataFolder folder;
  const std::string path = folder.write("c.csv", text);
  const std::string message = spec_error({.kind = path});
  return message.starts_with(path) ? "c.csv" + message.substr(path.size()) : message;
}

TEST(MakeCodebook, EveryNameGivesItsKind) {
  for (const std::string_view name : codebook_names()) {
    CodebookSpec spec{.kind = std::string(name), .classes = 6};
    if (name == "maxmin") spec.dimension = 3;
    const Codebook book = make_codebook(spec);
    EXPECT_EQ(codebook_kind_name(book.kind()), name);
    EXPECT_EQ(book.classes(), 6U);
  }
}

TEST(MakeCodebook, DimensionAloneChoosesTheKind) {
  EXPECT_EQ(make_codebook({.classes = 6}).kind(), CodebookKind::kSimplex);
  EXPECT_EQ(make_codebook({.classes = 6, .dimension = 5}).kind(), CodebookKind::kSimplex);
  EXPECT_EQ(make_codebook({.classes = 6, .dimension = 2}).kind(), CodebookKind::kMaxMin);
  EXPECT_EQ(make_codebook({.classes = 6, .dimension = 6}).kind(), CodebookKind::kMaxMin);
}

// jmlr2019, Theorem 3: no set has a larger capacity than the simplex, whatever the dimension.
TEST(MakeCodebook, MoreDimensionsThanTheSimplexNeedsStayEmpty) {
  const Codebook simplex = make_codebook({.kind = "simplex", .classes = 5});
  for (const std::size_t dimension : {5U, 6U, 9U}) {
    const Codebook book = make_codebook({.kind = "maxmin", .classes = 5, .dimension = dimension});
    ASSERT_EQ(book.dimension(), dimension);
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t j = 0; j < dimension; ++j)
        EXPECT_NEAR(book.entry(k, j), j < 4 ? simplex.entry(k, j) : 0, 1e-6) << k << " " << j;
  }
}

TEST(MakeCodebook, SaysWhatWouldBeRight) {
  EXPECT_EQ(spec_error({.kind = "simplx", .classes = 4}),
            "unknown codewords 'simplx'; did you mean 'simplex'? (valid: simplex, canonical, "
            "maxmin, one-vs-all, all-pairs, random, random-sparse)");
  EXPECT_EQ(spec_error({.kind = "simplex", .classes = 4, .dimension = 2}),
            "simplex codewords of 4 classes have dimension 3, not 2; maxmin takes any from 2 on");
  EXPECT_EQ(spec_error({.kind = "maxmin", .classes = 4, .dimension = 1}),
            "maxmin codewords of 4 classes have a dimension of 2 or more, not 1");
  EXPECT_NE(spec_error({.kind = "maxmin", .classes = 4}), "");
  EXPECT_NE(spec_error({.kind = "simplex", .classes = 1}), "");
  EXPECT_NE(spec_error({.kind = "simplex", .classes = std::size_t{1} << 62}), "");
  EXPECT_NE(spec_error({.kind = "all-pairs", .classes = 1'000'000}), "");
  EXPECT_NE(spec_error({.kind = "random", .classes = 100, .dimension = std::size_t{1} << 62}), "");
  EXPECT_NE(spec_error({.kind = "random", .classes = 100, .dimension = 0}), "");
  EXPECT_NE(spec_error({.kind = "maxmin", .classes = 1'000'000, .dimension = 20}), "");
}

TEST(CodebookFile, ReadsAMatrix) {
  const DataFolder folder;
  const std::string path = folder.write("c.csv", "1, -0.5\r\n-1,0.5\n0,2e0\n\n");
  const Codebook book = make_codebook({.kind = path, .classes = 3, .dimension = 2});
  EXPECT_EQ(book.kind(), CodebookKind::kFile);
  EXPECT_EQ(book.matrix(), (std::vector<float>{1, -0.5, -1, 0.5, 0, 2}));
}

TEST(CodebookFile, NamesThePlaceOfAnError) {
  EXPECT_EQ(file_error("x,y\n1,2\n"),
            "c.csv:1:1: 'x' is not a number (the file has no header line: a line is a class)");
  EXPECT_EQ(file_error("1,2\n3,y\n"), "c.csv:2:3: 'y' is not a number");
  EXPECT_EQ(file_error("1,2\n3,\n"), "c.csv:2:3: '' is not a number");
  EXPECT_EQ(file_error("1,2\n\n3,4\n"), "c.csv:2:1: a codeword of 1 numbers; the first line has 2");
  EXPECT_EQ(file_error("1,2\n3\n"), "c.csv:2:1: a codeword of 1 numbers; the first line has 2");
  EXPECT_EQ(file_error("1,2\n3,inf\n"),
            "c.csv:2:3: 'inf' is too large; codewords are finite numbers of single precision");
  EXPECT_EQ(file_error("1,2\n3,1e39\n"),
            "c.csv:2:3: '1e39' is too large; codewords are finite numbers of single precision");
  EXPECT_EQ(file_error("1,2\n3,4\n5,6\n3,4.0\n"),
            "c.csv:4:1: the same codeword as in line 2; the classes could not be told apart");
  EXPECT_EQ(file_error("1,2\n"), "c.csv:1:1: expected a line for each class, and at least two");
  EXPECT_NE(file_error(""), "");
}

TEST(CodebookFile, MustHaveTheClassesThatWereAskedFor) {
  const DataFolder folder;
  const std::string path = folder.write("c.csv", "1,2\n3,4\n");
  EXPECT_EQ(spec_error({.kind = path, .classes = 3}),
            path + ": 2 lines, one a class, but 3 were asked for");
  EXPECT_EQ(spec_error({.kind = path, .dimension = 3}),
            path + ": 2 columns, one a dimension, but 3 were asked for");
}

TEST(CodebookFile, MissingFileIsAnIoError) {
  EXPECT_THROW(make_codebook({.kind = "no/such.csv", .classes = 3}), IoError);
}

}  // namespace
}  // namespace simplexboost
