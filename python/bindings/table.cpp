#include "bindings/table.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/threads/parallel.h"
#include "bindings/arrow.h"
#include "bindings/peers.h"
#include "data/common_codes.h"
#include "data/rows/row_shares.h"
#include "data/rows/sparse_rows.h"
#include "quality/ranked_quality.h"
#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

// Keeps the array of Python alive; whoever drops the last reference need not hold the lock.
std::shared_ptr<const void> owner_of(const AnyArray& array) {
  return {new AnyArray(array), [](const AnyArray* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

// One column of numbers, or several.
MatrixView view(const AnyArray& array) {
  const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
  const bool one = array.ndim() == 1;
  return {array.data(),           scalar_of(array),
          array.shape(0),         one ? 1 : array.shape(1),
          array.stride(0) * size, one ? 0 : array.stride(1) * size};
}

void check_dimensions(const AnyArray& array, std::size_t wanted) {
  if (array.ndim() != wanted)
    throw DataError(
        fmt::format("an array of {} dimensions where {} are needed", array.ndim(), wanted));
}

// Whether any of the numbers is infinite. A sum, in parts that vectors can take, is not finite
// then; only where it is not, as with a NaN, each number is looked at.
template <class T>
bool any_infinite(const T* begin, const T* end) {
  std::array<T, 16> sums{};
  const T* at = begin;
  for (; end - at >= std::ssize(sums); at += sums.size())
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += at[j];
  for (; at != end; ++at) sums[0] += *at;
  const auto finite = [](T x) { return std::isfinite(x); };
  return !std::all_of(sums.begin(), sums.end(), finite) &&
         std::any_of(begin, end, [](T x) { return std::isinf(x); });
}

template <class T>
bool holds_infinity(const nb::ndarray<const T, nb::c_contig, nb::device::cpu>& array, int threads) {
  constexpr std::size_t kBlock = 1 << 16;
  const T* const values = array.data();
  const nb::gil_scoped_release unlock;
  std::atomic<bool> found = false;
  parallel_blocks(resolve_threads(threads), array.size(), kBlock,
                  [&](std::size_t begin, std::size_t end) {
                    if (any_infinite(values + begin, values + end)) found = true;
                  });
  return found;
}

}  // namespace

Scalar scalar_of(const AnyArray& array) {
  const auto type = static_cast<nb::dlpack::dtype_code>(array.dtype().code);
  const int bits = array.dtype().bits;
  const auto pick = [&](Scalar b8, Scalar b16, Scalar b32, Scalar b64) {
    return bits == 8 ? b8 : bits == 16 ? b16 : bits == 32 ? b32 : b64;
  };
  switch (type) {
    case nb::dlpack::dtype_code::Float:
      if (bits == 32) return Scalar::kFloat32;
      if (bits == 64) return Scalar::kFloat64;
      break;
    case nb::dlpack::dtype_code::Int:
      return pick(Scalar::kInt8, Scalar::kInt16, Scalar::kInt32, Scalar::kInt64);
    case nb::dlpack::dtype_code::UInt:
    case nb::dlpack::dtype_code::Bool:
      return pick(Scalar::kUint8, Scalar::kUint16, Scalar::kUint32, Scalar::kUint64);
    default: break;
  }
  throw DataError("features must be whole numbers, float32 or float64");
}

Table::Table(std::size_t rows, bool named, const Model* model)
    : builder_(model ? DatasetBuilder(rows, model->schema()) : DatasetBuilder(rows)) {
  builder_.set_named(named);
}

Table::Table(std::size_t rows, bool named, const Table& like)
    : builder_(rows, like.data().schema()) {
  builder_.set_named(named);
}

void Table::add_dense(const AnyArray& array, const Names& names) {
  check_dimensions(array, 2);
  builder_.add_matrix(view(array), {names, {}, owner_of(array)});
}

void Table::add_numbers(const AnyArray& array, const std::string& name) {
  check_dimensions(array, 1);
  builder_.add_matrix(view(array), {{name}, {}, owner_of(array)});
}

void Table::add_number_categories(const AnyArray& array, const std::string& name) {
  check_dimensions(array, 1);
  builder_.add_matrix(view(array), {{name}, {0}, nullptr});
}

void Table::add_column(Column column) { builder_.add_column(std::move(column)); }

template <class Index>
void Table::add_sparse(const AnyArray& values, const Vector<Index>& rows,
                       const Vector<std::int64_t>& starts, const Names& names) {
  if (starts.size() != names.size() + 1 || values.ndim() != 1 || values.shape(0) != rows.size())
    throw DataError("the parts of a sparse matrix do not fit together");
  const std::shared_ptr<const void> owner = owner_of(values);
  const MatrixView numbers = view(values);
  const auto size = static_cast<std::int64_t>(rows.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::int64_t begin = starts.data()[j];
    const std::int64_t end = starts.data()[j + 1];
    if (begin < 0 || end < begin || end > size)
      throw DataError("the column starts of a sparse matrix do not ascend");
    const Index* first = rows.data() + begin;
    const Index* last = rows.data() + end;
    for (const Index* row = first; row != last; ++row)
      if (*row < 0 || static_cast<std::size_t>(*row) >= data().rows ||
          (row != first && *row <= row[-1]))
        throw DataError("the rows of a sparse column do not ascend within the table");
    Column column;
    column.schema.name = names[j];
    column.scalar = numbers.scalar;
    column.stride = numbers.row_stride;
    column.data = static_cast<const std::byte*>(numbers.data) + begin * column.stride;
    column.owner = owner;
    column.sparse = true;
    column.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(first, last);
    add_column(std::move(column));
  }
}

template <class Index>
void Table::add_sparse_rows(const AnyArray& values, const Vector<Index>& columns,
                            const Vector<std::int64_t>& starts,
                            const Vector<std::int64_t>& features, const Names& names) {
  if (starts.size() != data().rows + 1 || features.size() != names.size() || values.ndim() != 1 ||
      values.shape(0) != columns.size())
    throw DataError("the parts of a sparse matrix do not fit together");
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> feature_of;  // of each column
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto column = static_cast<std::size_t>(features.data()[f]);
    if (column >= kNone) throw DataError("a sparse matrix has a column of no number");
    if (column >= feature_of.size()) feature_of.resize(column + 1, kNone);
    feature_of[column] = static_cast<std::uint32_t>(f);
  }
  const MatrixView numbers = view(values);
  Column stored;
  stored.scalar = numbers.scalar;
  stored.stride = numbers.row_stride;
  stored.data = static_cast<const std::byte*>(numbers.data);
  SparseRows rows;
  rows.widen(names.size());
  std::vector<double> row;
  for (std::size_t i = 0; i < data().rows; ++i) {
    const std::int64_t begin = starts.data()[i];
    const std::int64_t end = starts.data()[i + 1];
    if (begin < 0 || end < begin || end > static_cast<std::int64_t>(columns.size()))
      throw DataError("the row starts of a sparse matrix do not ascend");
    row.resize(static_cast<std::size_t>(end - begin));
    stored.copy(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), row.data());
    const Index* const own = columns.data() + begin;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (own[k] < 0 || (k > 0 && own[k] <= own[k - 1]))
        throw DataError("the columns of a sparse row do not ascend");
      const auto column = static_cast<std::size_t>(own[k]);
      if (column < feature_of.size() && feature_of[column] != kNone)
        rows.add(feature_of[column], row[k]);
    }
    rows.end_row();
  }
  SparseColumns all = rows.columns();
  for (std::size_t f = 0; f < names.size(); ++f) add_column(all.take(f, names[f]));
}

