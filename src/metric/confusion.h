// Which classes were taken for which: counts (or weights) of true against predicted classes. Only
// pairs that occur take memory, so many classes are no burden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simplexboost/evaluate.h"

namespace simplexboost {

class Confusion {
 public:
  explicit Confusion(std::size_t classes) : classes_(classes) {}

  // A true class of -1 is one that the model does not know: in no cell.
  void add(std::int32_t truth, std::int32_t predicted, double weight = 1);
  void merge(const Confusion& other);

  std::size_t classes() const { return classes_; }
  // Every pair that occurs, by true class, then by predicted class.
  std::vector<ConfusionCell> cells() const;
  // The heaviest cells off the diagonal, heaviest first.
  std::vector<ConfusionCell> largest_confusions(std::size_t limit) const;
  // Classes x classes, rows = true: only for a number of classes that one can look at.
  std::vector<std::vector<double>> table() const;

  template <class Bytes>
  void carry(Bytes& bytes) {
    std::vector<ConfusionCell> all = cells();
    bytes(all);
    cells_.clear();
    for (const ConfusionCell& cell : all) add(cell.truth, cell.predicted, cell.weight);
  }

 private:
  std::size_t classes_;
  std::unordered_map<std::uint64_t, double> cells_;  // by true * classes + predicted
};

}  // namespace simplexboost
