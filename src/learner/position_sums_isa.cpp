// One copy for each instruction level (see base/simd/isa.h).
#include "base/simd/lanes.h"
#include "learner/position_sums.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

constexpr std::size_t kPositionLanes = PositionSumsArgs::kLanes;

// So many vectors of channels at a time: their sums do not wait for each other.
template <std::size_t Vectors>
LANES_INLINE void sum_some(const PositionSumsArgs& args, std::size_t first) {
  double sums[Vectors * kPositionLanes] = {};
  const double* pulls = args.pulls + first;
  for (std::size_t i = 0; i < args.rows; ++i, pulls += args.stride) {
    const double t = args.positions[i];
    for (std::size_t k = 0; k < Vectors * kPositionLanes; ++k) sums[k] += t * pulls[k];
  }
  for (std::size_t k = 0; k < Vectors * kPositionLanes; ++k) args.sums[first + k] = sums[k];
}

void sums(const PositionSumsArgs& args) {
  constexpr std::size_t kVectors = 2;
  std::size_t k = 0;
  for (; k + kVectors * kPositionLanes <= args.stride; k += kVectors * kPositionLanes)
    sum_some<kVectors>(args, k);
  for (; k < args.stride; k += kPositionLanes) sum_some<1>(args, k);
}

}  // namespace

extern const PositionKernels kPositionKernels;
const PositionKernels kPositionKernels = {sums};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
