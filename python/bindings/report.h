// Pages: reports, comparisons, dashboards.
#pragma once

#include <nanobind/nanobind.h>

namespace simplexboost::python {

void bind_report(nanobind::module_& module);

}  // namespace simplexboost::python
