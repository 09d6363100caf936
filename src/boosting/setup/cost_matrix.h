// What it costs to take a row of one class for another.
#pragma once

#include <string>
#include <vector>

namespace simplexboost {

// classes x classes, row-major: [true class][taken for], not negative; what is on the diagonal does
// not matter. By the text of the parameter costs, which is not "none":
//   0,1;5,0           a row of numbers for each class, in the order of the classes
//   a file            the same as CSV; with a first line of class names (and a first column of
//                     them, then with an empty cell before the line), rows in any order
// Throws ParameterError, or DataError with the place in the file.
std::vector<float> read_costs(const std::string& text, const std::vector<std::string>& classes);

// The matrix as such a text.
std::string costs_text(const std::vector<float>& costs, std::size_t classes);

}  // namespace simplexboost
