#include "cli/text/output.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "simplexboost/error.h"

namespace simplexboost::cli {

TextOutput::TextOutput(const std::string& path) {
  if (path != "-") file_.emplace(path);
}

void TextOutput::flush_if_large() {
  constexpr std::size_t kLarge = 1 << 20;
  if (buffer_.size() >= kLarge) flush();
}

void TextOutput::commit() {
  flush();
  if (file_) file_->commit();
}

void TextOutput::flush() {
  if (file_) {
    file_->write(buffer_);
  } else if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size()) {
    throw IoError("cannot write to standard output");
  }
  buffer_.clear();
}

void print_json(const nlohmann::ordered_json& value) {
  fmt::print("{}\n", value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json json_count(double count) {
  constexpr double kExact = 0x1.0p53;
  if (count == std::floor(count) && std::abs(count) < kExact) {
    return static_cast<std::int64_t>(count);
  }
  return count;
}

void print_note(const std::string& text) { fmt::print(stderr, "note: {}\n", text); }

}  // namespace simplexboost::cli
