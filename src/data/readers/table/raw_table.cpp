#include "data/readers/table/raw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/readers/table/text_cell.h"

namespace simplexboost {

void require_room(const std::string& source, std::size_t bytes, std::size_t columns,
                  std::size_t of_text) {
  constexpr std::size_t kColumnBytes = 448;
  constexpr std::size_t kMoreOfText = 384;
  constexpr std::size_t kFree = std::size_t{48} << 20U;
  const std::size_t needed = columns * kColumnBytes + of_text * kMoreOfText;
  if (needed <= kFree + 6 * bytes) return;
  throw DataError({source}, fmt::format("{} columns in a text of {} bytes would take {} MB; leave "
                                        "some out, or write it as LIBSVM",
                                        columns, bytes, needed >> 20U));
}

DataError too_many_texts(const std::string& source, std::size_t bytes) {
  return {{source},
          fmt::format("more than {} different texts in {} bytes; leave columns of names and keys "
                      "out by --ignore",
                      most_texts(bytes), bytes)};
}

std::vector<std::int32_t> rank_names(const std::vector<std::string_view>& names) {
  std::vector<double> numbers;
  for (const std::string_view name : names) {
    const CellValue value = read_cell(name);
    if (value.kind != CellKind::kNumber) break;
    numbers.push_back(value.number);
  }
  const bool numeric = numbers.size() == names.size();
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (numeric && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return names[a] < names[b];
  });
  std::vector<std::int32_t> rank(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int32_t>(i);
  return rank;
}

std::vector<std::int32_t> rank_names(const std::vector<std::string>& names) {
  return rank_names(std::vector<std::string_view>(names.begin(), names.end()));
}

std::vector<std::string> in_rank(const std::vector<std::string_view>& names,
                                 const std::vector<std::int32_t>& rank) {
  std::vector<std::string> result(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    result[static_cast<std::size_t>(rank[i])] = names[i];
  return result;
}

}  // namespace simplexboost
