#include "cli/text_output.h"

#include <cstdio>

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

}  // namespace simplexboost::cli
