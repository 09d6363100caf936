#include "codeword/simplex.h"

#include "codeword/codeword_rows.h"

namespace simplexboost {
namespace {

// Running sums wait for each other within a row; rows side by side fill the wait.
constexpr std::size_t kRowsAtOnce = 4;

}  // namespace

void simplex_class_scores(const SimplexColumns& columns, const float* scores, std::size_t rows,
                          float* class_scores) {
  const float* const diagonal = columns.half_diagonal.data();
  const float* const below = columns.half_below.data();
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce)
    simplex_class_scores_of<kRowsAtOnce>(diagonal, below, dimension, scores + i * dimension,
                                         class_scores + i * classes);
  for (; i < rows; ++i)
    simplex_class_scores_of<1>(diagonal, below, dimension, scores + i * dimension,
                               class_scores + i * classes);
}

void simplex_pulls(const SimplexColumns& columns, const float* class_pulls, std::size_t rows,
                   float* pulls) {
  const float* const diagonal = columns.half_diagonal.data();
  const float* const below = columns.half_below.data();
  const std::size_t dimension = columns.half_diagonal.size();
  const std::size_t classes = dimension + 1;
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce)
    simplex_pulls_of<kRowsAtOnce>(diagonal, below, dimension, class_pulls + i * classes,
                                  pulls + i * dimension);
  for (; i < rows; ++i)
    simplex_pulls_of<1>(diagonal, below, dimension, class_pulls + i * classes,
                        pulls + i * dimension);
}

}  // namespace simplexboost
