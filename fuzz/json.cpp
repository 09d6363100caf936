// JSON: the reader takes what a naive twin takes, and what it took is the same when it is written
// and read again.
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/text/json.h"
#include "base/text/visible_text.h"
#include "target.h"

namespace simplexboost::fuzz {
namespace {

// RFC 8259, a function a rule. `sure` falls where it is a matter of taste: depth, and numbers that
// no double can hold.
class Naive {
 public:
  explicit Naive(std::string_view text) : text_(text) {}

  bool whole() {
    const bool good = value(0);
    blanks();
    return good && at_ == text_.size();
  }
  bool sure() const { return sure_; }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool has(char c) { return at_ < text_.size() && text_[at_] == c && ++at_ > 0; }
  void blanks() {
    while (now() == ' ' || now() == '\t' || now() == '\n' || now() == '\r') ++at_;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool value(int depth) {
    if (depth > 60) sure_ = false;
    if (depth > 1000) return false;
    blanks();
    if (has('{')) return list('}', [&] { return member(depth); });
    if (has('[')) return list(']', [&] { return value(depth + 1); });
    if (now() == '"') return string();
    return word("true") || word("false") || word("null") || number();
  }

  template <class Item>
  bool list(char end, const Item& item) {
    blanks();
    if (has(end)) return true;
    for (;;) {
      if (!item()) return false;
      blanks();
      if (has(end)) return true;
      if (!has(',')) return false;
    }
  }

  bool member(int depth) {
    blanks();
    if (!string()) return false;
    blanks();
    return has(':') && value(depth + 1);
  }

  bool string() {
    if (!has('"')) return false;
    const std::size_t begin = at_;
    for (;;) {
      if (at_ >= text_.size() || static_cast<unsigned char>(now()) < 0x20) return false;
      if (has('"')) return is_utf8(text_.substr(begin, at_ - 1 - begin));
      if (!has('\\')) {
        ++at_;
      } else if (!escape()) {
        return false;
      }
    }
  }

  bool escape() {
    if (at_ >= text_.size()) return false;
    if (now() != 'u') return std::string_view("\"\\/bfnrt").find(text_[at_++]) < 8;
    const long first = hex();
    if (first < 0 || (first >= 0xdc00 && first < 0xe000)) return false;
    if (first < 0xd800 || first >= 0xe000) return true;
    if (!has('\\') || now() != 'u') return false;
    const long second = hex();
    return second >= 0xdc00 && second < 0xe000;
  }

  // Behind a u; -1: not four digits.
  long hex() {
    ++at_;
    const std::string digits(text_.substr(at_, 4));
    if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") < 4) return -1;
    at_ += 4;
    return std::strtol(digits.c_str(), nullptr, 16);
  }

  bool digits() {
    const std::size_t begin = at_;
    while (now() >= '0' && now() <= '9') ++at_;
    return at_ > begin;
  }

  bool number() {
    const std::size_t begin = at_;
    has('-');
    if (has('0')) {
      if (now() >= '0' && now() <= '9') return false;
    } else if (!digits()) {
      return false;
    }
    if (has('.') && !digits()) return false;
    if (has('e') || has('E')) {
      if (!has('+')) has('-');
      if (!digits()) return false;
    }
    const double value =
        std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    if (!std::isnormal(value)) sure_ = false;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool sure_ = true;
};

void run(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  Naive naive(text);
  const bool good = naive.whole();
  Json value;
  try {
    value = Json::parse(text);
  } catch (const JsonError& error) {
    require(error.position() <= text.size() + 1, "an error outside the text");
    require(!good || !naive.sure(), "sound JSON is refused");
    return;
  }
  require(good || !naive.sure(), "what is no JSON is taken");
  const std::string written = value.dump();
  require(Json::parse(written).dump() == written, "written and read again it is another value");
}

}  // namespace

const Target kJsonTarget = {"json", run, nullptr};

}  // namespace simplexboost::fuzz
