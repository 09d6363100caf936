#include "codeword/capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/threads/parallel.h"
#include "codeword/min_norm_point.h"

namespace simplexboost {
namespace {

// Blocks of classes: what one proves, the next may use.
constexpr std::size_t kBlock = 64;

double class_count(const Codebook& book) { return static_cast<double>(book.classes()); }

std::vector<double> matrix_of(const Codebook& book) {
  const std::vector<float> matrix = book.matrix();
  return {matrix.begin(), matrix.end()};
}

// Sets whose centred codewords are a regular simplex: two numbers tell all.
struct Regular {
  double norm;   // of y_k - mean
  double shift;  // of the mean
};

std::optional<Regular> regular(const Codebook& book) {
  const double classes = class_count(book);
  const double canonical_norm = std::sqrt((classes - 1) / classes);
  switch (book.kind()) {
    case CodebookKind::kSimplex: return Regular{1, 0};
    case CodebookKind::kCanonical: return Regular{canonical_norm, 1 / std::sqrt(classes)};
    case CodebookKind::kOneVsAll:
      return Regular{2 * canonical_norm, (classes - 2) / std::sqrt(classes)};
    case CodebookKind::kAllPairs: return Regular{std::sqrt(classes - 1), 0};
    default: return std::nullopt;
  }
}

double squared_distance(const double* a, const double* b, std::size_t dimension) {
  double sum = 0;
  for (std::size_t j = 0; j < dimension; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// Twice the margin of the best direction for class k.
HullDistance class_distance(const std::vector<double>& matrix, std::size_t dimension, std::size_t k,
                            double cutoff) {
  const double* own = matrix.data() + k * dimension;
  std::vector<double> differences;
  differences.reserve(matrix.size() - dimension);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    if (i / dimension != k) differences.push_back(own[i % dimension] - matrix[i]);
  HullOptions options;
  options.cutoff = cutoff;
  return hull_distance(differences, dimension, options);
}

}  // namespace

bool is_regular(const Codebook& book) { return regular(book).has_value(); }

double minimum_distance(const Codebook& book, int threads) {
  if (const auto set = regular(book))
    return set->norm * std::sqrt(2 * class_count(book) / (class_count(book) - 1));
  const std::vector<double> matrix = matrix_of(book);
  const std::size_t dimension = book.dimension();
  std::vector<double> smallest(book.classes(), std::numeric_limits<double>::infinity());
  parallel_for(resolve_threads(threads), book.classes(), [&](std::size_t k) {
    for (std::size_t l = 0; l < k; ++l) {
      smallest[k] =
          std::min(smallest[k], squared_distance(matrix.data() + k * dimension,
                                                 matrix.data() + l * dimension, dimension));
    }
  });
  return std::sqrt(*std::min_element(smallest.begin(), smallest.end()));
}

MarginCapacity margin_capacity(const Codebook& book, int threads) {
  if (const auto set = regular(book))
    return {set->norm * class_count(book) / (2 * (class_count(book) - 1)), 0, 0};
  const std::vector<double> matrix = matrix_of(book);
  HullDistance smallest{0, std::numeric_limits<double>::infinity()};
  std::size_t tightest = 0;
  for (std::size_t begin = 0; begin < book.classes(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, book.classes() - begin);
    std::vector<HullDistance> distances(size);
    parallel_for(resolve_threads(threads), size, [&](std::size_t i) {
      distances[i] = class_distance(matrix, book.dimension(), begin + i, smallest.upper);
    });
    for (std::size_t i = 0; i < size; ++i) {
      if (distances[i].upper >= smallest.upper) continue;
      smallest = distances[i];
      tightest = begin + i;
    }
  }
  return {smallest.upper / 2, (smallest.upper - smallest.lower) / 2, tightest};
}

CodebookShape codebook_shape(const Codebook& book) {
  constexpr double kTolerance = 1e-5;
  if (const auto set = regular(book)) {
    const bool unit = std::abs(std::hypot(set->norm, set->shift) - 1) <= kTolerance;
    return {set->shift == 0, unit, set->norm};
  }
  const std::size_t dimension = book.dimension();
  const std::vector<double> matrix = matrix_of(book);
  std::vector<double> mean(dimension);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    mean[i % dimension] += matrix[i] / class_count(book);
  const std::vector<double> origin(dimension);
  CodebookShape shape{true, true, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < book.classes(); ++k) {
    const double* codeword = matrix.data() + k * dimension;
    const double norm = std::sqrt(squared_distance(codeword, origin.data(), dimension));
    shape.unit &= std::abs(norm - 1) <= kTolerance;
    const double centred_norm = std::sqrt(squared_distance(codeword, mean.data(), dimension));
    shape.smallest_norm = std::min(shape.smallest_norm, centred_norm);
  }
  const double shift = std::sqrt(squared_distance(mean.data(), origin.data(), dimension));
  shape.centred = shift <= kTolerance * std::max(1.0, shape.smallest_norm);
  return shape;
}

double capacity_bound(const Codebook& book) {
  return codebook_shape(book).smallest_norm * class_count(book) / (2 * (class_count(book) - 1));
}

}  // namespace simplexboost
