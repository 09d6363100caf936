#include "quality/ranked_quality.h"

#include "base/row_space.h"
#include "boosting/setup/data_check.h"
#include "data/common_codes.h"
#include "data/rows/row_shares.h"

namespace simplexboost {

bool cross_fits_by_itself(const Dataset& share, Communicator& ranks) {
  constexpr std::size_t kLeastRows = 50;
  const RowSpace space(share.rows, 1, ranks);
  const bool sets = space.any(share.labels.multi_label());
  return !space.any(!share.labels.weights.empty()) && !sets && space.all() >= kLeastRows;
}

std::int64_t count_gathered_numbers(const Dataset& share, Communicator& ranks) {
  std::size_t numbers = share.rows * share.labels.classes.size();
  for (const Column& column : share.columns)
    numbers += column.sparse ? column.sparse_rows->size() : share.rows;
  auto all = static_cast<std::int64_t>(numbers);
  ranks.sum({&all, 1});
  return all;
}

Dataset gather_all_rows(const Dataset& share, Communicator& ranks) {
  check_rows(share, 0);
  Dataset agreed = share;
  agree_on_codes(agreed, ranks);
  return gather_rows(agreed, ranks);
}

}  // namespace simplexboost
