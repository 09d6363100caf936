#include "cli/text/layout.h"

#include <algorithm>

#include "base/text/visible_text.h"

namespace simplexboost::cli {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

void append_wrapped_line(std::string& out, std::string_view line, std::size_t width,
                         std::size_t indent) {
  std::size_t column = 0;
  while (!line.empty()) {
    const std::size_t space = line.find(' ', 1);
    std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view() : line.substr(space);
    if (column > 0 && column + display_width(word) > width) {
      out += "\n" + std::string(indent, ' ');
      word.remove_prefix(word.front() == ' ' ? 1 : 0);
      column = 0;
    }
    out += word;
    column += display_width(word);
  }
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    append_wrapped_line(out, text.substr(0, end), width, indent);
    if (end == std::string_view::npos) return out;
    out += "\n" + std::string(indent, ' ');
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string fit(std::string_view wanted, std::size_t width) {
  const std::string text = visible_text(std::string(wanted));
  const bool cut = display_width(text) > width;
  std::size_t room = cut && width > 0 ? width - 1 : width;
  std::string out;
  for (const char c : text) {
    if (!continues_character(c) && room-- == 0) break;
    out += c;
  }
  return cut && width > 0 ? out + "…" : out;
}

std::string format_table(std::vector<std::vector<std::string>> rows,
                         const std::vector<std::size_t>& left, std::size_t indent) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = visible_text(std::move(cell));
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) {
      widths[j] = std::max(widths[j], display_width(row[j]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string padding(widths[j] - display_width(row[j]), ' ');
      const bool flush_left = std::find(left.begin(), left.end(), j) != left.end();
      if (j > 0) line += "  ";
      line += flush_left ? row[j] + padding : padding + row[j];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace simplexboost::cli
