// Weights of classes: every row of a class counts so much more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/row_space.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// By the text of the parameter class-weight, which is not "none":
//   balanced          total weight / (classes that occur * weight of the class)
//   a=2,b=0.5         those named; the others have 1
//   a file            a line `class=weight` for each class named
// Throws ParameterError, or DataError with the place in the file.
std::vector<double> class_weights(const std::string& text, const Dataset& data,
                                  const RowSpace& space);

// Numbers of classes by such a list or file, nothing for those that are not named. `option` is what
// errors call it.
std::vector<std::optional<double>> class_numbers(const std::string& option, const std::string& text,
                                                 const std::vector<std::string>& classes);

// The weights as such a text, in the order of the classes.
std::string class_weight_text(const std::vector<double>& weights,
                              const std::vector<std::string>& classes);

// The same rows, each weight multiplied by that of its class.
Dataset weight_classes(const Dataset& data, const std::vector<double>& weights);

}  // namespace simplexboost
