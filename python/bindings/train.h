// Training as Python calls it.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_train(nanobind::module_& module);

}  // namespace simplexboost::python
