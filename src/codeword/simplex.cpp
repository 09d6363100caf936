#include "codeword/simplex.h"

#include <array>

namespace simplexboost {
namespace {

// Running sums wait for each other within a row; rows side by side fill the wait.
constexpr std::size_t kRowsAtOnce = 4;

// Sums are in double: over 10,000 classes single precision would lose three digits.
template <std::size_t Rows>
void class_scores_of(const SimplexColumns& columns, const float* f, float* u) {
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::array<double, Rows> before{};  // sum over j < k of b_j f_j / 2
  for (std::size_t k = 0; k < dimension; ++k) {
    const auto diagonal = static_cast<double>(columns.half_diagonal[k]);
    const auto below = static_cast<double>(columns.half_below[k]);
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto score = static_cast<double>(f[r * dimension + k]);
      u[r * classes + k] = static_cast<float>(diagonal * score - before[r]);
      before[r] += below * score;
    }
  }
  for (std::size_t r = 0; r < Rows; ++r)
    u[r * classes + dimension] = static_cast<float>(-before[r]);
}

template <std::size_t Rows>
void pulls_of(const SimplexColumns& columns, const float* p, float* pulls) {
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::array<double, Rows> after{};  // sum over k > j of P_k
  for (std::size_t r = 0; r < Rows; ++r) after[r] = static_cast<double>(p[r * classes + dimension]);
  for (std::size_t j = dimension; j-- > 0;) {
    const auto diagonal = static_cast<double>(columns.half_diagonal[j]);
    const auto below = static_cast<double>(columns.half_below[j]);
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto pull = static_cast<double>(p[r * classes + j]);
      pulls[r * dimension + j] = static_cast<float>(diagonal * pull - below * after[r]);
      after[r] += pull;
    }
  }
}

}  // namespace

void simplex_class_scores(const SimplexColumns& columns, const float* scores, std::size_t rows,
                          float* class_scores) {
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce)
    class_scores_of<kRowsAtOnce>(columns, scores + i * dimension, class_scores + i * classes);
  for (; i < rows; ++i)
    class_scores_of<1>(columns, scores + i * dimension, class_scores + i * classes);
}

void simplex_pulls(const SimplexColumns& columns, const float* class_pulls, std::size_t rows,
                   float* pulls) {
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce)
    pulls_of<kRowsAtOnce>(columns, class_pulls + i * classes, pulls + i * dimension);
  for (; i < rows; ++i) pulls_of<1>(columns, class_pulls + i * classes, pulls + i * dimension);
}

}  // namespace simplexboost
