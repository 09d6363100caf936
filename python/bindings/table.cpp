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
#include <unordered_map>

#include "base/parallel.h"
#include "bindings/arrow.h"
#include "data/readers/raw_table.h"
#include "data/row_split.h"
#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

constexpr std::size_t kMostCategories = 65535;

// Keeps the array of Python alive; whoever drops the last reference need not hold the lock.
std::shared_ptr<const void> owner_of(const AnyArray& array) {
  return {new AnyArray(array), [](const AnyArray* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

Column view(const AnyArray& array, std::shared_ptr<const void> owner, std::string name) {
  Column column;
  column.schema.name = std::move(name);
  column.scalar = scalar_of(array);
  column.data = static_cast<const std::byte*>(array.data());
  column.stride = array.stride(0) * static_cast<std::ptrdiff_t>(array.itemsize());
  column.owner = std::move(owner);
  return column;
}

// New codes for the categories: those that occur, in the readers' order.
std::vector<std::int32_t> new_codes(const std::vector<std::int32_t>& codes, const Names& names,
                                    Names& kept) {
  std::vector<bool> used(names.size());
  for (const std::int32_t code : codes)
    if (code >= 0) used[static_cast<std::size_t>(code)] = true;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (used[i]) kept.push_back(names[i]);
  const std::vector<std::int32_t> rank = rank_names(kept);
  std::vector<std::int32_t> result(names.size(), -1);
  for (std::size_t i = 0, k = 0; i < names.size(); ++i)
    if (used[i]) result[i] = rank[k++];
  Names sorted(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) sorted[static_cast<std::size_t>(rank[k])] = kept[k];
  kept = std::move(sorted);
  return result;
}

// The codes that a model knows the categories by; -1, missing, for those it does not know.
std::vector<std::int32_t> known_codes(const Names& names, const Names& known) {
  std::unordered_map<std::string_view, std::int32_t> index;
  for (const std::string& name : known)
    index.emplace(name, static_cast<std::int32_t>(index.size()));
  std::vector<std::int32_t> result;
  for (const std::string& name : names) {
    const auto found = index.find(name);
    result.push_back(found == index.end() ? -1 : found->second);
  }
  return result;
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

Table::Table(std::size_t rows, bool named, const Model* model) {
  data_.source = "the data";
  data_.rows = rows;
  data_.named = named;
  if (model) known_ = model->schema().features;
}

Table::Table(std::size_t rows, bool named, const Table& like) : Table(rows, named, nullptr) {
  known_ = like.data_.schema().features;
}

void Table::check_rows(std::size_t rows) const {
  if (rows != data_.rows)
    throw DataError(fmt::format("a column has {} rows where the table has {}", rows, data_.rows));
}

const FeatureSchema* Table::known_schema() const {
  const std::size_t place = data_.columns.size();
  return known_ && place < known_->size() ? &(*known_)[place] : nullptr;
}

void Table::add_dense(const AnyArray& array, const Names& names) {
  if (array.ndim() != 2 || array.shape(1) != names.size())
    throw DataError("a matrix must have two dimensions, and a name for each of its columns");
  check_rows(array.shape(0));
  const std::shared_ptr<const void> owner = owner_of(array);
  const std::ptrdiff_t step = array.stride(1) * static_cast<std::ptrdiff_t>(array.itemsize());
  Column column = view(array, owner, {});
  data_.columns.reserve(data_.columns.size() + names.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    column.schema.name = names[j];
    data_.columns.push_back(column);
    column.data += step;
  }
}

void Table::add_numbers(const AnyArray& array, const std::string& name) {
  if (array.ndim() != 1) throw DataError("a column must have one dimension");
  check_rows(array.shape(0));
  data_.columns.push_back(view(array, owner_of(array), name));
}

void Table::add_column(Column column) { data_.columns.push_back(std::move(column)); }

template <class Index>
void Table::add_sparse(const AnyArray& values, const Vector<Index>& rows,
                       const Vector<std::int64_t>& starts, const Names& names) {
  if (starts.size() != names.size() + 1 || values.ndim() != 1 || values.shape(0) != rows.size())
    throw DataError("the parts of a sparse matrix do not fit together");
  const std::shared_ptr<const void> owner = owner_of(values);
  const auto size = static_cast<std::int64_t>(rows.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::int64_t begin = starts.data()[j];
    const std::int64_t end = starts.data()[j + 1];
    if (begin < 0 || end < begin || end > size)
      throw DataError("the column starts of a sparse matrix do not ascend");
    const Index* first = rows.data() + begin;
    const Index* last = rows.data() + end;
    for (const Index* row = first; row != last; ++row)
      if (*row < 0 || static_cast<std::size_t>(*row) >= data_.rows ||
          (row != first && *row <= row[-1]))
        throw DataError("the rows of a sparse column do not ascend within the table");
    Column column = view(values, owner, names[j]);
    column.data += begin * column.stride;
    column.sparse = true;
    column.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(first, last);
    data_.columns.push_back(std::move(column));
  }
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
  check_rows(codes.size());
  const FeatureSchema* known = known_schema();
  Names kept;
  std::vector<std::int32_t> map;
  if (known && known->type == FeatureType::kCategorical) {
    map = known_codes(categories, known->categories);
    kept = known->categories;
  } else {
    map = new_codes(codes, categories, kept);
  }
  if (kept.size() > kMostCategories)
    throw DataError(fmt::format("column '{}' has {} categories; at most {} can be told apart", name,
                                kept.size(), kMostCategories));
  for (std::int32_t& code : codes)
    if (code >= 0) code = map[static_cast<std::size_t>(code)];
  data_.columns.push_back(Column::categorical(name, std::move(codes), std::move(kept)));
}

void Table::set_labels(const Vector<std::int32_t>& codes, Names classes, Names columns) {
  check_rows(codes.size());
  data_.labels = {std::move(classes), to_vector(codes), {}, std::move(columns)};
}

void Table::set_label_sets(const Vector<std::int32_t>& codes, const Vector<std::int64_t>& offsets,
                           Names classes, Names columns) {
  std::vector<std::size_t> places(offsets.data(), offsets.data() + offsets.size());
  data_.labels = {std::move(classes), to_vector(codes), std::move(places), std::move(columns)};
}

void Table::set_weights(const Vector<double>& weights) {
  check_rows(weights.size());
  data_.weights = to_vector(weights);
}

void Table::weigh_labels(const MatrixView<float>& weights) {
  check_rows(weights.shape(0));
  Labels& labels = data_.labels;
  if (weights.shape(1) != labels.classes.size())
    throw DataError(fmt::format("weights of {} labels where there are {} classes", weights.shape(1),
                                labels.classes.size()));
  if (labels.weights.empty()) labels.weights.assign(weights.size(), 1);
  for (std::size_t at = 0; at < weights.size(); ++at) labels.weights[at] *= weights.data()[at];
}

std::pair<Table, Table> Table::split(double fraction, std::uint64_t seed) const {
  const RowSplit split = stratified_split(data_.labels, data_.rows, fraction, seed);
  if (split.valid.empty())
    throw DataError(
        fmt::format("{} rows are too few to set a share of {} aside", data_.rows, fraction));
  return {Table(select_rows(data_, split.train)), Table(select_rows(data_, split.valid))};
}

std::optional<std::string> Table::first_infinite() const {
  constexpr std::size_t kBlock = 4096;
  double values[kBlock];
  for (const Column& column : data_.columns) {
    // Whole numbers and codes are finite.
    if (column.scalar != Scalar::kFloat32 && column.scalar != Scalar::kFloat64) continue;
    for (std::size_t begin = 0; begin < data_.rows; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, data_.rows);
      column.copy(begin, end, values);
      if (std::any_of(values, values + (end - begin), [](double x) { return std::isinf(x); }))
        return column.schema.name;
    }
  }
  return std::nullopt;
}

std::vector<bool> Table::categorical() const {
  std::vector<bool> result;
  for (const Column& column : data_.columns)
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
      .def("add_sparse", &Table::add_sparse<std::int32_t>, "values"_a, "rows"_a, "starts"_a,
           "names"_a)
      .def("add_sparse", &Table::add_sparse<std::int64_t>, "values"_a, "rows"_a, "starts"_a,
           "names"_a)
      .def("add_categories",
           nb::overload_cast<const Vector<std::int64_t>&, const Names&, const std::string&>(
               &Table::add_categories),
           "codes"_a, "categories"_a, "name"_a)
      .def("set_labels", &Table::set_labels, "codes"_a, "classes"_a, "columns"_a)
      .def("set_label_sets", &Table::set_label_sets, "codes"_a, "offsets"_a, "classes"_a,
           "columns"_a)
      .def("set_weights", &Table::set_weights, "weights"_a)
      .def("weigh_labels", &Table::weigh_labels, "weights"_a)
      .def("split", &Table::split, "fraction"_a, "seed"_a)
      .def_prop_ro("rows", [](const Table& self) { return self.data().rows; })
      .def_prop_ro("named", [](const Table& self) { return self.data().named; })
      .def_prop_ro("features", [](const Table& self) { return self.data().columns.size(); })
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
