#include "data/readers/csv_text.h"

#include <fmt/format.h>

#include <cstring>

#include "base/threads/parallel.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {
namespace {

const char* find_byte(const char* begin, const char* end, char byte) {
  const void* const found = std::memchr(begin, byte, static_cast<std::size_t>(end - begin));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace

std::size_t count_byte(const char* begin, const char* end, char byte) {
  std::size_t count = 0;
  for (const char* at = begin; (at = find_byte(at, end, byte)) != end; ++at) ++count;
  return count;
}

namespace {

// The line ends in a block that are not inside quotes.
struct LineEnds {
  std::size_t count = 0;
  const char* first = nullptr;
};

LineEnds find_line_ends(const char* begin, const char* end, bool quoted, bool has_quotes) {
  LineEnds ends;
  if (!has_quotes) {
    if (quoted) return ends;
    const char* const first = find_byte(begin, end, '\n');
    if (first != end) ends = {count_byte(first, end, '\n'), first};
    return ends;
  }
  for (const char* at = begin; at < end; ++at) {
    if (*at == '"') {
      quoted = !quoted;
    } else if (*at == '\n' && !quoted) {
      if (ends.count++ == 0) ends.first = at;
    }
  }
  return ends;
}

}  // namespace

std::string_view CsvCell::value(std::string& scratch) const {
  if (!escaped) return text;
  scratch.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch += text[i];
    if (text[i] == '"') ++i;
  }
  return scratch;
}

const char* CsvText::scan(const char* at, const char* end, CsvCell& cell) const {
  while (at < end && (*at == ' ' || *at == '\t') && *at != delimiter_) ++at;
  cell.begin = at;
  cell.escaped = false;
  if (at < end && *at == '"') return scan_quoted(at, end, cell);
  for (; at < end && *at != delimiter_ && *at != '\n'; ++at) {
    if (*at == '"')
      throw input_->error(at,
                          "a quote inside a cell that does not begin with one; put the whole "
                          "cell in quotes and double those inside");
    if (*at == '\r' && at + 1 < end && at[1] != '\n')
      throw input_->error(at,
                          "a carriage return without a line feed; end the lines with LF or "
                          "CRLF, or put the cell in quotes");
  }
  const char* last = at;
  if (last > cell.begin && last[-1] == '\r') --last;
  cell.text = trim_blanks({cell.begin, static_cast<std::size_t>(last - cell.begin)});
  return at;
}

const char* CsvText::scan_quoted(const char* at, const char* end, CsvCell& cell) const {
  const char* close = ++at;
  for (;;) {
    close = find_byte(close, end, '"');
    if (close == end)
      throw input_->error(cell.begin,
                          "a quote that is never closed; close it, or double it if it "
                          "belongs to the text");
    if (close + 1 == end || close[1] != '"') break;
    cell.escaped = true;
    close += 2;
  }
  cell.text = {at, static_cast<std::size_t>(close - at)};
  for (at = close + 1; at < end && *at != delimiter_ && *at != '\n'; ++at) {
    const bool blank =
        *at == ' ' || *at == '\t' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
    if (!blank)
      throw input_->error(at,
                          "text after a closing quote; expected the end of the cell, or a "
                          "doubled quote inside it");
  }
  return at;
}

std::vector<CsvCell> CsvText::scan_record(const char*& at, const char* end) const {
  std::vector<CsvCell> cells;
  for (;;) {
    if (cells.size() == kMostCells)
      throw input_->error(
          at, fmt::format("more than {} cells in a line; is the delimiter right?", kMostCells));
    at = scan(at, end, cells.emplace_back());
    if (at == end) return cells;
    if (*at++ == '\n') return cells;
  }
}

std::vector<CsvChunk> CsvText::split(const char* begin, const char* end, std::size_t chunk_bytes,
                                     int threads, std::size_t& rows) const {
  rows = 0;
  if (begin == end) return {};
  const auto size = static_cast<std::size_t>(end - begin);
  const std::size_t blocks = (size + chunk_bytes - 1) / chunk_bytes;
  const auto edge = [&](std::size_t i) { return i < blocks ? begin + i * chunk_bytes : end; };

  // A line end counts only outside quotes: if an even number of quotes stands before it.
  std::vector<std::size_t> quotes(blocks);
  parallel_for(threads, blocks,
               [&](std::size_t i) { quotes[i] = count_byte(edge(i), edge(i + 1), '"'); });
  std::vector<char> quoted(blocks + 1);
  for (std::size_t i = 0; i < blocks; ++i)
    quoted[i + 1] = static_cast<char>((static_cast<std::size_t>(quoted[i]) + quotes[i]) % 2);
  std::vector<LineEnds> ends(blocks);
  parallel_for(threads, blocks, [&](std::size_t i) {
    ends[i] = find_line_ends(edge(i), edge(i + 1), quoted[i] != 0, quotes[i] > 0);
  });

  std::vector<CsvChunk> chunks{{begin, end, 0}};
  rows = 1 + ends[0].count;
  for (std::size_t i = 1; i < blocks; ++i) {
    if (ends[i].count == 0) continue;
    const char* const start = ends[i].first + 1;
    if (start < end) {
      chunks.back().end = start;
      chunks.push_back({start, end, rows});
    }
    rows += ends[i].count;
  }
  return chunks;
}

}  // namespace simplexboost
