// Columns through the Arrow C stream interface, without Python: what arrow.h hands to a table. The
// producer lives in this process and is trusted with the sizes of its buffers, which the interface
// does not tell; all that can be seen is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost::python {

// The structures of the interface, as its specification has them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// Numbers, or categories by the order in which they first appear.
struct ArrowColumn {
  std::string name;
  bool categorical = false;
  Column numbers;                       // if not categorical
  std::vector<std::int32_t> codes;      // if categorical; -1: missing
  std::vector<std::string> categories;  // the name of each code
};

struct ArrowTable {
  std::size_t rows = 0;
  std::vector<ArrowColumn> columns;
};

// Calls `release`, which gives memory back to the producer, under the lock that this one needs.
using ReleaseGuard = void (*)(const std::function<void()>& release);

// Takes all chunks of a stream of rows of a struct. Throws DataError on a column of another type
// than numbers, booleans, strings and dictionaries, and on what cannot be sound.
ArrowTable read_arrow_stream(ArrowArrayStream& stream, ReleaseGuard guard);

}  // namespace simplexboost::python
