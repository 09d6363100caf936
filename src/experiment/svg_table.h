// A table of shares as a picture, SVG text: one square a cell, the darker the larger its share of
// its line. For confusions of true classes (lines) with predicted ones (columns).
#pragma once

#include <string>
#include <vector>

namespace simplexboost {

struct ShadedTable {
  std::string title;
  std::string line_label;
  std::string column_label;
  std::vector<std::string> names;          // of lines and columns alike
  std::vector<std::vector<double>> cells;  // names x names, not negative
};

// Numbers stand in the cells where there is room for them. Cells that hold nothing are not drawn.
std::string svg_text(const ShadedTable& table);

}  // namespace simplexboost
