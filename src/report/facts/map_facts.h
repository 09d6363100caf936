// Rows and classes in the plane, seen in two ways, and how far apart classes are beside how often
// they are confused.
#pragma once

#include <cstdint>
#include <vector>

#include "base/text/json.h"
#include "metric/confusion.h"
#include "report/facts/row_facts.h"
#include "simplexboost/model.h"

namespace simplexboost {

// {rows: [row, truth, said] a row, likeness: {classes, rows}, axes: {classes, rows, share},
//  distances}: places are x, y, x, y ... in [-1, 1].
// `likeness`: classes stand near those that they are taken for, a row among the classes that it is
// said to be of, by their probabilities. `axes`: the two directions in which the class scores of
// the rows differ most, the codewords in the same directions.
Json map_facts(const Model& model, const RowFacts& facts, const RowSample& sample,
               const std::vector<float>& likeness, const std::vector<std::uint32_t>& order,
               const Confusion& confusion);

}  // namespace simplexboost
