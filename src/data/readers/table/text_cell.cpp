#include "data/readers/table/text_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/visible_text.h"

namespace simplexboost {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool same_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

// Whether a well-formed number that no double holds is too large (else it is too small, and rounds
// to zero): the place of its first digit that is not zero tells.
bool is_too_large(std::string_view number) {
  number = without_sign(number);
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  long long exponent = 0;
  if (e < number.size()) {
    std::string_view power = number.substr(e + 1);
    const bool negative = power.starts_with('-');
    power = without_sign(power);
    if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc())
      return !negative;
    if (negative) exponent = -exponent;
  }
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  return exponent + static_cast<long long>(point) - static_cast<long long>(first) > 0;
}

}  // namespace

bool is_missing(std::string_view text) {
  if (text.empty() || text == "?") return true;
  return text.size() <= 4 &&
         (same_ignoring_case(text, "na") || same_ignoring_case(without_sign(text), "nan"));
}

CellValue read_cell(std::string_view text) {
  if (is_missing(text)) return {CellKind::kMissing, kNoNumber};
  const std::string_view body = without_sign(text);
  if (body.empty() || !(is_digit(body[0]) || body[0] == '.')) {
    const bool infinite = same_ignoring_case(body, "inf") || same_ignoring_case(body, "infinity");
    return {infinite ? CellKind::kInfinite : CellKind::kText, kNoNumber};
  }
  double value = 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (status == std::errc::invalid_argument || end != body.data() + body.size())
    return {CellKind::kText, kNoNumber};
  if (status == std::errc::result_out_of_range || std::isinf(value)) {
    if (is_too_large(body)) return {CellKind::kOutOfRange, kNoNumber};
    value = 0;
  }
  return {CellKind::kNumber, text[0] == '-' ? -value : value};
}

bool is_number(std::string_view text) { return read_cell(text).kind == CellKind::kNumber; }

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return "'" + short_text(text, kLongest) + "'";
}

}  // namespace simplexboost
