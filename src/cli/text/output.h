// What the verbs write: text to standard output or to a file that appears only when it is complete,
// one line of JSON for machines, notes on standard error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/files/atomic_file.h"
#include "base/text/json.h"

namespace simplexboost::cli {

class TextOutput {
 public:
  // "-" is standard output.
  explicit TextOutput(const std::string& path);

  // Append here, and call flush_if_large() now and then.
  std::string& buffer() { return buffer_; }
  void flush_if_large();
  // Nothing is written from now on: the buffer keeps it all.
  void hold() { held_ = true; }
  // What there is so far goes to whoever reads standard output.
  void flush();

  // Writes what is left; the file appears. Call once.
  void commit();

 private:
  void write();

  std::optional<AtomicFile> file_;
  std::string buffer_;
  bool held_ = false;
};

// Numbers that JSON cannot say (NaN, infinity) become null, and text that is no UTF-8 is repaired,
// so that the line can always be parsed.
void print_json(const Json& value);

// A count without a fraction where it has none: 3, not 3.0.
Json json_count(double count);

// A page for people: "-" is standard output; otherwise says, unless `quiet`, where it is now.
void write_page(const std::string& path, const std::string& page, bool quiet);

// A line on standard error that begins with "note: ".
void print_note(const std::string& text);

}  // namespace simplexboost::cli
