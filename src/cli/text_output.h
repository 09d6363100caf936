// Text to standard output, or to a file that appears only when it is complete.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/atomic_file.h"

namespace simplexboost::cli {

class TextOutput {
 public:
  // "-" is standard output.
  explicit TextOutput(const std::string& path);

  // Append here, and call flush_if_large() now and then.
  std::string& buffer() { return buffer_; }
  void flush_if_large();

  // Writes what is left; the file appears. Call once.
  void commit();

 private:
  void flush();

  std::optional<AtomicFile> file_;
  std::string buffer_;
};

}  // namespace simplexboost::cli
