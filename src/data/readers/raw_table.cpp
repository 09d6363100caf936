#include "data/readers/raw_table.h"

#include <algorithm>
#include <numeric>

#include "data/readers/text_cell.h"

namespace simplexboost {

std::int32_t TextDictionary::add(std::string_view text, std::size_t row, std::size_t count) {
  if (!state_) state_ = std::make_unique<State>();
  State& state = *state_;
  if (state.last < 0 || *state.entries[static_cast<std::size_t>(state.last)].text != text) {
    auto found = state.codes.find(text);
    if (found == state.codes.end()) {
      found = state.codes.emplace(text, static_cast<std::int32_t>(state.entries.size())).first;
      state.entries.push_back({&found->first, 0, row});
    }
    state.last = found->second;
  }
  state.entries[static_cast<std::size_t>(state.last)].count += count;
  return state.last;
}

std::vector<std::string> TextDictionary::texts() const {
  std::vector<std::string> result;
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) result.push_back(*(*this)[i].text);
  return result;
}

std::vector<std::int32_t> rank_names(const std::vector<std::string>& names) {
  std::vector<double> numbers;
  for (const std::string& name : names) {
    const CellValue value = read_cell(name);
    if (value.kind != CellKind::kNumber) break;
    numbers.push_back(value.number);
  }
  const bool numeric = numbers.size() == names.size();
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numeric && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return names[a] < names[b];
  });
  std::vector<std::int32_t> rank(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int32_t>(i);
  return rank;
}

}  // namespace simplexboost
