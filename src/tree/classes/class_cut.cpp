#include "tree/classes/class_cut.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "tree/kernels/side_counts.h"
#include "tree/split/cuts.h"

namespace simplexboost {
namespace {

// Below this many rows to a value, comparing beats counting.
constexpr std::size_t kRowsToCount = 2;

// The weight of those that go, without a branch: which side a row takes cannot be foretold.
std::int32_t if_goes(bool goes, std::int32_t weight) {
  return weight & -static_cast<std::int32_t>(goes);
}
double if_goes(bool goes, double weight) { return goes ? weight : 0.0; }

}  // namespace

template <class Bin, class Count>
double ClassCutSearch<Bin, Count>::judge(const Side& left) const {
  const Sum right_weight = node_.total() - left.weight;
  const auto least_rows = static_cast<std::size_t>(limits_.min_rows);
  if (left.rows < least_rows || node_.rows() - left.rows < least_rows) return -1;
  if (!(left.weight > 0 && right_weight > 0)) return -1;
  const auto weight = static_cast<double>(left.weight);
  const auto other_weight = static_cast<double>(right_weight);
  if (weight < limits_.min_weight || other_weight < limits_.min_weight) return -1;
  const Sum right_squares = node_.squares() - 2 * left.cross + left.squares;
  return static_cast<double>(left.squares) / weight +
         std::max(static_cast<double>(right_squares), 0.0) / other_weight;
}

template <class Bin, class Count>
ClassCut ClassCutSearch<Bin, Count>::drawn(const CutValues<Bin>& values, Random& random) {
  ClassCut best;
  const std::uint32_t least = values.least;
  const std::uint32_t range = values.most - least;
  best.threshold = least + (range == 0 ? 0 : static_cast<std::uint32_t>(random.below(range)));
  for (const bool missing_left : {false, true}) {
    if (missing_left && (values.missing == 0 || range == 0)) continue;
    const double score = judge(send_left(values, best.threshold, missing_left));
    if (!(score > best.score)) continue;
    best.score = score;
    best.missing_left = missing_left;
  }
  return best;
}

template <class Bin, class Count>
typename ClassCutSearch<Bin, Count>::Side ClassCutSearch<Bin, Count>::send_left(
    const CutValues<Bin>& values, std::uint32_t threshold, bool missing_left) {
  const Bin* const value = values.of_rows.data();
  const auto most = static_cast<Bin>(threshold);
  const auto below = [=](std::size_t i) { return value[i] <= most; };
  const auto below_or_missing = [=, none = values.none](std::size_t i) {
    return (static_cast<unsigned>(value[i] <= most) | static_cast<unsigned>(value[i] == none)) != 0;
  };
  if constexpr (sizeof(Bin) == 1 && std::is_integral_v<Count>)
    if (!missing_left && !node_.sets() && node_.unit()) {
      bits_.resize(std::max(bits_.size(), node_.rows() / 64 + 1));
      const SideCounts left = count_side(
          {value, node_.rows(), most, node_.ends(), node_.totals(), node_.classes(), bits_.data()});

      return {left.rows, static_cast<Sum>(left.rows), left.squares, left.cross};
    }
  if (node_.sets()) return missing_left ? send_sets_left(below_or_missing) : send_sets_left(below);
  return missing_left ? send_left(below_or_missing) : send_left(below);
}

// Rows of a class stand together, so its weight on the left is a difference of running sums.
template <class Bin, class Count>
template <class GoesLeft>
typename ClassCutSearch<Bin, Count>::Side ClassCutSearch<Bin, Count>::send_left(
    const GoesLeft& goes_left) {
  const std::size_t rows = node_.rows();
  if (sums_.size() < rows) sums_.resize(rows);
  Count* const sums = sums_.data();
  const Count* const weights = node_.weights();
  Side left;
  Count sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool goes = goes_left(i);
    count += static_cast<std::size_t>(goes);
    sum += if_goes(goes, weights[i]);
    sums[i] = sum;
  }
  left.rows = count;
  left.weight = static_cast<Sum>(sum);
  const std::size_t* const ends = node_.ends();
  const Count* const totals = node_.totals();
  Count before = 0;
  for (std::size_t k = 0; k < node_.classes(); ++k) {
    const Count so_far = sums[ends[k] - 1];
    const auto own = static_cast<Sum>(so_far - before);
    before = so_far;
    left.squares += own * own;
    left.cross += own * static_cast<Sum>(totals[k]);
  }
  return left;
}

template <class Bin, class Count>
template <class GoesLeft>
typename ClassCutSearch<Bin, Count>::Side ClassCutSearch<Bin, Count>::send_sets_left(
    const GoesLeft& goes_left) {
  sums_.assign(node_.classes(), 0);
  Side left;
  for (std::size_t i = 0; i < node_.rows(); ++i)
    if (goes_left(i)) add_left(i, left);
  return left;
}

// The weights of the classes on the left are in sums_.
template <class Bin, class Count>
inline void ClassCutSearch<Bin, Count>::add_left(std::size_t i, Side& left) {
  const auto weight = static_cast<Sum>(node_.weights()[i]);
  ++left.rows;
  left.weight += weight;
  for (const std::uint32_t k : node_.numbers_of(i)) {
    left.squares += weight * (2 * static_cast<Sum>(sums_[k]) + weight);
    left.cross += weight * static_cast<Sum>(node_.totals()[k]);
    sums_[k] += node_.weights()[i];
  }
}

