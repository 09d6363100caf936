// The pulls of rows to their own classes (optimizer/vote_rows.h), on a device.
#pragma once

#include "cuda/kernel.h"

namespace simplexboost {

struct OwnPulls {
  static constexpr const char* kName = "own pulls";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const float* weights;
  const std::int32_t* labels;
  std::size_t rows;
  std::uint32_t classes;
  float* pulls;  // rows x classes

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t i = self.block * kThreads + self.thread;
    if (i >= rows * classes) return;
    const std::size_t row = i / classes;
    pulls[i] = i % classes == static_cast<std::uint32_t>(labels[row]) ? weights[row] : 0.0F;
  }
};

}  // namespace simplexboost
