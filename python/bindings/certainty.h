// How sure a model is: functions of _core over simplexboost/certainty.h.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_certainty(nanobind::module_& module);

}  // namespace simplexboost::python
