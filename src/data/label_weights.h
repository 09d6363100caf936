// Weights of what rows say about classes, from a file of their own.
#pragma once

#include <string>

#include "simplexboost/dataset.h"

namespace simplexboost {

// A CSV file with a line of class names, in any order, and a line for each row of the data.
// Multiplies the labels' weights by them, so that a label that is unknown stays so. DataError with
// the place of what is wrong.
void read_label_weights(const std::string& path, int threads, Dataset& data);

}  // namespace simplexboost
