// Solves the small symmetric systems of least squares. A direction in which the matrix is flat, to
// within rounding, gets the solution 0 instead of noise.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace simplexboost {

// Replaces the lower triangle of a positive semidefinite matrix (size x size, row-major) by its
// Cholesky factor; a pivot that vanishes becomes 0, and so does its column.
inline void factorise_cholesky(std::vector<double>& matrix, std::size_t size) {
  constexpr double kFlat = 1e-12;
  for (std::size_t j = 0; j < size; ++j) {
    const double whole = matrix[j * size + j];
    double pivot = whole;
    for (std::size_t k = 0; k < j; ++k) pivot -= matrix[j * size + k] * matrix[j * size + k];
    const double root = pivot > kFlat * whole ? std::sqrt(pivot) : 0;
    matrix[j * size + j] = root;
    for (std::size_t i = j + 1; i < size; ++i) {
      double value = matrix[i * size + j];
      for (std::size_t k = 0; k < j; ++k) value -= matrix[i * size + k] * matrix[j * size + k];
      matrix[i * size + j] = root > 0 ? value / root : 0;
    }
  }
}

// Replaces the right side by the solution.
inline void solve_cholesky(const std::vector<double>& factor, std::size_t size, double* right) {
  const auto divide = [&](std::size_t i, double value) {
    const double pivot = factor[i * size + i];
    right[i] = pivot > 0 ? value / pivot : 0;
  };
  for (std::size_t i = 0; i < size; ++i) {
    double value = right[i];
    for (std::size_t k = 0; k < i; ++k) value -= factor[i * size + k] * right[k];
    divide(i, value);
  }
  for (std::size_t i = size; i-- > 0;) {
    double value = right[i];
    for (std::size_t k = i + 1; k < size; ++k) value -= factor[k * size + i] * right[k];
    divide(i, value);
  }
}

}  // namespace simplexboost
