// Shapley values, effects and permutation importance for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_explain(nanobind::module_& module);

}  // namespace simplexboost::python
