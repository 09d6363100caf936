// The model as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_model(nanobind::module_& module);

}  // namespace simplexboost::python
