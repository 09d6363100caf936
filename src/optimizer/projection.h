// Products of many rows with one small matrix, for sketches of pulls.
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

}  // namespace simplexboost
