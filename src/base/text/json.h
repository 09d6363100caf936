// JSON: what the command prints, what journals keep, what the header of a model says. Small, and
// safe where it counts: nothing here allocates while it is destroyed, so running out of memory ends
// in an exception and nowhere else, and a text nested too deep is refused.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {

// A text that is no JSON, or a value that is not what was asked for.
class JsonError : public Error {
 public:
  explicit JsonError(const std::string& what, std::size_t position = 0)
      : Error(what), position_(position) {}
  std::size_t position() const { return position_; }  // byte of the text

 private:
  std::size_t position_;
};

// A value. Objects keep the order in which their keys came.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  // std::variant's own copy is not safe where memory runs out in it (libstdc++ 12).
  Json(const Json& other);
  Json(Json&&) noexcept = default;
  Json& operator=(Json other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  template <std::signed_integral T>
  Json(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(static_cast<std::uint64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(float value) : value_(static_cast<double>(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  template <class T>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}
  template <class T>
  Json(const std::map<std::string, T>& values) : value_(Object(values.begin(), values.end())) {}
  Json(Array values) : value_(std::move(values)) {}
  Json(Object members) : value_(std::move(members)) {}
  // Pairs whose first is a string are an object, anything else is an array.
  Json(std::initializer_list<Json> values);

  static Json array() { return Array(); }
  static Json object() { return Object(); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_number() const;

  // Of an object; null becomes one.
  Json& operator[](std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // Throws JsonError where there is no such key.
  const Json& at(std::string_view key) const;
  void erase(std::string_view key);

  // Of an array; null becomes one.
  Json& push_back(Json value);
  Array::const_iterator begin() const { return items().begin(); }
  Array::const_iterator end() const { return items().end(); }

  // A number, bool, string, vector or map; JsonError where it is something else. Whole numbers
  // must be in the range of T.
  template <class T>
  T get() const;
  template <class T>
  T value(std::string_view key, const T& otherwise) const {
    const Json* const found = find(key);
    return found ? found->get<T>() : otherwise;
  }

  // One line. Numbers that JSON cannot say are null; bytes that are no UTF-8 become U+FFFD.
  std::string dump() const;

  // Throws JsonError with the position of what is wrong.
  static Json parse(std::string_view text);

 private:
  const Json* find(std::string_view key) const;
  const Array& items() const;
  const Object& members() const;
  std::int64_t signed_value() const;
  std::uint64_t unsigned_value() const;
  double number() const;
  const std::string& text() const;
  void append_to(std::string& out) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
};

namespace json_detail {
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
[[noreturn]] void fail_range();
}  // namespace json_detail

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, std::string>) {
    return text();
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number());
  } else if constexpr (std::signed_integral<T>) {
    const std::int64_t value = signed_value();
    if (!std::in_range<T>(value)) json_detail::fail_range();
    return static_cast<T>(value);
  } else if constexpr (std::unsigned_integral<T>) {
    const std::uint64_t value = unsigned_value();
    if (!std::in_range<T>(value)) json_detail::fail_range();
    return static_cast<T>(value);
  } else if constexpr (json_detail::IsVector<T>::value) {
    T values;
    for (const Json& item : items()) values.push_back(item.get<typename T::value_type>());
    return values;
  } else {
    T values;
    for (const Member& member : members())
      values.insert_or_assign(member.first, member.second.get<typename T::mapped_type>());
    return values;
  }
}

// Appends a string with its quotes, as JSON has it.
void append_json_string(std::string_view text, std::string& out);

// Goes through a text token by token, for those who know what must come next and keep only what
// they need. Blanks are skipped; every mistake is a JsonError with its position.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // The first character of what comes next; 0 at the end.
  char peek();
  // Takes this character if it comes next.
  bool take(char wanted);
  void expect(char wanted);
  // Calls member(key) at each value of an object, element() at each of an array; they take it.
  template <class Use>
  void object(const Use& member);
  template <class Use>
  void array(const Use& element);
  std::string string();
  // The characters of a number; whether it is one is for the caller to say.
  std::string_view number();
  // One of the words true, false and null.
  bool take_word(std::string_view word);
  void expect_end();
  [[noreturn]] void fail() const;

 private:
  unsigned hex4();
  void append_escape(std::string& out);

  std::string_view text_;
  std::size_t at_ = 0;
};

template <class Use>
void JsonCursor::object(const Use& member) {
  expect('{');
  if (take('}')) return;
  do {
    if (peek() != '"') fail();
    std::string key = string();
    expect(':');
    member(std::move(key));
  } while (take(','));
  expect('}');
}

template <class Use>
void JsonCursor::array(const Use& element) {
  expect('[');
  if (take(']')) return;
  do {
    element();
  } while (take(','));
  expect(']');
}

}  // namespace simplexboost
