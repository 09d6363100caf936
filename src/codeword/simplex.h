// The regular simplex of K points in R^(K-1) in closed form, and its two maps as running sums.
//
// The construction (jmlr2019, proof of Theorem 3) peels off a class and a coordinate at a time: of
// m points, the first is e_1, the others have first coordinate -1/(m-1) and, scaled by
// sqrt(m(m-2))/(m-1), the simplex of m-1 points in the rest. The product of the scales telescopes,
// so that, counting from 0,
//
//            j = 0   1   2            s_j = sqrt(K (K-1-j) / ((K-1) (K-j)))   on the diagonal
//     y_0 (  s_0                )     b_j = s_j / (K-1-j)                     (minus) below it
//     y_1 ( -b_0   s_1          )
//     y_2 ( -b_0  -b_1   s_2    )     and a column needs two numbers, whatever K is.
//     y_3 ( -b_0  -b_1  -b_2    )
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace simplexboost {

inline double simplex_diagonal(std::size_t classes, std::size_t j) {
  const auto all = static_cast<double>(classes);
  const auto left = static_cast<double>(classes - j);
  return std::sqrt(all / (all - 1) * ((left - 1) / left));
}

inline double simplex_below(std::size_t classes, std::size_t j) {
  return simplex_diagonal(classes, j) / static_cast<double>(classes - 1 - j);
}

// Halves of s_j and b_j, j < K - 1.
struct SimplexColumns {
  std::span<const float> half_diagonal;
  std::span<const float> half_below;
};

// u_k = s_k f_k / 2 - sum_{j < k} b_j f_j / 2: `scores` rows x (K-1), `class_scores` rows x K.
void simplex_class_scores(const SimplexColumns& columns, const float* scores, std::size_t rows,
                          float* class_scores);

// R_j = s_j P_j / 2 - b_j sum_{k > j} P_k / 2: `class_pulls` rows x K, `pulls` rows x (K-1).
void simplex_pulls(const SimplexColumns& columns, const float* class_pulls, std::size_t rows,
                   float* pulls);

}  // namespace simplexboost
