// Sketches: fewer channels than outputs, so that a tree is shaped in less time; its values still
// come from all pulls. A sketch is a matrix that the pulls of every row are multiplied by (Iosipoi
// and Vakhrushev 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace simplexboost {

enum class SketchKind : std::uint8_t {
  kProjection,  // Gaussian numbers: inner products of pulls are kept in expectation
  kTop,         // the outputs of largest pulls, as they are
  kSample,      // outputs drawn in proportion to the squares of their pulls: likewise unbiased
};

// By the names that the parameter sketch-kind has.
SketchKind sketch_kind(std::string_view name);

// Outputs x stride, row-major, zero from `width` on. `squares`: for each output, the sum over rows
// of the squares of its pulls; kProjection does without.
std::vector<float> sketch_matrix(SketchKind kind, std::size_t outputs, std::size_t width,
                                 std::size_t stride, std::span<const double> squares,
                                 Random& random);

}  // namespace simplexboost
