#include "base/row_space.h"

namespace simplexboost {

RowSpace::RowSpace(std::size_t rows, int threads, Communicator& ranks)
    : rows_(rows), all_(rows), threads_(threads), ranks_(&ranks) {
  if (!parted()) return;
  const auto mine = static_cast<std::uint64_t>(rows);
  const std::vector<std::uint64_t> shares = gather_values<std::uint64_t>(ranks, {&mine, 1});
  all_ = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i == static_cast<std::size_t>(ranks.rank())) first_ = all_;
    all_ += shares[i];
  }
  assert(first_ % kShareRows == 0 || rows_ == 0);
}

}  // namespace simplexboost
