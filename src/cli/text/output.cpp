#include "cli/text/output.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "base/stop.h"
#include "base/text/json.h"
#include "base/text/visible_text.h"
#include "cli/terminal/terminal.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {

TextOutput::TextOutput(const std::string& path) {
  if (path != "-") file_.emplace(path);
}

void TextOutput::flush_if_large() {
  constexpr std::size_t kLarge = 1 << 20;
  if (buffer_.size() >= kLarge && !held_) write();
}

void TextOutput::flush() {
  write();
  if (!file_ && std::fflush(stdout) != 0) {
    check_stop();
    throw IoError("cannot write to standard output");
  }
}

void TextOutput::commit() {
  write();
  if (file_) file_->commit();
}

void TextOutput::write() {
  if (file_) {
    file_->write(buffer_);
  } else if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size()) {
    check_stop();
    throw IoError("cannot write to standard output");
  }
  buffer_.clear();
}

void print_json(const Json& value) { fmt::print("{}\n", value.dump()); }

Json json_count(double count) {
  constexpr double kExact = 0x1.0p53;
  if (count == std::floor(count) && std::abs(count) < kExact) {
    return static_cast<std::int64_t>(count);
  }
  return count;
}

void write_page(const std::string& path, const std::string& page, bool quiet) {
  TextOutput out(path);
  out.buffer() = page;
  out.commit();
  if (path != "-" && !quiet)
    fmt::print("{}: {} KB; open it in a browser\n", visible_text(path), (page.size() + 512) / 1024);
}

void print_note(const std::string& text) { print_error_line("note: ", visible_text(text)); }

}  // namespace simplexboost::cli
