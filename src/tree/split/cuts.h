// Which cuts of a feature are tried at a node, and in which order: the one scan of numbers and the
// one search of categories, for every way to judge a cut. A judge keeps what is left of the cut and
// is told which bin moves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd/formula.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {

// Whether both sides of a cut are large enough.
enum class CutFit : std::uint8_t {
  kYes,
  kNo,
  kNoMore,  // nor is any cut further to the right
};

// By rows and weights, given the sums on the left.
template <class Sums>
LANES_INLINE CutFit cut_fit(const ScanArgs& args, const Sums& left) {
  const std::int32_t rows = left[kCountChannel];
  if (rows < args.min_rows) return CutFit::kNo;
  if (args.total[kCountChannel] - rows < args.min_rows) return CutFit::kNoMore;
  if (args.min_weight > 0) {
    const auto weight = static_cast<float>(left[kWeightChannel]);
    const auto whole = static_cast<float>(args.total[kWeightChannel]);
    if (weight < args.min_weight || whole - weight < args.min_weight) return CutFit::kNo;
  }
  return CutFit::kYes;
}

// Of for_numeric_cuts(), with missing values on one side.
template <class Judge>
LANES_INLINE void for_cuts_of_side(Judge& judge, std::uint32_t cuts, bool missing_left) {
  judge.start(missing_left);
  for (std::uint32_t bin = 0; bin < cuts; ++bin) {
    if (judge.empty(bin)) continue;
    judge.move_left(bin);
    const CutFit fit = judge.fit();
    if (fit == CutFit::kNo) continue;
    if (fit == CutFit::kNoMore) return;
    judge.try_cut(bin, missing_left);
  }
}

// The cuts behind each value of a number, missing values on the right, then on the left. The judge:
//   start(missing_left)          nothing is left of the cut but, if so, the missing values
//   bool empty(bin)              no row has that value
//   move_left(bin)
//   CutFit fit()
//   try_cut(bin, missing_left)
template <class Judge>
LANES_INLINE void for_numeric_cuts(Judge& judge, std::uint32_t values, bool missing) {
  if (values == 0) return;
  // With missing values on the right even the last value is a cut: all that is known goes left.
  for_cuts_of_side(judge, missing ? values : values - 1, false);
  if (missing) for_cuts_of_side(judge, values - 1, true);
}

// The same cuts by number, for who tries them side by side: of equals the first is the best.
struct NumericCut {
  std::uint32_t bin;
  bool missing_left;
};
LANES_INLINE std::uint32_t numeric_cuts(std::uint32_t values, bool missing) {
  return values == 0 ? 0 : missing ? 2 * values - 1 : values - 1;
}
LANES_INLINE NumericCut numeric_cut(std::uint32_t number, std::uint32_t values) {
  const bool second = number >= values;
  return {second ? number - values : number, second};
}

enum class CategoricalSplits : std::uint8_t { kSubset, kOneAgainstRest };

// Up to this many categories present in a node, every subset is tried.
inline constexpr std::size_t kExactCategories = 8;

// Ways to part the categories of a node, missing values being one of them, in two. With more than
// kExactCategories each is tried against the rest, and, for kSubset, the prefixes of the judge's
// orderings. The judge, of categories numbered as they are present:
//   clear()                      all are on the right
//   move_left(category), move_right(category)
//   bool try_set()               whether the cut is the best so far
//   take_set(members)            it was: these are left of it
//   for_orders(use)              calls use(order) for each ordering
template <class Judge>
class CategoricalCuts {
 public:
  CategoricalCuts(Judge& judge, std::size_t present) : judge_(judge), present_(present) {}

  void try_all(CategoricalSplits kind) {
    if (present_ < 2) return;
    const bool subset = kind == CategoricalSplits::kSubset;
    if (subset && present_ <= kExactCategories) return try_all_subsets();
    try_each_against_rest();
    if (subset) judge_.for_orders([&](std::span<const std::size_t> order) { try_prefixes(order); });
  }

 private:
  // Every subset that holds the first category (the others are complements), in Gray-code order:
  // one category moves at a time.
  void try_all_subsets() {
    judge_.clear();
    judge_.move_left(0);
    std::uint32_t members = 0;
    for (std::uint32_t i = 0; i < (1U << (present_ - 1)); ++i) {
      if (i > 0) {
        const auto moved = static_cast<std::uint32_t>(std::countr_zero(i));
        members ^= 1U << moved;
        if ((members >> moved & 1) != 0) {
          judge_.move_left(moved + 1);
        } else {
          judge_.move_right(moved + 1);
        }
      }
      if (judge_.try_set()) judge_.take_set(set_of(members));
    }
  }

  void try_each_against_rest() {
    for (std::size_t category = 0; category < present_; ++category) {
      judge_.clear();
      judge_.move_left(category);
      if (judge_.try_set()) judge_.take_set(std::span(&category, 1));
    }
  }

  void try_prefixes(std::span<const std::size_t> order) {
    judge_.clear();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      judge_.move_left(order[i]);
      if (judge_.try_set()) judge_.take_set(order.first(i + 1));
    }
  }

  std::span<const std::size_t> set_of(std::uint32_t members) {
    members_.assign(1, 0);
    for (std::size_t category = 1; category < present_; ++category)
      if ((members >> (category - 1) & 1) != 0) members_.push_back(category);
    return members_;
  }

  Judge& judge_;
  std::size_t present_;
  std::vector<std::size_t> members_;
};

}  // namespace simplexboost
