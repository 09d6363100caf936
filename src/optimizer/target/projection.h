// What is done to the pulls of many rows before a tree is shaped by them: products with one small
// matrix, for sketches, and sums of their curvatures.
#pragma once

#include <cstddef>

namespace simplexboost {

// out (rows x width) = in (rows x depth) times matrix (depth x stride, the first `width` columns of
// each row; stride is a multiple of 8).
struct ProjectionArgs {
  const float* in;
  std::size_t rows;
  std::size_t depth;
  const float* matrix;
  std::size_t stride;
  float* out;
  std::size_t width;
};

void project_rows(const ProjectionArgs& args);

// Halves pulls (rows x depth) and sums the curvatures of each row's halves, those of the logistic
// loss: |g| (1 - factor |g|).
void halve_pulls(float* pulls, std::size_t rows, std::size_t depth, float factor,
                 float* curvatures);

// One copy for each instruction level (base/simd/isa.h).
struct PullKernels {
  void (*project)(const ProjectionArgs&);
  void (*halve)(float* pulls, std::size_t rows, std::size_t depth, float factor, float* curvatures);
};

}  // namespace simplexboost
