#include "boosting/setup/cost_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/text/nearest_name.h"
#include "data/readers/csv_text.h"
#include "data/readers/table/text_cell.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// A table of cells, and where its lines begin.
struct Table {
  std::vector<std::vector<CsvCell>> lines;
  std::vector<const char*> begins;
};

Table read_table(const TextInput& input) {
  const CsvText csv(input, ',');
  Table table;
  for (const char* at = input.begin(); at != input.end();) {
    const char* const begin = at;
    std::vector<CsvCell> cells = csv.scan_record(at, input.end());
    if (cells.size() == 1 && cells[0].text.empty()) continue;  // a blank line
    table.begins.push_back(begin);
    table.lines.push_back(std::move(cells));
  }
  return table;
}

class CostReader {
 public:
  CostReader(const TextInput& input, const std::vector<std::string>& classes)
      : input_(input), classes_(classes), table_(read_table(input)) {}

  std::vector<float> read() const {
    const bool header = table_.lines.size() == classes_.size() + 1;
    const std::size_t first = header ? 1 : 0;
    if (table_.lines.size() - first != classes_.size())
      throw input_.error(input_.begin(),
                         fmt::format("{} lines of costs for {} classes: give one for each, after "
                                     "one of names or none",
                                     table_.lines.size(), classes_.size()));
    // Lines without names stand in the order of the columns.
    const bool names = header && table_.lines[0].size() == classes_.size() + 1;
    const std::vector<std::size_t> columns =
        order(header ? &table_.lines[0] : nullptr, names ? 1 : 0);
    std::vector<float> costs(classes_.size() * classes_.size());
    std::vector<bool> seen(classes_.size());
    for (std::size_t i = first; i < table_.lines.size(); ++i) {
      const auto& line = table_.lines[i];
      require_width(i, classes_.size() + (names ? 1 : 0));
      const std::size_t k = names ? class_of(line[0]) : columns[i - first];
      if (seen[k])
        throw input_.error(table_.begins[i],
                           fmt::format("the class '{}' has two lines", classes_[k]));
      seen[k] = true;
      for (std::size_t j = 0; j < classes_.size(); ++j)
        costs[k * classes_.size() + columns[j]] = number(line[j + (names ? 1 : 0)]);
    }
    return costs;
  }

 private:
  void require_width(std::size_t line, std::size_t width) const {
    if (table_.lines[line].size() == width) return;
    throw input_.error(table_.begins[line], fmt::format("{} cells where {} are expected",
                                                        table_.lines[line].size(), width));
  }

  std::size_t class_of(const CsvCell& cell) const {
    std::string scratch;
    const std::string_view name = cell.value(scratch);
    const auto found = std::find(classes_.begin(), classes_.end(), name);
    if (found != classes_.end()) return static_cast<std::size_t>(found - classes_.begin());
    const std::vector<std::string_view> names(classes_.begin(), classes_.end());
    throw input_.error(cell.begin, unknown_name_message("class", name, names));
  }

  // The class of each column; without a line of names, the classes in their order.
  std::vector<std::size_t> order(const std::vector<CsvCell>* names, std::size_t skip) const {
    std::vector<std::size_t> columns(classes_.size());
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = j;
    if (!names) return columns;
    require_width(0, classes_.size() + skip);
    std::vector<bool> seen(classes_.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const CsvCell& cell = (*names)[j + skip];
      columns[j] = class_of(cell);
      if (seen[columns[j]])
        throw input_.error(cell.begin,
                           fmt::format("the class '{}' has two columns", classes_[columns[j]]));
      seen[columns[j]] = true;
    }
    return columns;
  }

  float number(const CsvCell& cell) const {
    const CellValue value = read_cell(cell.text);
    if (value.kind == CellKind::kNumber && value.number >= 0 &&
        value.number <= static_cast<double>(std::numeric_limits<float>::max()))
      return static_cast<float>(value.number);
    throw input_.error(
        cell.begin, fmt::format("{} is no cost; give a number from 0 to 3e38", quote(cell.text)));
  }

  const TextInput& input_;
  const std::vector<std::string>& classes_;
  Table table_;
};

void require_some(const std::vector<float>& costs, std::size_t classes) {
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t l = 0; l < classes; ++l)
      if (k != l && costs[k * classes + l] > 0) return;
  throw ParameterError("costs: no mistake costs anything, so there is nothing to learn");
}

}  // namespace

std::vector<float> read_costs(const std::string& text, const std::vector<std::string>& classes) {
  std::error_code ignored;
  const bool file = std::filesystem::is_regular_file(text, ignored);
  if (!file && text.find(';') == std::string::npos)
    throw ParameterError(
        fmt::format("costs: '{}' is no file; give a CSV file, or the numbers: 0,1;5,0", text));
  std::string lines = text;
  std::replace(lines.begin(), lines.end(), ';', '\n');
  const TextInput input = file ? TextInput::open(text, 1) : TextInput::from_text("costs", lines);
  std::vector<float> costs = CostReader(input, classes).read();
  require_some(costs, classes.size());
  return costs;
}

std::string costs_text(const std::vector<float>& costs, std::size_t classes) {
  std::string text;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i > 0) text += i % classes == 0 ? ';' : ',';
    text += fmt::format("{}", costs[i]);
  }
  return text;
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::vector<float> parse_costs(const std::string& text, const std::vector<std::string>& classes) {
  return read_costs(text, classes);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
