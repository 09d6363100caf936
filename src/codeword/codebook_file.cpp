#include "codeword/codebook_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "data/readers/csv_text.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {
namespace {

float read_number(const TextInput& input, const CsvCell& cell, bool first_line) {
  const CellValue value = read_cell(cell.text);
  const bool fits = std::abs(value.number) <= std::numeric_limits<float>::max();
  if (value.kind == CellKind::kNumber && fits) return static_cast<float>(value.number);
  const char* hint = first_line ? " (the file has no header line: a line is a class)" : "";
  if (value.kind == CellKind::kText || value.kind == CellKind::kMissing)
    throw input.error(cell.begin, fmt::format("{} is not a number{}", quote(cell.text), hint));
  throw input.error(cell.begin, fmt::format("{} is too large; codewords are finite numbers of "
                                            "single precision",
                                            quote(cell.text)));
}

// Blank lines at the end belong to nobody.
bool only_blanks(const char* at, const char* end) {
  return std::all_of(at, end,
                     [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
}

struct Table {
  std::vector<float> values;
  std::vector<const char*> lines;  // where each begins
  std::size_t columns = 0;
};

Table read_table(const TextInput& input) {
  const CsvText csv(input, ',');
  Table table;
  for (const char* at = input.begin(); at != input.end() && !only_blanks(at, input.end());) {
    table.lines.push_back(at);
    const std::vector<CsvCell> cells = csv.scan_record(at, input.end());
    if (table.lines.size() == 1) table.columns = cells.size();
    if (cells.size() != table.columns) {
      throw input.error(table.lines.back(),
                        fmt::format("a codeword of {} numbers; the first line has {}", cells.size(),
                                    table.columns));
    }
    for (const CsvCell& cell : cells)
      table.values.push_back(read_number(input, cell, table.lines.size() == 1));
    if (table.values.size() > kMostCodebookNumbers)
      throw input.error(table.lines.back(),
                        fmt::format("more than {} numbers", kMostCodebookNumbers));
  }
  return table;
}

void check_distinct(const TextInput& input, const Table& table) {
  const auto codeword = [&](std::size_t k) {
    return std::span(table.values).subspan(k * table.columns, table.columns);
  };
  const auto less = [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(codeword(a).begin(), codeword(a).end(), codeword(b).begin(),
                                        codeword(b).end());
  };
  std::vector<std::size_t> order(table.lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), less);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (less(order[i - 1], order[i])) continue;
    throw input.error(table.lines[order[i]],
                      fmt::format("the same codeword as in line {}; the classes could not be told "
                                  "apart",
                                  input.place(table.lines[order[i - 1]]).line));
  }
}

}  // namespace

Codebook read_codebook(const std::string& path) {
  const TextInput input = TextInput::open(path, 1);
  Table table = read_table(input);
  if (table.lines.size() < 2)
    throw input.error(input.begin(), "expected a line for each class, and at least two");
  check_distinct(input, table);
  return Codebook::dense(CodebookKind::kFile, table.lines.size(), std::move(table.values));
}

}  // namespace simplexboost