void Table::add_categories(const Vector<std::int64_t>& codes, const Names& categories,
                           const std::string& name) {
  std::vector<std::int32_t> narrow(codes.size());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const std::int64_t code = codes.data()[i];
    if (code >= static_cast<std::int64_t>(categories.size()))
      throw DataError(fmt::format("column '{}' has a code without a category", name));
    narrow[i] = static_cast<std::int32_t>(std::max<std::int64_t>(code, -1));
  }
  add_categories(std::move(narrow), categories, name);
}

void Table::add_categories(std::vector<std::int32_t> codes, const Names& categories,
                           const std::string& name) {
  builder_.add_categories(name, std::move(codes), categories);
}

void Table::set_labels(const Vector<std::int32_t>& codes, Names classes, Names columns) {
  builder_.set_labels({std::move(classes), to_vector(codes), {}, std::move(columns)});
}

void Table::set_label_sets(const Vector<std::int32_t>& codes, const Vector<std::int64_t>& offsets,
                           Names classes, Names columns) {
  std::vector<std::size_t> places(offsets.data(), offsets.data() + offsets.size());
  builder_.set_labels(
      {std::move(classes), to_vector(codes), std::move(places), std::move(columns)});
}

void Table::set_weights(const Vector<double>& weights) { builder_.set_weights(to_vector(weights)); }

void Table::weigh_labels(const MatrixView32& weights) {
  builder_.weigh_labels({weights.data(), weights.size()});
}

std::pair<Table, Table> Table::split(double fraction, std::uint64_t seed,
                                     const nb::object& peers) const {
  DatasetSplit split = peers.is_none() ? split_rows(data(), fraction, seed)
                                       : with_ranks(peers, [&](Communicator& ranks) {
                                           return split_share(data(), fraction, seed, ranks);
                                         });
  return {Table(std::move(split.train)), Table(std::move(split.valid))};
}

Table Table::agreed(const nb::object& peers) const {
  Dataset copy = data();
  with_ranks(peers, [&](Communicator& ranks) {
    agree_on_codes(copy, ranks);
    return 0;
  });
  return Table(std::move(copy));
}