// Puts the rows of known value in its order: order_ has a value and a row's place each.
template <class Bin, class Count>
void ClassCutSearch<Bin, Count>::sort_values(const CutValues<Bin>& values) {
  const std::size_t count = node_.rows();
  const Bin* const value = values.of_rows.data();
  order_.clear();
  const std::size_t range = std::size_t{values.most} - values.least + 1;
  if (count < kRowsToCount * range) {
    for (std::size_t i = 0; i < count; ++i)
      if (value[i] != values.none) order_.push_back(std::uint64_t{value[i]} << 32U | i);
    std::sort(order_.begin(), order_.end());
    return;
  }
  places_.assign(range + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (value[i] != values.none) ++places_[std::size_t{value[i]} - values.least + 1];
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  order_.resize(places_.back());
  for (std::size_t i = 0; i < count; ++i)
    if (value[i] != values.none)
      order_[places_[std::size_t{value[i]} - values.least]++] = std::uint64_t{value[i]} << 32U | i;
}

// A "bin" is the next value that some row has.
template <class Bin, class Count>
class ClassCutSearch<Bin, Count>::SortedCuts {
 public:
  SortedCuts(ClassCutSearch& search, const CutValues<Bin>& values)
      : search_(search), values_(values) {}

  void start(bool missing_left) {
    search_.sums_.assign(search_.node_.classes(), 0);
    left_ = {};
    at_ = 0;
    if (!missing_left) return;
    for (std::size_t i = 0; i < search_.node_.rows(); ++i)
      if (values_.of_rows[i] == values_.none) search_.add_left(i, left_);
  }
  static bool empty(std::uint32_t /*bin*/) { return false; }
  void move_left(std::uint32_t /*bin*/) {
    const std::vector<std::uint64_t>& order = search_.order_;
    begin_ = at_;
    if (at_ == order.size()) return;
    value_ = static_cast<std::uint32_t>(order[at_] >> 32U);
    do search_.add_left(order[at_++] & 0xffffffff, left_);
    while (at_ < order.size() && order[at_] >> 32U == value_);
  }
  CutFit fit() const { return begin_ == at_ ? CutFit::kNoMore : CutFit::kYes; }
  void try_cut(std::uint32_t /*bin*/, bool missing_left) {
    const double score = search_.judge(left_);
    if (score > best_.score) best_ = {score, value_, missing_left};
  }
  const ClassCut& best() const { return best_; }

 private:
  ClassCutSearch& search_;
  const CutValues<Bin>& values_;
  Side left_;
  std::size_t begin_ = 0;  // of the value that moved last
  std::size_t at_ = 0;
  std::uint32_t value_ = 0;
  ClassCut best_;
};

template <class Bin, class Count>
class ClassCutSearch<Bin, Count>::TableCuts {
 public:
  TableCuts(ClassCutSearch& search, std::uint32_t least) : search_(search), least_(least) {}

  void start(bool /*missing_left*/) {}
  bool empty(std::uint32_t bin) const { return search_.places_[bin] == 0; }
  void move_left(std::uint32_t bin) {
    const std::size_t classes = search_.node_.classes();
    Count* const sums = search_.sums_.data();
    left_ = {left_.rows + search_.places_[bin], 0, 0, 0};
    for (std::size_t k = 0; k < classes; ++k) {
      sums[k] += sums[(bin + std::size_t{1}) * classes + k];
      const auto own = static_cast<Sum>(sums[k]);
      left_.weight += own;
      left_.squares += own * own;
      left_.cross += own * static_cast<Sum>(search_.node_.totals()[k]);
    }
  }
  static CutFit fit() { return CutFit::kYes; }
  void try_cut(std::uint32_t bin, bool missing_left) {
    const double score = search_.judge(left_);
    if (score > best_.score) best_ = {score, least_ + bin, missing_left};
  }
  const ClassCut& best() const { return best_; }

 private:
  ClassCutSearch& search_;
  std::uint32_t least_;
  Side left_;
  ClassCut best_;
};

// Behind the sums so far, the weights of all classes at all values; places_ has the rows there.
template <class Bin, class Count>
void ClassCutSearch<Bin, Count>::fill_table(const CutValues<Bin>& values) {
  const std::size_t classes = node_.classes();
  const std::size_t range = std::size_t{values.most} - values.least + 1;
  sums_.assign((range + 1) * classes, 0);
  places_.assign(range, 0);
  Count* const table = sums_.data() + classes;
  for (std::size_t i = 0; i < node_.rows(); ++i) {
    const std::size_t value = std::size_t{values.of_rows[i]} - values.least;
    ++places_[value];
    table[value * classes + node_.numbers_of(i)[0]] += node_.weights()[i];
  }
}

template <class Bin, class Count>
ClassCut ClassCutSearch<Bin, Count>::searched(const CutValues<Bin>& values) {
  const std::uint32_t range = std::uint32_t{values.most} - values.least + 1;
  // Where values are few to the rows.
  if (!node_.sets() && values.missing == 0 && range * (node_.classes() + 2) <= node_.rows()) {
    fill_table(values);
    TableCuts cuts(*this, values.least);
    for_numeric_cuts(cuts, range, false);
    return cuts.best();
  }
  sort_values(values);
  SortedCuts cuts(*this, values);
  // How many values there are is seen on the way: no more than rows.
  for_numeric_cuts(cuts, static_cast<std::uint32_t>(order_.size()) + 1, values.missing > 0);
  return cuts.best();
}

template class ClassCutSearch<std::uint8_t, std::int32_t>;
template class ClassCutSearch<std::uint8_t, double>;
template class ClassCutSearch<std::uint16_t, std::int32_t>;
template class ClassCutSearch<std::uint16_t, double>;

}  // namespace simplexboost
