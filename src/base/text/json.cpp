#include "base/text/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/text/visible_text.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDeepest = 64;

[[noreturn]] void fail_kind(const char* wanted) {
  throw JsonError(fmt::format("the JSON value is no {}", wanted));
}

void append_number(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::string text = fmt::format("{}", value);
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | code >> 6U);
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3fU));
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

bool is_number_text(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t begin = at;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[begin] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

namespace json_detail {
void fail_range() { throw JsonError("the JSON number is out of range"); }
}  // namespace json_detail

Json::Json(const Json& other) {
  std::visit(
      [&](const auto& value) {
        auto copy = value;
        value_ = std::move(copy);
      },
      other.value_);
}

Json::Json(std::initializer_list<Json> values) {
  const bool pairs = std::all_of(values.begin(), values.end(), [](const Json& value) {
    return value.is_array() && value.items().size() == 2 && value.items()[0].is_string();
  });
  if (!pairs || values.size() == 0) {
    value_ = Array(values);
    return;
  }
  Object members;
  for (const Json& pair : values) members.emplace_back(pair.items()[0].text(), pair.items()[1]);
  value_ = std::move(members);
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
}

const Json::Array& Json::items() const {
  if (const auto* values = std::get_if<Array>(&value_)) return *values;
  fail_kind("array");
}

const Json::Object& Json::members() const {
  if (const auto* members = std::get_if<Object>(&value_)) return *members;
  fail_kind("object");
}

const std::string& Json::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  fail_kind("string");
}

std::int64_t Json::signed_value() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  const auto* value = std::get_if<std::uint64_t>(&value_);
  if (!value) fail_kind("whole number");
  if (!std::in_range<std::int64_t>(*value)) json_detail::fail_range();
  return static_cast<std::int64_t>(*value);
}

std::uint64_t Json::unsigned_value() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  const auto* value = std::get_if<std::int64_t>(&value_);
  if (!value) fail_kind("whole number");
  if (*value < 0) json_detail::fail_range();
  return static_cast<std::uint64_t>(*value);
}

double Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  return static_cast<double>(signed_value());
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : members())
    if (member.first == key) return &member.second;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* const found = find(key);
  if (!found) throw JsonError(fmt::format("the JSON object lacks '{}'", key));
  return *found;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  auto& members = std::get<Object>(value_);
  for (Member& member : members)
    if (member.first == key) return member.second;
  return members.emplace_back(std::string(key), Json()).second;
}

void Json::erase(std::string_view key) {
  std::erase_if(std::get<Object>(value_),
                [&](const Member& member) { return member.first == key; });
}

Json& Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  return std::get<Array>(value_).emplace_back(std::move(value));
}

std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

