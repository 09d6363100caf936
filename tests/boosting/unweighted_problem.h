// The problem that an optimiser is given for data without weights, in one thread.
#pragma once

#include "optimizer/optimizer.h"
#include "simplexboost/dataset.h"

namespace simplexboost::testing {

inline Problem unweighted_problem(const Dataset& data) {
  return {data.labels, {}, RowSpace(data.rows, 1), data.labels.classes.size()};
}

}  // namespace simplexboost::testing
