#include "codeword/codebook.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "codeword/codeword_rows.h"
#include "codeword/product.h"
#include "codeword/simplex.h"

namespace simplexboost {
namespace {

// `in` and `out` are rows x classes.
void subtract_half_sum(std::span<const float> in, std::size_t classes, float* out) {
  for (std::size_t begin = 0; begin < in.size(); begin += classes)
    subtract_half_sum_of(classes, in.data() + begin, out + begin);
}

}  // namespace

std::string_view codebook_kind_name(CodebookKind kind) {
  constexpr std::array<std::string_view, 8> kNames{"simplex",       "canonical", "maxmin",
                                                   "one-vs-all",    "all-pairs", "random",
                                                   "random-sparse", "file"};
  return kNames[static_cast<std::size_t>(kind)];
}

Codebook Codebook::simplex(std::size_t classes) {
  assert(classes >= 2);
  Codebook book(CodebookKind::kSimplex, classes, classes - 1);
  book.half_diagonal_.resize(book.dimension_);
  book.half_below_.resize(book.dimension_);
  for (std::size_t j = 0; j < book.dimension_; ++j) {
    book.half_diagonal_[j] = static_cast<float>(simplex_diagonal(classes, j) / 2);
    book.half_below_[j] = static_cast<float>(simplex_below(classes, j) / 2);
  }
  return book;
}

Codebook Codebook::canonical(std::size_t classes) {
  assert(classes >= 1);
  return Codebook(CodebookKind::kCanonical, classes, classes);
}

Codebook Codebook::one_vs_all(std::size_t classes) {
  assert(classes >= 1);
  return Codebook(CodebookKind::kOneVsAll, classes, classes);
}

Codebook Codebook::dense(CodebookKind kind, std::size_t classes, std::vector<float> matrix) {
  assert(classes >= 1 && !matrix.empty() && matrix.size() % classes == 0);
  Codebook book(kind, classes, matrix.size() / classes);
  const std::size_t dimension = book.dimension_;
  const std::size_t stride = product_stride(dimension);
  const std::size_t transposed_stride = product_stride(classes);
  book.half_.resize(classes * stride);
  book.half_transposed_.resize(dimension * transposed_stride);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const float half = matrix[k * dimension + j] / 2;
      book.half_[k * stride + j] = half;
      book.half_transposed_[j * transposed_stride + k] = half;
    }
  }
  return book;
}

double Codebook::entry(std::size_t k, std::size_t j) const {
  assert(k < classes_ && j < dimension_);
  switch (kind_) {
    case CodebookKind::kSimplex:
      if (k == j) return simplex_diagonal(classes_, j);
      return k < j ? 0.0 : -simplex_below(classes_, j);
    case CodebookKind::kCanonical: return k == j ? 1.0 : 0.0;
    case CodebookKind::kOneVsAll: return k == j ? 1.0 : -1.0;
    default: return 2.0 * static_cast<double>(half_[k * product_stride(dimension_) + j]);
  }
}

std::vector<float> Codebook::matrix() const {
  std::vector<float> matrix(classes_ * dimension_);
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t j = 0; j < dimension_; ++j)
      matrix[k * dimension_ + j] = static_cast<float>(entry(k, j));
  return matrix;
}

void Codebook::class_scores(std::span<const float> scores, std::span<float> class_scores) const {
  const std::size_t rows = scores.size() / dimension_;
  assert(scores.size() == rows * dimension_ && class_scores.size() == rows * classes_);
  switch (kind_) {
    case CodebookKind::kSimplex:
      simplex_class_scores({half_diagonal_, half_below_}, scores.data(), rows, class_scores.data());
      break;
    case CodebookKind::kCanonical:
      halve_of(scores.size(), scores.data(), class_scores.data());
      break;
    case CodebookKind::kOneVsAll: subtract_half_sum(scores, classes_, class_scores.data()); break;
    default:
      multiply({half_transposed_.data(), dimension_, classes_}, scores.data(), rows,
               class_scores.data());
  }
}

void Codebook::pulls(std::span<const float> class_pulls, std::span<float> pulls) const {
  const std::size_t rows = class_pulls.size() / classes_;
  assert(class_pulls.size() == rows * classes_ && pulls.size() == rows * dimension_);
  switch (kind_) {
    case CodebookKind::kSimplex:
      simplex_pulls({half_diagonal_, half_below_}, class_pulls.data(), rows, pulls.data());
      break;
    case CodebookKind::kCanonical:
      halve_of(class_pulls.size(), class_pulls.data(), pulls.data());
      break;
    case CodebookKind::kOneVsAll: subtract_half_sum(class_pulls, classes_, pulls.data()); break;
    default: multiply({half_.data(), classes_, dimension_}, class_pulls.data(), rows, pulls.data());
  }
}

void Codebook::curvatures(std::span<const float> class_curvatures,
                          std::span<float> curvatures) const {
  const std::size_t rows = class_curvatures.size() / classes_;
  assert(class_curvatures.size() == rows * classes_ && curvatures.size() == rows * dimension_);
  for (std::size_t i = 0; i < rows; ++i)
    row_curvatures(class_curvatures.data() + i * classes_, curvatures.data() + i * dimension_);
}

void Codebook::row_curvatures(const float* h, float* out) const {
  switch (kind_) {
    case CodebookKind::kSimplex: {
      auto after = static_cast<double>(h[dimension_]);  // of the classes after j
      for (std::size_t j = dimension_; j-- > 0;) {
        const auto diagonal = static_cast<double>(half_diagonal_[j]);
        const auto below = static_cast<double>(half_below_[j]);
        const auto own = static_cast<double>(h[j]);
        out[j] = static_cast<float>(diagonal * diagonal * own + below * below * after);
        after += own;
      }
      break;
    }
    case CodebookKind::kCanonical:
      std::transform(h, h + classes_, out, [](float x) { return x / 4; });
      break;
    case CodebookKind::kOneVsAll: {
      double sum = 0;
      for (std::size_t k = 0; k < classes_; ++k) sum += static_cast<double>(h[k]);
      std::fill_n(out, dimension_, static_cast<float>(sum / 4));
      break;
    }
    default: {
      const std::size_t stride = product_stride(dimension_);
      std::fill_n(out, dimension_, 0.0F);
      for (std::size_t k = 0; k < classes_; ++k)
        for (std::size_t j = 0; j < dimension_; ++j)
          out[j] += h[k] * half_[k * stride + j] * half_[k * stride + j];
    }
  }
}

}  // namespace simplexboost
