// The loops over rows and classes of the built-in losses, compiled once for each level of vector
// instructions (base/simd/isa.h).
#pragma once

#include <cstddef>

#include "loss/loss_block.h"

namespace simplexboost {

// The kernels work on few rows at a time: their scratch lies on the stack, and what they wrote is
// still in the cache when they come back to it.
inline constexpr std::size_t kLossChunk = 64;

struct ChunkRisk {
  double sum;
  float log_scale;
};

// For blocks of at most kLossChunk rows; see Loss for the meaning.
struct LossKernels {
  ChunkRisk (*risk)(const LossBlock&);
  float (*pulls)(const LossBlock&, float log_scale, float* pulls, float* curvature);
};

struct LossKernelTable {
  const LossKernels* rows;  // in the order of loss_table.h
};

const LossKernelTable& loss_kernels();

// Values whose largest log is within this of 0 need no scale: float has 87 to either side, and rows
// that weigh e^-50 of the largest no longer matter.
inline constexpr float kPlainLogs = 32;

}  // namespace simplexboost
