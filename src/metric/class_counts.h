// How often each class is true, predicted and both, and the figures that follow from that alone:
// they need a few numbers a class, never a table of classes by classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simplexboost/evaluate.h"

namespace simplexboost {

class ClassCounts {
 public:
  explicit ClassCounts(std::size_t classes) : per_class_(classes) {}

  // A true class of -1 is one that the model does not know: always an error.
  void add(std::int32_t truth, std::int32_t predicted, double weight = 1);
  // A row of several labels: `truth` ascending, each once; what is predicted has a score above 0.
  // `pair_weights`: of each label in this row, times `weight`; 0: unknown; null: all 1. True if a
  // known label is wrong.
  bool add_set(std::span<const std::int32_t> truth, std::span<const float> scores,
               double weight = 1, const float* pair_weights = nullptr);
  // As if the rows of `other` had been added after these.
  void merge(const ClassCounts& other);

  std::size_t classes() const { return per_class_.size(); }
  const std::vector<ClassSummary>& per_class() const { return per_class_; }
  double total() const { return total_; }  // weight of all rows, but for those of no known label
  double unknown() const { return unknown_; }  // weight of the rows of unknown classes

  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(per_class_)(total_)(wrong_)(unknown_);
  }

  // All of these are NaN where there is nothing to divide by.

  // Share of the rows whose class, or set of labels, is wrong.
  double error() const;
  // The mean of the errors of the classes that occur, each class counting the same.
  double balanced_error() const;
  double micro_f1() const;  // of all classes together
  // The mean of the classes' F1, those aside that are neither true nor predicted anywhere.
  double macro_f1() const;
  // Cohen's: agreement of prediction and truth beyond that of two who know the shares only.
  double kappa() const;
  // Sets of labels: weight of the pairs of row and label that are known, and the share of them that
  // is wrong.
  double pairs() const;
  double pair_error() const;
  double pair_error(std::size_t label) const {
    return per_class_[label].wrong() / per_class_[label].known;
  }

 private:
  std::vector<ClassSummary> per_class_;
  double total_ = 0;
  double wrong_ = 0;
  double unknown_ = 0;
};

}  // namespace simplexboost
