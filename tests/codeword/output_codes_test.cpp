#include "codeword/output_codes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "codeword/capacity.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Line = std::vector<int>;

std::vector<Line> columns_of(const Codebook& book) {
  std::vector<Line> columns(book.dimension());
  for (std::size_t j = 0; j < book.dimension(); ++j)
    for (std::size_t k = 0; k < book.classes(); ++k)
      columns[j].push_back(static_cast<int>(book.entry(k, j)));
  return columns;
}

Line negative(Line line) {
  for (int& symbol : line) symbol = -symbol;
  return line;
}

void expect_useful(const Codebook& book, bool zeros_allowed) {
  EXPECT_GT(minimum_distance(book, 1), 0.5);  // rows differ
  std::set<Line> seen;
  for (const Line& column : columns_of(book)) {
    const std::set<int> symbols(column.begin(), column.end());
    EXPECT_TRUE(symbols.contains(1) && symbols.contains(-1));
    EXPECT_TRUE(zeros_allowed || !symbols.contains(0));
    EXPECT_TRUE(seen.insert(column).second);
    EXPECT_TRUE(seen.insert(negative(column)).second);
  }
}

TEST(OutputCodes, AllPairsComparesEveryPairOnce) {
  const Codebook book = all_pairs_codebook(5);
  EXPECT_EQ(book.dimension(), 10U);
  expect_useful(book, true);
  for (const Line& column : columns_of(book)) {
    int used = 0;
    for (const int symbol : column) used += std::abs(symbol);
    EXPECT_EQ(used, 2);
  }
}

TEST(OutputCodes, RandomCodesHaveDifferentRowsAndUsefulColumns) {
  for (const std::size_t classes : {2U, 3U, 4U, 5U, 8U, 26U, 100U}) {
    for (const CodeDensity density : {CodeDensity::kDense, CodeDensity::kSparse}) {
      const std::size_t dimension = random_code_dimension(classes, density);
      const Codebook book = random_codebook(classes, dimension, density, 1);
      EXPECT_EQ(book.classes(), classes);
      EXPECT_EQ(book.dimension(), dimension);
      expect_useful(book, density == CodeDensity::kSparse);
    }
  }
}

TEST(OutputCodes, RandomCodesExistForEveryPossibleDimension) {
  for (std::size_t classes = 2; classes <= 6; ++classes) {
    const auto most = (std::size_t{1} << (classes - 1)) - 1;
    std::size_t least = 1;
    while ((std::size_t{1} << least) < classes) ++least;
    for (std::size_t dimension = least; dimension <= most; ++dimension)
      expect_useful(random_codebook(classes, dimension, CodeDensity::kDense, 3), false);
  }
}

TEST(OutputCodes, SparseCodesAreHalfZeros) {
  const Codebook book = random_codebook(50, 80, CodeDensity::kSparse, 4);
  int zeros = 0;
  for (const Line& column : columns_of(book))
    for (const int symbol : column) zeros += symbol == 0 ? 1 : 0;
  EXPECT_NEAR(zeros / (50.0 * 80.0), 0.5, 0.05);
}

TEST(OutputCodes, RejectsImpossibleDimensions) {
  EXPECT_THROW(random_codebook(3, 4, CodeDensity::kDense, 1), ParameterError);
  EXPECT_THROW(random_codebook(9, 3, CodeDensity::kDense, 1), ParameterError);
  EXPECT_THROW(random_codebook(10, 2, CodeDensity::kSparse, 1), ParameterError);
}

TEST(OutputCodes, SeedDecides) {
  const auto matrix = [](std::uint64_t seed) {
    return random_codebook(10, 20, CodeDensity::kDense, seed).matrix();
  };
  EXPECT_EQ(matrix(1), matrix(1));
  EXPECT_NE(matrix(1), matrix(2));
}

}  // namespace
}  // namespace simplexboost
