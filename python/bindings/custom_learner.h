// A weak learner written in Python (simplexboost/_learner.py) as one of the library's.
#pragma once

#include "bindings/arrays.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost::python {

// `learner` has start(X), called once with the training rows, and grow(pulls, weights, rows,
// features), which gives a round's trees.
MakeLearner make_learner(const nb::object& learner);

}  // namespace simplexboost::python
