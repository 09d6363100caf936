// The grammar of CSV (RFC 4180) over a text in memory: where a cell ends, and where a text may be
// cut so that threads can read the parts. Knows nothing of what the cells mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/text_input.h"

namespace simplexboost {

struct CsvCell {
  const char* begin = nullptr;  // its first byte, for messages
  std::string_view text;        // without the quotes and the blanks around it
  bool escaped = false;         // `text` holds "" for "

  // The text proper; `scratch` lends memory where it differs from the file's bytes.
  std::string_view value(std::string& scratch) const;
};

// Records [first_row, ...) in a part of the text; cut at the same places for any thread count.
struct CsvChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t first_row = 0;
};

// How often a byte that is not too frequent occurs.
std::size_t count_byte(const char* begin, const char* end, char byte);

class CsvText {
 public:
  CsvText(const TextInput& input, char delimiter) : input_(&input), delimiter_(delimiter) {}

  const TextInput& input() const { return *input_; }
  char delimiter() const { return delimiter_; }

  // Reads the cell at `at`. Returns where it ends: at a delimiter, at '\n', or at `end`.
  const char* scan(const char* at, const char* end, CsvCell& cell) const;

  // A line of more cells is refused: a file of nothing but delimiters takes no memory then.
  static constexpr std::size_t kMostCells = 1'000'000;

  // All cells of the record at `at`; moves `at` past the record's end.
  std::vector<CsvCell> scan_record(const char*& at, const char* end) const;

  // Cuts [begin, end) into chunks of about `chunk_bytes` and counts its records.
  std::vector<CsvChunk> split(const char* begin, const char* end, std::size_t chunk_bytes,
                              int threads, std::size_t& rows) const;

 private:
  const char* scan_quoted(const char* at, const char* end, CsvCell& cell) const;

  const TextInput* input_;
  char delimiter_;
};

}  // namespace simplexboost
