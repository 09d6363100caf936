#include "bindings/arrow.h"

#include "bindings/arrow_stream.h"
#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

// The producer may be Python.
void release_locked(const std::function<void()>& release) {
  const nb::gil_scoped_acquire lock;
  release();
}

}  // namespace

Table read_arrow(const nb::capsule& capsule, const Model* model, const Table* like) {
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (!stream) throw nb::python_error();
  if (!stream->release) throw DataError("the Arrow stream has been read already");
  ArrowTable read = read_arrow_stream(*stream, release_locked);
  Table table = like ? Table(read.rows, true, *like) : Table(read.rows, true, model);
  for (ArrowColumn& column : read.columns) {
    if (column.categorical) {
      table.add_categories(std::move(column.codes), column.categories, column.name);
    } else {
      column.numbers.schema.name = std::move(column.name);
      table.add_column(std::move(column.numbers));
    }
  }
  return table;
}

}  // namespace simplexboost::python
