// Rows as a linear member sees them: numbers on a common scale, a category as one input among those
// of its feature; and from its coefficients back to the trees of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quality/linear/logistic_kernels.h"
#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"

namespace simplexboost {

// The inputs of all rows that are not 0, row by row: what is not named is 0, so that the work is
// that of what is there. Missing values are 0, too.
class LinearInputs {
 public:
  // Of a linear member, one for each input and class: more are too many for their worth.
  static constexpr std::size_t kMostCoefficients = 100'000;

  // Features that are constant, or of very many categories, have no input; nor have those of many,
  // where there would be too many coefficients.
  explicit LinearInputs(const Dataset& data);

  // Of a data set: those that it would have at most, and the entries, so as to know before what is
  // worth it.
  static std::size_t most_inputs(const Dataset& data);
  static double most_entries(const Dataset& data);

  using Entry = LinearEntry;

  std::size_t count() const { return count_; }
  std::size_t entries() const { return entries_.size(); }
  std::span<const Entry> row(std::size_t i) const {
    return std::span(entries_).subspan(ends_[i], ends_[i + 1] - ends_[i]);
  }

  // Those of all rows, one row after the other; and where those of row 0, 1, ... begin, and the
  // last ones end.
  std::span<const Entry> all_entries() const { return entries_; }
  std::span<const std::size_t> ends() const { return ends_; }

  // The function intercept + sum of inputs times their coefficients (inputs x width) as one round
  // of a forest whose outputs are `width`.
  Forest to_forest(std::span<const double> intercept, std::span<const double> coefficients) const;

 private:
  struct Number {
    LinearFeature scale;
    double spread = 1;  // the standard deviation of its positions
    std::uint32_t input = 0;
  };
  struct Categories {
    std::uint32_t feature = 0;
    std::uint32_t input = 0;     // of the first of them
    std::vector<double> covers;  // rows of each, and of none of them
  };

  void add_number(const Column& column, std::uint32_t feature);
  void add_categories(const Column& column, const std::vector<double>& codes,
                      std::uint32_t feature);
  void fill(const Dataset& data);

  std::size_t rows_;
  std::size_t count_ = 0;
  std::vector<Number> numbers_;
  std::vector<Categories> categories_;
  std::vector<std::size_t> ends_;  // of the rows' entries, the first being 0
  std::vector<Entry> entries_;
};

}  // namespace simplexboost