Table Table::gathered(const nb::object& peers) const {
  return Table(
      with_ranks(peers, [&](Communicator& ranks) { return gather_all_rows(data(), ranks); }));
}

std::pair<std::int64_t, std::int64_t> Table::cross_fit_size(const nb::object& peers) const {
  const auto find = [&](Communicator& ranks) {
    return simplexboost::cross_fit_size(data(), ranks);
  };
  const CrossFitSize size = peers.is_none() ? find(no_others()) : with_ranks(peers, find);
  return {size.values, size.most};
}

Table Table::without_rows() const { return Table(select_rows(data(), {})); }

std::optional<std::string> Table::first_infinite() const {
  constexpr std::size_t kBlock = 4096;
  double values[kBlock];
  for (const Column& column : data().columns) {
    // Whole numbers and codes are finite.
    if (column.scalar != Scalar::kFloat32 && column.scalar != Scalar::kFloat64) continue;
    for (std::size_t begin = 0; begin < data().rows; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, data().rows);
      column.copy(begin, end, values);
      if (std::any_of(values, values + (end - begin), [](double x) { return std::isinf(x); }))
        return column.schema.name;
    }
  }
  return std::nullopt;
}

std::vector<bool> Table::categorical() const {
  std::vector<bool> result;
  for (const Column& column : data().columns)
    result.push_back(column.schema.type == FeatureType::kCategorical);
  return result;
}

void bind_table(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Table>(module, "Table",
                    "Columns, labels and weights of rows; arrays are used in place.")
      .def(nb::init<std::size_t, bool, const Model*>(), "rows"_a, "named"_a,
           "model"_a.none() = nb::none())
      .def(nb::init<std::size_t, bool, const Table&>(), "rows"_a, "named"_a, "like"_a)
      .def("add_dense", &Table::add_dense, "matrix"_a, "names"_a)
      .def("add_numbers", &Table::add_numbers, "values"_a, "name"_a)
      .def("add_number_categories", &Table::add_number_categories, "values"_a, "name"_a)
      .def("add_sparse", &Table::add_sparse<std::int32_t>, "values"_a, "rows"_a, "starts"_a,
           "names"_a)
      .def("add_sparse", &Table::add_sparse<std::int64_t>, "values"_a, "rows"_a, "starts"_a,
           "names"_a)
      .def("add_sparse_rows", &Table::add_sparse_rows<std::int32_t>, "values"_a, "columns"_a,
           "starts"_a, "features"_a, "names"_a)
      .def("add_sparse_rows", &Table::add_sparse_rows<std::int64_t>, "values"_a, "columns"_a,
           "starts"_a, "features"_a, "names"_a)
      .def("add_categories",
           nb::overload_cast<const Vector<std::int64_t>&, const Names&, const std::string&>(
               &Table::add_categories),
           "codes"_a, "categories"_a, "name"_a)
      .def("set_labels", &Table::set_labels, "codes"_a, "classes"_a, "columns"_a)
      .def("set_label_sets", &Table::set_label_sets, "codes"_a, "offsets"_a, "classes"_a,
           "columns"_a)
      .def("set_weights", &Table::set_weights, "weights"_a)
      .def("weigh_labels", &Table::weigh_labels, "weights"_a)
      .def("split", &Table::split, "fraction"_a, "seed"_a, "peers"_a.none() = nb::none())
      .def("agreed", &Table::agreed, "peers"_a)
      .def("gathered", &Table::gathered, "peers"_a)
      .def("cross_fit_size", &Table::cross_fit_size, "peers"_a.none() = nb::none())
      .def("without_rows", &Table::without_rows)
      .def_prop_ro("rows", [](const Table& self) { return self.data().rows; })
      .def_prop_ro("named", [](const Table& self) { return self.data().named; })
      .def_prop_ro("features", [](const Table& self) { return self.data().columns.size(); })
      .def_prop_ro("feature_names",
                   [](const Table& self) {
                     Names names;
                     for (const Column& column : self.data().columns)
                       names.push_back(column.schema.name);
                     return names;
                   })
      .def_prop_ro("label_columns", [](const Table& self) { return self.data().labels.columns; })
      .def("first_infinite", &Table::first_infinite)
      .def_prop_ro("categorical", &Table::categorical);
  module.def("holds_infinity", &holds_infinity<double>, "array"_a, "threads"_a);
  module.def("holds_infinity", &holds_infinity<float>, "array"_a, "threads"_a,
             "Whether a number of a contiguous array of floats is infinite.");
  module.def("read_arrow", &read_arrow, "stream"_a, "model"_a.none() = nb::none(),
             "like"_a.none() = nb::none(), "A table from an Arrow C stream (a PyCapsule).");
}

}  // namespace simplexboost::python
