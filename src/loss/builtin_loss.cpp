#include "loss/builtin_loss.h"

#include <algorithm>
#include <limits>

namespace simplexboost {

std::size_t loss_chunk_rows(std::size_t classes) {
  return std::clamp<std::size_t>(8192 / std::max<std::size_t>(classes, 1) / 8 * 8, 8, kLossChunk);
}

ScaledSum BuiltinLoss::risk(const LossBlock& block) const {
  ScaledSum total;
  for_parts(block, loss_chunk_rows(block.classes),
            [&](std::size_t /*begin*/, const LossBlock& chunk) {
              const ChunkRisk part = kernels_.risk(chunk);
              total.add({part.sum, part.log_scale});
            });
  return total;
}

double BuiltinLoss::pulls(const LossBlock& block, double log_scale, float* pulls,
                          float* curvature) const {
  float largest = -std::numeric_limits<float>::infinity();
  for_parts(block, loss_chunk_rows(block.classes), [&](std::size_t begin, const LossBlock& chunk) {
    const std::size_t first = begin * block.classes;
    largest = std::max(largest, kernels_.pulls(chunk, static_cast<float>(log_scale), pulls + first,
                                               curvature ? curvature + first : nullptr));
  });
  return largest;
}

}  // namespace simplexboost
