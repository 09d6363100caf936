// How long work tells its caller where it stands and asks whether to go on. The library never
// prints: the command draws a bar, Python calls back, tests count.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// One named figure of a round, e.g. {"train_error", 0.25}.
struct RoundMetric {
  std::string_view name;
  double value;
};

class SIMPLEXBOOST_API Progress {
 public:
  virtual ~Progress() = default;
  // Rounds [0, total) are to come; called once.
  virtual void start(std::size_t /*total*/) {}
  // Round `round` (0-based) has ended. Return false to stop after it with a usable model.
  virtual bool round(std::size_t /*round*/, std::span<const RoundMetric> /*metrics*/) {
    return true;
  }
  // Work is over; `why` is a sentence for people.
  virtual void finish(const std::string& /*why*/) {}
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
