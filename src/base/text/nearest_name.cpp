#include "base/text/nearest_name.h"

#include <algorithm>
#include <vector>

namespace simplexboost {
namespace {

// A mistyped name is short; a longer one is not worth the quadratic time.
constexpr std::size_t kLongestName = 256;

char fold(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '_' ? '-' : c;
}

bool same(char a, char b) { return fold(a) == fold(b); }

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(), same);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table of distances between a's first i and b's first j characters.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> valid) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::string_view best;
  // One error for every three characters: more would be another word.
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : valid) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  if (!best.empty() || name.size() < 2) return best;
  const auto longer = std::find_if(valid.begin(), valid.end(), [&](std::string_view candidate) {
    return begins_with(candidate, name);
  });
  return longer == valid.end() ? std::string_view() : *longer;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string_view> valid) {
  std::string text = "unknown ";
  text.append(kind).append(" '").append(name).append("'");
  const std::string_view nearest = nearest_name(name, valid);
  if (!nearest.empty()) text.append("; did you mean '").append(nearest).append("'?");
  text += nearest.empty() ? "; valid: " : " (valid: ";
  for (std::size_t i = 0; i < valid.size(); ++i) text.append(i > 0 ? ", " : "").append(valid[i]);
  if (!nearest.empty()) text += ")";
  return text;
}

}  // namespace simplexboost
