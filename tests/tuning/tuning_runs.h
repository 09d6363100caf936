// What the tests of tuning share: a progress that asks to stop, and the names of all algorithms.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "boosting/setup/algorithm_table.h"
#include "simplexboost/train.h"

namespace simplexboost::testing {

class StopAfter : public Progress {
 public:
  explicit StopAfter(std::size_t rounds) : rounds_(rounds) {}
  bool round(std::size_t, std::span<const RoundMetric>) override { return ++seen_ < rounds_; }

 private:
  std::size_t rounds_;
  std::size_t seen_ = 0;
};

inline std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithm_table()) names.push_back(row.name);
  return names;
}

}  // namespace simplexboost::testing
