// Classes one by one and in pairs: the table, the confusions, the worst pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/text/json.h"
#include "metric/confusion.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

Confusion confusion_of(const RowFacts& facts);

// One line for each class, in the model's order: support, weight of the rows said to be of it,
// recall, precision, mean probability of what is said to be of it less the share that is, the
// calibration error of that, the median margin, the class that it is most taken for and the weight.
Json class_table(const RowFacts& facts, const Confusion& confusion);

// {cells: [truth, said, weight, ...] off the diagonal, diagonal, left_out: the weight of those that
// are too many to show}.
Json confusion_facts(const RowFacts& facts, const Confusion& confusion);

// The pairs that are confused most, with examples.
Json worst_pairs(const RowFacts& facts, const Confusion& confusion, const Dataset& data,
                 const std::vector<std::size_t>& features);

}  // namespace simplexboost
