// Which classes were taken for which: counts (or weights) of true against predicted classes, and
// the errors that follow from them. Only pairs that occur take memory, so many classes are no
// burden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simplexboost {

struct ClassSummary {
  double truth = 0;      // weight of the rows of this class
  double predicted = 0;  // weight of the rows said to be of this class
  double correct = 0;    // weight of the rows that are both

  // NaN where there is nothing to divide by.
  double recall() const { return correct / truth; }
  double precision() const { return correct / predicted; }
  double f1() const { return 2 * correct / (truth + predicted); }
};

struct ConfusionCell {
  std::int32_t truth = 0;
  std::int32_t predicted = 0;
  double weight = 0;

  bool operator==(const ConfusionCell&) const = default;
};

class Confusion {
 public:
  explicit Confusion(std::size_t classes) : per_class_(classes) {}

  // A true class of -1 is one that the model does not know: always an error, in no cell.
  void add(std::int32_t truth, std::int32_t predicted, double weight = 1);

  std::size_t classes() const { return per_class_.size(); }
  double total() const { return total_; }      // weight of all rows
  double unknown() const { return unknown_; }  // weight of the rows of unknown classes
  double error() const;                        // NaN where there are no rows
  // The mean of the errors of the classes that occur, each class counting the same.
  double balanced_error() const;

  const std::vector<ClassSummary>& per_class() const { return per_class_; }
  // Every pair that occurs, by true class, then by predicted class.
  std::vector<ConfusionCell> cells() const;
  // The heaviest cells off the diagonal, heaviest first.
  std::vector<ConfusionCell> largest_confusions(std::size_t limit) const;
  // Classes x classes, rows = true: only for a number of classes that one can look at.
  std::vector<std::vector<double>> table() const;

 private:
  std::vector<ClassSummary> per_class_;
  std::unordered_map<std::uint64_t, double> cells_;  // by true * classes + predicted
  double total_ = 0;
  double wrong_ = 0;
  double unknown_ = 0;
};

}  // namespace simplexboost
