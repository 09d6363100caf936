#include "codeword/codebook.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace simplexboost {
namespace {

std::vector<float> normal_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<float>(random.normal()); });
  return values;
}

double inner_product(const Codebook& book, std::size_t k, std::size_t l) {
  double sum = 0;
  for (std::size_t j = 0; j < book.dimension(); ++j) sum += book.entry(k, j) * book.entry(l, j);
  return sum;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// The definition, u_k = <y_k, f> / 2.
std::vector<float> naive_class_scores(const Codebook& book, const std::vector<float>& scores) {
  const std::size_t rows = scores.size() / book.dimension();
  std::vector<float> result;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < book.classes(); ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < book.dimension(); ++j)
        sum += book.entry(k, j) * static_cast<double>(scores[i * book.dimension() + j]);
      result.push_back(static_cast<float>(sum / 2));
    }
  }
  return result;
}

// The definition, R = 1/2 sum_k P_k y_k.
std::vector<float> naive_pulls(const Codebook& book, const std::vector<float>& class_pulls) {
  const std::size_t rows = class_pulls.size() / book.classes();
  std::vector<float> result;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < book.dimension(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < book.classes(); ++k)
        sum += book.entry(k, j) * static_cast<double>(class_pulls[i * book.classes() + k]);
      result.push_back(static_cast<float>(sum / 2));
    }
  }
  return result;
}

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-5F * (1 + std::abs(expected[i]))) << "at " << i;
}

Codebook random_book(std::size_t classes, std::size_t dimension) {
  return Codebook::dense(CodebookKind::kRandom, classes, normal_values(classes * dimension, 3));
}

std::vector<Codebook> sample_books() {
  std::vector<Codebook> books;
  for (const std::size_t classes : {2U, 3U, 5U, 26U, 100U}) {
    books.push_back(Codebook::simplex(classes));
    books.push_back(Codebook::canonical(classes));
    books.push_back(Codebook::one_vs_all(classes));
    for (const std::size_t dimension : {1U, 7U, 8U, 9U, 33U})
      books.push_back(random_book(classes, dimension));
  }
  return books;
}

