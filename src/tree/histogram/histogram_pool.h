// Whole histograms that are kept until the children of their nodes are looked at. Threads may share
// a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/aligned_vector.h"

namespace simplexboost {

class HistogramPool {
 public:
  using Slot = std::int32_t;
  static constexpr Slot kNone = -1;

  // For a new tree, whose histograms have so many numbers: all slots are free again. `megabytes` is
  // the most that the pool may take; 0: as much as pays.
  void reset(std::size_t numbers, double megabytes);

  // kNone where there is no room.
  Slot take();
  void give(Slot slot);
  // Null of kNone.
  std::int32_t* histogram(Slot slot);

 private:
  std::size_t numbers_ = 0;
  std::size_t most_ = 0;
  std::mutex mutex_;  // guards the next two
  std::vector<AlignedVector<std::int32_t>> histograms_;
  std::vector<Slot> free_;
};

}  // namespace simplexboost
