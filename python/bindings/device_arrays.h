// Arrays in the memory of a GPU: as columns, as labels, and as results.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_device_arrays(nanobind::module_& module);

}  // namespace simplexboost::python