TEST(Codebook, SimplexIsUnitCentredAndEquiangular) {
  for (const std::size_t classes : {2U, 3U, 5U, 26U, 100U}) {
    const Codebook book = Codebook::simplex(classes);
    ASSERT_EQ(book.dimension(), classes - 1);
    const double angle = -1.0 / static_cast<double>(classes - 1);
    for (std::size_t k = 0; k < classes; ++k)
      for (std::size_t l = 0; l < classes; ++l)
        ASSERT_NEAR(inner_product(book, k, l), k == l ? 1.0 : angle, 1e-13);
    for (std::size_t j = 0; j < book.dimension(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += book.entry(k, j);
      ASSERT_NEAR(sum, 0, 1e-12);
    }
  }
}

TEST(Codebook, SimplexFollowsTheRecursionOfThePaper) {
  const std::size_t classes = 6;
  const Codebook book = Codebook::simplex(classes);
  const Codebook smaller = Codebook::simplex(classes - 1);
  const auto m = static_cast<double>(classes);
  const double scale = std::sqrt(m * (m - 2)) / (m - 1);
  EXPECT_DOUBLE_EQ(book.entry(0, 0), 1);
  for (std::size_t k = 1; k < classes; ++k) {
    EXPECT_NEAR(book.entry(k, 0), -1 / (m - 1), 1e-15);
    for (std::size_t j = 1; j < book.dimension(); ++j)
      EXPECT_NEAR(book.entry(k, j), scale * smaller.entry(k - 1, j - 1), 1e-15);
  }
}

TEST(Codebook, TwoClassesAreTheBinaryLabels) {
  EXPECT_EQ(Codebook::simplex(2).matrix(), (std::vector<float>{1, -1}));
}

TEST(Codebook, MapsAgreeWithTheirDefinitions) {
  for (const Codebook& book : sample_books()) {
    for (const std::size_t rows : {0U, 1U, 4U, 11U}) {
      const auto scores = normal_values(rows * book.dimension(), 1);
      std::vector<float> class_scores(rows * book.classes());
      book.class_scores(scores, class_scores);
      expect_close(class_scores, naive_class_scores(book, scores));

      const auto class_pulls = normal_values(rows * book.classes(), 2);
      std::vector<float> pulls(rows * book.dimension());
      book.pulls(class_pulls, pulls);
      expect_close(pulls, naive_pulls(book, class_pulls));
    }
  }
}

TEST(Codebook, MapsAreAdjoint) {
  for (const Codebook& book : sample_books()) {
    const std::size_t rows = 5;
    const auto scores = normal_values(rows * book.dimension(), 4);
    const auto class_pulls = normal_values(rows * book.classes(), 5);
    std::vector<float> class_scores(rows * book.classes());
    std::vector<float> pulls(rows * book.dimension());
    book.class_scores(scores, class_scores);
    book.pulls(class_pulls, pulls);
    EXPECT_NEAR(dot(class_scores, class_pulls), dot(scores, pulls), 1e-3);
  }
}

TEST(Codebook, CurvaturesAreWeightedSquaresOfTheCodewords) {
  for (const Codebook& book : sample_books()) {
    const std::size_t rows = 3;
    const auto class_curvatures = normal_values(rows * book.classes(), 7);
    std::vector<float> curvatures(rows * book.dimension());
    book.curvatures(class_curvatures, curvatures);
    std::vector<float> expected(curvatures.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < book.dimension(); ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < book.classes(); ++k)
          sum += static_cast<double>(class_curvatures[i * book.classes() + k]) * book.entry(k, j) *
                 book.entry(k, j) / 4;
        expected[i * book.dimension() + j] = static_cast<float>(sum);
      }
    expect_close(curvatures, expected);
  }
}

TEST(Codebook, RowsDoNotDependOnTheirBlock) {
  for (const Codebook& book : sample_books()) {
    const std::size_t rows = 7;
    const auto scores = normal_values(rows * book.dimension(), 6);
    std::vector<float> together(rows * book.classes());
    std::vector<float> alone(rows * book.classes());
    book.class_scores(scores, together);
    for (std::size_t i = 0; i < rows; ++i) {
      book.class_scores(std::span(scores).subspan(i * book.dimension(), book.dimension()),
                        std::span(alone).subspan(i * book.classes(), book.classes()));
    }
    ASSERT_EQ(together, alone);
  }
}

// The matrix would take 400 MB; a row's class scores sum to 0 and lie along f's own codeword.
TEST(Codebook, SimplexOfTenThousandClassesWorksRowByRow) {
  const std::size_t classes = 10'000;
  const Codebook book = Codebook::simplex(classes);
  for (const std::size_t k : {std::size_t{0}, std::size_t{4321}, classes - 1}) {
    std::vector<float> codeword(book.dimension());
    for (std::size_t j = 0; j < codeword.size(); ++j)
      codeword[j] = static_cast<float>(book.entry(k, j));
    std::vector<float> class_scores(classes);
    book.class_scores(codeword, class_scores);
    for (std::size_t l = 0; l < classes; ++l)
      ASSERT_NEAR(class_scores[l], l == k ? 0.5 : -0.5 / (classes - 1), 1e-6);

    std::vector<float> unit(classes);
    unit[k] = 2;
    std::vector<float> pulls(book.dimension());
    book.pulls(unit, pulls);
    expect_close(pulls, codeword);
  }
}

TEST(Codebook, MatrixIsWhatWasGiven) {
  const auto values = normal_values(15, 8);
  const Codebook book = Codebook::dense(CodebookKind::kFile, 5, values);
  EXPECT_EQ(book.dimension(), 3U);
  EXPECT_EQ(book.matrix(), values);
}

}  // namespace
}  // namespace simplexboost