void Json::append_to(std::string& out) const {
  const char* separator = "";
  if (const auto* values = std::get_if<Array>(&value_)) {
    out += '[';
    for (const Json& value : *values) {
      out += std::exchange(separator, ",");
      value.append_to(out);
    }
    out += ']';
  } else if (const auto* members = std::get_if<Object>(&value_)) {
    out += '{';
    for (const Member& member : *members) {
      out += std::exchange(separator, ",");
      append_json_string(member.first, out);
      out += ':';
      member.second.append_to(out);
    }
    out += '}';
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    append_json_string(*text, out);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else if (const auto* real = std::get_if<double>(&value_)) {
    append_number(*real, out);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    fmt::format_to(std::back_inserter(out), "{}", *whole);
  } else if (const auto* count = std::get_if<std::uint64_t>(&value_)) {
    fmt::format_to(std::back_inserter(out), "{}", *count);
  } else {
    out += "null";
  }
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::size_t bytes = first_character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kShort = "btn\vfr";  // from 8 on
      if (c >= 8 && c <= 13 && c != '\v')
        (out += '\\') += kShort[static_cast<std::size_t>(c - 8)];
      else
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  out += '"';
}

// ---- reading ----

void JsonCursor::fail() const {
  throw JsonError(fmt::format("no valid JSON at byte {}", at_ + 1), at_ + 1);
}

char JsonCursor::peek() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
    ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::take(char wanted) {
  if (peek() != wanted || at_ == text_.size()) return false;
  ++at_;
  return true;
}

void JsonCursor::expect(char wanted) {
  if (!take(wanted)) fail();
}

void JsonCursor::expect_end() {
  peek();
  if (at_ != text_.size()) fail();
}

bool JsonCursor::take_word(std::string_view word) {
  peek();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::string_view JsonCursor::number() {
  peek();
  const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
  const std::string_view number = text_.substr(at_, end - at_);
  if (!is_number_text(number)) fail();
  at_ = end;
  return number;
}

unsigned JsonCursor::hex4() {
  if (text_.size() - at_ < 4) fail();
  unsigned code = 0;
  const char* const begin = text_.data() + at_;
  if (std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4) fail();
  at_ += 4;
  return code;
}

void JsonCursor::append_escape(std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) fail();
  const char c = text_[at_];
  if (const std::size_t name = kNames.find(c); name != std::string_view::npos) {
    out += kMeanings[name];
    ++at_;
    return;
  }
  if (c != 'u') fail();
  ++at_;
  std::uint32_t code = hex4();
  if (code >= 0xd800 && code < 0xe000) {
    if (code >= 0xdc00 || !text_.substr(at_).starts_with("\\u")) fail();
    at_ += 2;
    const std::uint32_t low = hex4();
    if (low < 0xdc00 || low > 0xdfff) fail();
    code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
  }
  append_utf8(code, out);
}

std::string JsonCursor::string() {
  expect('"');
  std::string out;
  for (;;) {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
           static_cast<unsigned char>(text_[end]) >= 0x20)
      ++end;
    const std::string_view plain = text_.substr(at_, end - at_);
    if (!is_utf8(plain)) fail();
    out += plain;
    at_ = end;
    if (at_ == text_.size()) fail();
    const char c = text_[at_];
    if (c != '"' && c != '\\') fail();
    ++at_;
    if (c == '"') return out;
    append_escape(out);
  }
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : cursor_(text) {}

  Json parse() {
    Json value = next(0);
    cursor_.expect_end();
    return value;
  }

 private:
  Json next(std::size_t depth) {
    if (depth > kDeepest) cursor_.fail();
    switch (cursor_.peek()) {
      case '{': {
        Json::Object members;
        cursor_.object([&](std::string key) {
          Json value = next(depth + 1);
          members.emplace_back(std::move(key), std::move(value));
        });
        return members;
      }
      case '[': {
        Json::Array items;
        cursor_.array([&] { items.push_back(next(depth + 1)); });
        return items;
      }
      case '"': return cursor_.string();
      case 't': return word("true", true);
      case 'f': return word("false", false);
      case 'n': return word("null", nullptr);
      default: return number();
    }
  }

  Json word(std::string_view word, Json value) {
    if (!cursor_.take_word(word)) cursor_.fail();
    return value;
  }

  Json number() {
    const std::string_view text = cursor_.number();
    const char* const end = text.data() + text.size();
    if (text.find_first_of(".eE") == std::string_view::npos) {
      std::uint64_t count = 0;
      if (std::from_chars(text.data(), end, count).ec == std::errc() && text[0] != '-')
        return count;
      std::int64_t whole = 0;
      if (std::from_chars(text.data(), end, whole).ec == std::errc()) return whole;
    }
    double real = 0;
    // What is too large for a double is no number that anyone could use.
    if (std::from_chars(text.data(), end, real).ec != std::errc()) cursor_.fail();
    return real;
  }

  JsonCursor cursor_;
};

Json Json::parse(std::string_view text) { return JsonParser(text).parse(); }

}  // namespace simplexboost
