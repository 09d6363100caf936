// Tables through the Arrow C stream interface (polars, pyarrow, DuckDB, ...), without any of these
// libraries: https://arrow.apache.org/docs/format/CStreamInterface.html.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/table.h"

namespace simplexboost::python {

// Takes over the stream in `capsule` (named "arrow_array_stream", rows of a struct). Numbers
// without nulls that stand in one chunk are used in place; strings and dictionaries become
// categories.
Table read_arrow(const nb::capsule& capsule, const Model* model, const Table* like);

}  // namespace simplexboost::python
