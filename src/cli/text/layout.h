// Small matters of text that several verbs share: wrapping, splitting, quoting, aligned tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simplexboost::cli {

// Breaks at spaces so that no line is longer than `width` (a longer word stands alone); lines after
// the first are indented. Line breaks in the text stay.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// The parts between separators, empty ones left out.
std::vector<std::string> split(std::string_view text, char separator);

// The number of columns that a UTF-8 text takes on a terminal, one a code point.
std::size_t display_width(std::string_view text);

// Cuts a text to `width` columns, the last one an ellipsis where something is cut off. Shown
// as base/text/visible_text.h has it.
std::string fit(std::string_view text, std::size_t width);

// Columns as wide as their widest cell, two spaces between them; the columns named in `left` are
// aligned to the left, others to the right. The first row is the heading.
std::string format_table(std::vector<std::vector<std::string>> rows,
                         const std::vector<std::size_t>& left, std::size_t indent = 0);

}  // namespace simplexboost::cli
