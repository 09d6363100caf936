#include "data/readers/csv_field.h"

#include <string_view>

namespace simplexboost {

std::string csv_field(const std::string& text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // which a file's first cell would lose
  constexpr std::string_view kBlanks = " \t";         // which every cell would lose at its ends
  const bool plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string::npos &&
                     kBlanks.find(text.front()) == std::string_view::npos &&
                     kBlanks.find(text.back()) == std::string_view::npos &&
                     !text.starts_with(kMark);
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace simplexboost
