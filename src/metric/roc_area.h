// The area under the ROC curve of each class against the rest: the chance that a row of the class
// is given a higher probability of it than a row of another class, ties counting half. Exact, and
// yet in memory that follows the rows, not rows x classes: a row is of one class (or a few), so the
// probabilities of the true classes are kept and sorted, and in a second pass over the rows each
// other probability finds its place among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/communicator.h"

namespace simplexboost {

class RocAreas {
 public:
  explicit RocAreas(std::size_t classes) : classes_(classes) {}

  // First pass: the probability of a class that is true.
  void add_truth(std::size_t k, float probability, double weight);
  void merge_truths(const RocAreas& other);
  // Brings together those of all ranks.
  void gather_truths(Communicator& ranks) { truths_ = gather_values<Truth>(ranks, truths_); }
  // Between the passes.
  void sort();

  // Second pass: by block, for the sums to be taken in the order of the blocks.
  struct Wins {
    std::vector<double> won;     // of each class: weight of (true, other) pairs in the right order
    std::vector<double> others;  // weight of the rows that are not of the class

    void merge(const Wins& more);
    template <class Bytes>
    void carry(Bytes& bytes) {
      bytes(won)(others);
    }
  };
  Wins no_wins() const { return {std::vector<double>(classes_), std::vector<double>(classes_)}; }
  // The probability of a class that is not true.
  void add_other(Wins& wins, std::size_t k, float probability, double weight) const;
  void set(Wins wins) { wins_ = std::move(wins); }

  // NaN for a class of no rows, or of all.
  double area(std::size_t k) const;
  // The mean over the classes that have one.
  double macro() const;
  // The same, each class counting as its rows.
  double weighted() const;

 private:
  struct Truth {
    std::uint32_t k;
    float probability;
    double weight;
  };

  std::size_t classes_;
  std::vector<Truth> truths_;       // sorted: by class, then by probability
  std::vector<std::size_t> begin_;  // where each class begins in `truths_`; classes + 1
  std::vector<double> before_;      // weight before each of `truths_`; one more
  Wins wins_;
};

}  // namespace simplexboost
