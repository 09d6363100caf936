#include "quality/ranked_quality.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "boosting/setup/data_check.h"
#include "data/common_codes.h"
#include "data/rows/row_shares.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::int64_t most_values() {
  constexpr std::int64_t kUsual = 100'000'000;
  constexpr const char* kName = "SIMPLEXBOOST_CROSS_FIT_VALUES";
  const char* const given = std::getenv(kName);  // NOLINT(concurrency-mt-unsafe): no one sets it
  if (!given) return kUsual;
  const std::string_view text(given);
  std::int64_t most = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), most);
  if (problem != std::errc() || end != text.data() + text.size() || most < 0)
    throw ParameterError(
        fmt::format("{}: '{}' is no number of values; give 0 or more", kName, text));
  return most;
}

}  // namespace

CrossFitSize cross_fit_size(const Dataset& share, Communicator& ranks) {
  std::size_t values = share.rows * share.labels.classes.size();
  for (const Column& column : share.columns)
    values += column.sparse ? column.sparse_rows->size() : share.rows;
  CrossFitSize size{static_cast<std::int64_t>(values), -most_values()};
  ranks.sum({&size.values, 1});
  ranks.maximum({&size.most, 1});
  size.most = -size.most;
  return size;
}

PlainTraining plain_training(const Dataset& share, Communicator& ranks) {
  constexpr std::int64_t kLeastRows = 50;
  // Of all ranks. Their shares need not begin with whole blocks yet, as those of a RowSpace do.
  std::array<std::int64_t, 2> sums{static_cast<std::int64_t>(share.rows),
                                   share.labels.multi_label() || !share.labels.weights.empty()};
  ranks.sum(sums);
  const auto [rows, fast] = sums;
  if (fast != 0 || rows < kLeastRows) return PlainTraining::kFast;
  return cross_fit_size(share, ranks).too_large() ? PlainTraining::kLarge
                                                  : PlainTraining::kCrossFitted;
}

Dataset gather_all_rows(const Dataset& share, Communicator& ranks) {
  check_rows(share, 0);
  Dataset agreed = share;
  agree_on_codes(agreed, ranks);
  return gather_rows(agreed, ranks);
}

}  // namespace simplexboost
