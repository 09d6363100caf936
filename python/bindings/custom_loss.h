// Losses that are written in Python: a gamma-phi pair, or any objective by its derivatives.
#pragma once

#include <memory>

#include "bindings/arrays.h"
#include "simplexboost/loss.h"

namespace simplexboost::python {

// An object with gamma(s) and phi(v), each from an array to three: values, slopes, curvatures.
// Throws ParameterError where it is no such pair.
std::shared_ptr<const GammaPhi> make_pair(const nb::object& pair);

// A function (labels, scores) -> (pulls, curvature), all of rows x classes but the labels; where it
// has losses(labels, scores), an array of one a row, these are used too.
std::shared_ptr<const Objective> make_objective(const nb::object& objective);

}  // namespace simplexboost::python
