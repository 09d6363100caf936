// Sums over the ranks of which each rank needs a part only, as those that scan the histograms of
// some features or make the values of some leaves: half the traffic of sums that all of them get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/communicator.h"

namespace simplexboost {

// A communicator that can do it.
class PartSums {
 public:
  virtual ~PartSums() = default;

  // Adds up element by element. The part of rank r ends before ends[r] and begins where that of the
  // rank before it ends; what the others' parts hold afterwards is not said.
  virtual void sum_parts(std::span<std::int32_t> values, std::span<const std::size_t> ends) = 0;
  virtual void sum_parts(std::span<std::int64_t> values, std::span<const std::size_t> ends) = 0;
};

// Where it cannot, all get all sums.
template <class T>
void sum_parts(Communicator& ranks, std::span<T> values, std::span<const std::size_t> ends) {
  if (auto* const parts = dynamic_cast<PartSums*>(&ranks)) return parts->sum_parts(values, ends);
  ranks.sum(values);
}

}  // namespace simplexboost
