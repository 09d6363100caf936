// Weights of what rows say about classes, from a file of their own.
#pragma once

#include <string>

#include "base/communicator.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// A CSV file with a line of class names, in any order, and a line for each row of the data.
// Multiplies the labels' weights by them, so that a label that is unknown stays so. DataError with
// the place of what is wrong. Where the rows are parted among ranks, all of them call it together;
// each reads the whole file, and keeps what is said of its rows.
void read_label_weights(const std::string& path, int threads, Dataset& data,
                        Communicator& ranks = no_others());

}  // namespace simplexboost
