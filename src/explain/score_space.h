// The space in which the explanations of trees are summed, and the way from there to classes: their
// scores themselves, the outputs of the model where these are few and classes have codewords, or
// chosen classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ensemble.h"

namespace simplexboost {

// The leaves of a tree (or the features of its linear part) add to the sums [first, first +
// columns).
struct ValueRange {
  std::size_t first = 0;
  std::size_t columns = 0;
  bool minus = false;  // what is taken from other outputs

  std::size_t end() const { return first + columns; }
};

// Some of these sums, and where their values go: leaves x stride numbers.
struct ValueTable {
  std::size_t low = 0;
  std::size_t high = 0;
  std::size_t stride = 0;
  double* values = nullptr;
};

// What leaves add that name few sums each: leaf l has the entries [ends[l - 1], ends[l]).
struct SparseValues {
  std::vector<std::size_t> ends;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};

class ScoreSpace {
 public:
  // The part of it that speaks of these classes, ascending, of which each row is asked for up to
  // `a_row`.
  ScoreSpace(const Ensemble& ensemble, std::vector<std::int32_t> classes, std::size_t a_row);

  // Sums for each player; whether they are the classes' own, in their order.
  std::size_t width() const { return in_outputs_ ? ensemble_.forest.outputs : classes_.size(); }
  bool in_classes() const { return !in_outputs_; }
  const std::vector<std::int32_t>& classes() const { return classes_; }

  // Which sums the leaves and slopes of a tree add to.
  std::vector<ValueRange> ranges(const TreeSpan& tree) const;
  // The values of a tree's leaves, or the slopes of its linear part, for some sums of a range.
  void leaf_values(const TreeSpan& tree, const ValueRange& range, const ValueTable& to) const;
  void slope_values(const TreeSpan& tree, const ValueRange& range, const ValueTable& to) const;
  // Whether leaves are best taken entry by entry.
  bool sparse(const TreeSpan& tree) const { return tree.sparse && !has_words() && in_classes(); }
  void leaf_entries_of(const TreeSpan& tree, SparseValues& out) const;

  // From outputs to what they mean for one of all classes, or for each of them.
  double class_value(std::span<const double> outputs, std::int32_t label) const;
  std::vector<double> class_values(std::span<const double> outputs) const;
  // From the sums of players, players x stride, to those of classes(), players x columns.
  void decode(const double* sums, std::size_t players, std::size_t stride, double* out) const;

  bool has_words() const { return ensemble_.simplex || !ensemble_.codewords.empty(); }
  // What an output counts for in the score of its class: of members, their weights and scales.
  double factor(std::size_t output) const {
    return factors_.empty() ? 1 : factors_[output / ensemble_.classes()];
  }

 private:
  // get(row, c): number c of a leaf's or slope's vector.
  template <class Get>
  void fill(const TreeSpan& tree, const ValueRange& range, std::size_t rows, const Get& get,
            const ValueTable& to) const;
  bool straight(const TreeSpan& tree, const ValueRange& range) const;
  template <class Get>
  void fill_decoded(const TreeSpan& tree, std::size_t rows, const Get& get,
                    const ValueTable& to) const;
  void add_range(std::size_t output, std::size_t width, bool minus,
                 std::vector<ValueRange>& found) const;
  std::uint32_t column_of(std::size_t label) const { return column_of_class_[label]; }
  // Of an output's number; kNoColumn where nobody asks for its class.
  std::uint32_t column_of_output(std::size_t output) const {
    return in_outputs_ ? static_cast<std::uint32_t>(output)
                       : column_of(output % ensemble_.classes());
  }

  const Ensemble& ensemble_;
  std::vector<std::int32_t> classes_;
  std::vector<std::uint32_t> column_of_class_;
  std::vector<double> factors_;
  bool in_outputs_ = false;
  // Of a simplex, halved (codeword/simplex.h).
  std::vector<double> diagonal_;
  std::vector<double> below_;
  std::vector<double> words_;  // outputs x shap_stride(classes), halved; for decode() alone
};

// The factor of each member of a pooled model in what is explained (docs/explain.md); none where
// there are no members.
std::vector<double> member_factors(const Ensemble& ensemble);

// Whether all members tell shares, whose mean is explained as it is.
bool explains_shares(const Ensemble& ensemble);

}  // namespace simplexboost
