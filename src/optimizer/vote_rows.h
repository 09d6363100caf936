// Who has the scores and pulls of samme's and adaboost-m1's rows where this process has not, a
// device; their weights are here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace simplexboost {

class VoteRows {
 public:
  virtual ~VoteRows() = default;

  // What shapes the tree: each row's weight, which is its pull to its own class, too.
  virtual void set_own_pulls(std::span<const float> weights) = 0;
  // The leaf of each row in the tree that was grown last.
  virtual std::vector<std::uint32_t> leaves() const = 0;
};

}  // namespace simplexboost
