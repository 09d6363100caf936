#include "data/readers/text_head.h"

#include "data/readers/arff_reader.h"
#include "data/readers/csv_text.h"

namespace simplexboost {
namespace {

CsvText csv_text(const TextInput& input, const TextFormat& format) {
  return {input, format.delimiter != '\0' ? format.delimiter : find_delimiter(input)};
}

// As the reader of CSV does, which leaves out the line ends at the end.
const char* trimmed_end(const TextInput& input) {
  const char* end = input.end();
  while (end > input.begin() && (end[-1] == '\n' || end[-1] == '\r')) --end;
  return end;
}

std::string stand_in(const TextInput& input, const TextFormat& format) {
  const char* at = input.begin();
  const CsvText csv = csv_text(input, format);
  const std::size_t columns = csv.scan_record(at, trimmed_end(input)).size();
  std::string line;
  for (std::size_t i = 1; i <= columns; ++i)
    line += std::to_string(i) + (i < columns ? csv.delimiter() : '\n');
  return line;
}

}  // namespace

RecordEnds record_ends(std::string_view text) {
  if (text.find('"') == std::string_view::npos) return {text.find('\n') + 1, text.rfind('\n') + 1};
  RecordEnds ends;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] != '\n' || quoted) continue;
    if (ends.first == 0) ends.first = i + 1;
    ends.last = i + 1;
  }
  return ends;
}

std::string text_head(const TextInput& input, const TextFormat& format) {
  const std::string_view text = input.text();
  if (format.format == FileFormat::kArff)
    return std::string(text.substr(0, arff_header_size(text)));
  if (format.format != FileFormat::kCsv) return {};
  if (format.header == CsvHeader::kNone) return stand_in(input, format);
  const char* at = input.begin();
  csv_text(input, format).scan_record(at, input.end());
  return std::string(text.substr(0, static_cast<std::size_t>(at - input.begin())));
}

}  // namespace simplexboost
