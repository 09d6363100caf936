// Where to cut the rows of a node by one feature, judged by the Gini index of both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "tree/classes/node_classes.h"

namespace simplexboost {

// What a cut compares, one value a row.
template <class Bin>
struct CutValues {
  std::vector<Bin> of_rows;  // and kSidePadding more
  Bin least = 0;             // of those that are known
  Bin most = 0;
  Bin none = 0;             // in the place of one that is not known; above all others
  std::size_t missing = 0;  // rows that have it
};

struct CutLimits {
  int min_rows = 1;  // of a side
  double min_weight = 0;
};

struct ClassCut {
  // The sum over both sides of the squares of the classes' weights over the side's weight: what
  // the Gini index leaves. Below 0: there is no cut.
  double score = -1;
  std::uint32_t threshold = 0;  // values up to this one go left
  bool missing_left = false;
};

template <class Bin, class Count>
class ClassCutSearch {
 public:
  // The node must outlive it.
  ClassCutSearch(const NodeClasses<Count>& node, const CutLimits& limits)
      : node_(node), limits_(limits) {}

  // At a place drawn between the least and the most value.
  ClassCut drawn(const CutValues<Bin>& values, Random& random);
  // At the best one.
  ClassCut searched(const CutValues<Bin>& values);

 private:
  // What went left: rows, their weight, the sum of squares of the classes' weights l, and the sum
  // of l times those of the node.
  using Sum = typename NodeClasses<Count>::Sum;
  struct Side {
    std::size_t rows = 0;
    Sum weight = 0;
    Sum squares = 0;
    Sum cross = 0;
  };

  double judge(const Side& left) const;
  template <class GoesLeft>
  Side send_left(const GoesLeft& goes_left);
  template <class GoesLeft>
  Side send_sets_left(const GoesLeft& goes_left);
  Side send_left(const CutValues<Bin>& values, std::uint32_t threshold, bool missing_left);
  void add_left(std::size_t i, Side& left);
  void sort_values(const CutValues<Bin>& values);
  // Judges of tree/split/cuts.h: of values in order_, and of a table of all classes at all values.
  class SortedCuts;
  class TableCuts;
  void fill_table(const CutValues<Bin>& values);

  const NodeClasses<Count>& node_;
  CutLimits limits_;
  std::vector<Count> sums_;  // of classes, or of the rows so far
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> order_;
  std::vector<std::uint32_t> places_;
};

extern template class ClassCutSearch<std::uint8_t, std::int32_t>;
extern template class ClassCutSearch<std::uint8_t, double>;
extern template class ClassCutSearch<std::uint16_t, std::int32_t>;
extern template class ClassCutSearch<std::uint16_t, double>;

}  // namespace simplexboost
