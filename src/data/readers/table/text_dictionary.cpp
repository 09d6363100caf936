#include "data/readers/table/text_dictionary.h"

#include <functional>
#include <limits>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kFew = 8;  // so many are looked through one by one

}  // namespace

std::int32_t TextDictionary::add(std::string_view text, std::size_t row, std::size_t count) {
  if (!state_) state_ = std::make_unique<State>();
  State& state = *state_;
  if (state.items.size() == 0 || state.text(state.last) != text) state.last = state.find(text, row);
  state.items[state.last].count += static_cast<std::uint32_t>(count);
  return static_cast<std::int32_t>(state.last);
}

std::uint32_t TextDictionary::State::find(std::string_view text, std::size_t row) {
  if (slots.empty()) {
    for (std::uint32_t code = 0; code < items.size(); ++code)
      if (this->text(code) == text) return code;
    if (items.size() < kFew) return append(text, row);
    widen();
  }
  std::uint32_t& found = slots[slot(text)];
  if (found != 0) return found - 1;
  const std::uint32_t code = append(text, row);
  found = code + 1;
  if (items.size() * 3 > slots.size() * 2) widen();
  return code;
}

std::uint32_t TextDictionary::State::append(std::string_view text, std::size_t row) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (text.size() > kMost - pool.size())
    throw DataError("more than 4 GB of different texts in a column; leave it out by --ignore");
  pool.append(text.data(), text.size());
  items.push_back({static_cast<std::uint32_t>(pool.size()), 0, static_cast<std::uint32_t>(row)});
  return static_cast<std::uint32_t>(items.size() - 1);
}

// Where `text` is, or would be.
std::size_t TextDictionary::State::slot(std::string_view text) const {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = std::hash<std::string_view>()(text) & mask;
  while (slots[at] != 0 && this->text(slots[at] - 1) != text) at = (at + 1) & mask;
  return at;
}

void TextDictionary::State::widen() {
  const std::size_t size = std::max(4 * kFew, 2 * slots.size());
  slots = {};  // before the new ones are there
  slots.resize(size);
  const std::size_t mask = size - 1;
  for (std::uint32_t code = 0; code < items.size(); ++code) {
    std::size_t at = std::hash<std::string_view>()(text(code)) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = code + 1;
  }
}

bool TextDictionary::contains(std::string_view text) const {
  if (!state_) return false;
  if (!state_->slots.empty()) return state_->slots[state_->slot(text)] != 0;
  for (std::size_t code = 0; code < size(); ++code)
    if (state_->text(code) == text) return true;
  return false;
}

std::vector<std::string_view> TextDictionary::texts() const {
  std::vector<std::string_view> result;
  result.reserve(size());
  for (std::size_t code = 0; code < size(); ++code) result.push_back(state_->text(code));
  return result;
}

}  // namespace simplexboost
