#include "optimizer/target/sketch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace simplexboost {
namespace {

// The output whose share of the squares holds `place`, in [0, total).
std::size_t output_at(std::span<const double> squares, double place) {
  for (std::size_t j = 0; j < squares.size(); ++j) {
    place -= squares[j];
    if (place < 0) return j;
  }
  // Rounding: the last that has a share.
  std::size_t last = squares.size() - 1;
  while (last > 0 && !(squares[last] > 0)) --last;
  return last;
}

}  // namespace

SketchKind sketch_kind(std::string_view name) {
  if (name == "top") return SketchKind::kTop;
  return name == "sample" ? SketchKind::kSample : SketchKind::kProjection;
}

std::vector<float> sketch_matrix(SketchKind kind, std::size_t outputs, std::size_t width,
                                 std::size_t stride, std::span<const double> squares,
                                 Random& random) {
  std::vector<float> matrix(outputs * stride);
  if (kind == SketchKind::kProjection) {
    const double scale = 1 / std::sqrt(static_cast<double>(width));
    for (std::size_t j = 0; j < outputs; ++j)
      for (std::size_t s = 0; s < width; ++s)
        matrix[j * stride + s] = static_cast<float>(random.normal() * scale);
    return matrix;
  }
  assert(squares.size() == outputs);
  // Pulls of zero, or beyond all numbers, do not tell outputs apart.
  std::vector<double> shares(squares.begin(), squares.end());
  double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!(total > 0) || !std::isfinite(total)) {
    shares.assign(outputs, 1);
    total = static_cast<double>(outputs);
  }
  if (kind == SketchKind::kTop) {
    std::vector<std::size_t> order(outputs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    for (std::size_t s = 0; s < width; ++s) matrix[order[s] * stride + s] = 1;
  } else {
    for (std::size_t s = 0; s < width; ++s) {
      const std::size_t j = output_at(shares, random.uniform() * total);
      matrix[j * stride + s] =
          static_cast<float>(std::sqrt(total / (static_cast<double>(width) * shares[j])));
    }
  }
  return matrix;
}

}  // namespace simplexboost
