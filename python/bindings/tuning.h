// Cross-validation and the search for good settings, as Python calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_tuning(nanobind::module_& module);

}  // namespace simplexboost::python
