// A data set in the making: Python adds columns one by one or a matrix at once, and what it adds is
// used in place. Categories get the codes that the readers would give them, or those of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "simplexboost/dataset_builder.h"
#include "simplexboost/model.h"

namespace simplexboost::python {

using Names = std::vector<std::string>;

class Table {
 public:
  // With a model, or another table, codes of categories are its own.
  Table(std::size_t rows, bool named, const Model* model);
  Table(std::size_t rows, bool named, const Table& like);
  explicit Table(Dataset data) : builder_(std::move(data)) {}

  // rows x names.size() numbers.
  void add_dense(const AnyArray& array, const Names& names);
  void add_numbers(const AnyArray& array, const std::string& name);
  // Numbers that are names of categories.
  void add_number_categories(const AnyArray& array, const std::string& name);
  // Compressed columns: row numbers ascend within each.
  template <class Index>
  void add_sparse(const AnyArray& values, const Vector<Index>& rows,
                  const Vector<std::int64_t>& starts, const Names& names);
  // Compressed rows: column numbers ascend within each. `features` are the columns that are taken,
  // under these names.
  template <class Index>
  void add_sparse_rows(const AnyArray& values, const Vector<Index>& columns,
                       const Vector<std::int64_t>& starts, const Vector<std::int64_t>& features,
                       const Names& names);
  // `codes` count `categories` from 0; a negative one is a missing value.
  void add_categories(const Vector<std::int64_t>& codes, const Names& categories,
                      const std::string& name);
  void add_categories(std::vector<std::int32_t> codes, const Names& categories,
                      const std::string& name);
  void add_column(Column column);

  void set_labels(const Vector<std::int32_t>& codes, Names classes, Names columns);
  // Row i holds codes[offsets[i]] .. codes[offsets[i + 1] - 1].
  void set_label_sets(const Vector<std::int32_t>& codes, const Vector<std::int64_t>& offsets,
                      Names classes, Names columns);
  void set_weights(const Vector<double>& weights);
  // Multiplies Labels::weights by these, rows x classes.
  void weigh_labels(const MatrixView32& weights);

  // What the command's --valid-fraction does: the table without the rows set aside, and these.
  // With `peers` (bindings/peers.h), of the rows of all ranks.
  std::pair<Table, Table> split(double fraction, std::uint64_t seed, const nb::object& peers) const;

  // With the codes that one process would give that has the rows of all ranks.
  Table agreed(const nb::object& peers) const;
  // The rows of all ranks, in their order.
  Table gathered(const nb::object& peers) const;
  // The values to cross-fit, of all processes' rows, and the most that may be (ranked_quality.h).
  std::pair<std::int64_t, std::int64_t> cross_fit_size(const nb::object& peers) const;
  // The same columns without a row.
  Table without_rows() const;

  const Dataset& data() const { return builder_.data(); }
  std::vector<bool> categorical() const;
  // The name of the first column that holds an infinity.
  std::optional<std::string> first_infinite() const;

 private:
  DatasetBuilder builder_;
};

void bind_table(nb::module_& module);

}  // namespace simplexboost::python
