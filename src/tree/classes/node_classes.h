// The classes of a node's rows, numbered anew by those that the node has: however many classes
// there are in all, counting goes over few and near numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost {

// A row of a tree and how much it counts, more than 0.
struct ClassItem {
  std::uint32_t row;
  std::int32_t label;  // -1 for several labels a row
  float weight;
};

// `Count`: std::int32_t where all weights are whole and their sum is below kMostCounted, so that
// sums of squares are exact, too; else double.
template <class Count>
class NodeClasses {
 public:
  using Sum = std::conditional_t<std::is_integral_v<Count>, std::int64_t, double>;
  static constexpr double kMostCounted = 1U << 31U;

  // The labels must outlive it.
  explicit NodeClasses(const Labels& labels)
      : labels_(labels),
        sets_(labels.multi_label()),
        number_of_(sets_ ? labels.classes.size() : 0, kNone) {}

  // Takes over the rows of a node; with one label a row those of a class stand together.
  void take(std::span<const ClassItem> items) {
    rows_ = items.size();
    if (weights_.size() < rows_) {
      weights_.resize(rows_);
      numbers_.resize(rows_);
      names_.resize(rows_);
      ends_.resize(rows_);
      totals_.resize(rows_);
    }
    if (sets_)
      take_sets(items);
    else
      take_labels(items);
    squares_ = 0;
    for (std::size_t k = 0; k < classes_; ++k)
      squares_ += static_cast<Sum>(totals_[k]) * static_cast<Sum>(totals_[k]);
  }

  std::size_t rows() const { return rows_; }
  bool sets() const { return sets_; }
  std::size_t classes() const { return classes_; }
  std::uint32_t name(std::size_t number) const { return names_[number]; }  // of a class in all
  const Count* totals() const { return totals_.data(); }                   // weights of the classes
  const Count* weights() const { return weights_.data(); }                 // of the rows
  Sum total() const { return total_; }                                     // of the rows' weights
  Sum squares() const { return squares_; }                                 // of totals(), their sum

  // Where the rows of each class end; one label a row.
  const std::size_t* ends() const { return ends_.data(); }
  // The numbers of a row's labels.
  std::span<const std::uint32_t> numbers_of(std::size_t i) const {
    if (!sets_) return {numbers_.data() + i, 1};
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {numbers_.data() + begin, ends_[i] - begin};
  }

  // Whether all weights are 1.
  bool unit() const {
    return std::is_integral_v<Count> && static_cast<std::size_t>(total_) == rows_;
  }

  // Whether all rows say the same.
  bool pure() const {
    if (!sets_) return classes_ == 1;
    // Then each has all labels that any has.
    for (std::size_t i = 0; i < rows_; ++i)
      if (numbers_of(i).size() != classes_) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Without branches: where a class ends cannot be foretold.
  void take_labels(std::span<const ClassItem> items) {
    Count sum = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const auto label = static_cast<std::uint32_t>(items[i].label);
      const auto weight = static_cast<Count>(items[i].weight);
      const bool next = i > 0 && items[i].label != items[i - 1].label;
      last += static_cast<std::size_t>(next);
      sum += weight;
      weights_[i] = weight;
      numbers_[i] = static_cast<std::uint32_t>(last);
      names_[last] = label;
      ends_[last] = i + 1;
      totals_[last] = sum;
    }
    classes_ = last + 1;
    total_ = static_cast<Sum>(sum);
    for (std::size_t k = last; k > 0; --k) totals_[k] -= totals_[k - 1];
  }

  void take_sets(std::span<const ClassItem> items) {
    numbers_.clear();
    names_.clear();
    totals_.clear();
    total_ = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const auto weight = static_cast<Count>(items[i].weight);
      const std::size_t row = items[i].row;
      for (std::size_t j = labels_.offsets[row]; j < labels_.offsets[row + 1]; ++j) {
        numbers_.push_back(number(static_cast<std::uint32_t>(labels_.codes[j])));
        totals_[numbers_.back()] += weight;
      }
      ends_[i] = numbers_.size();
      weights_[i] = weight;
      total_ += static_cast<Sum>(weight);
    }
    classes_ = names_.size();
    for (const std::uint32_t name : names_) number_of_[name] = kNone;
  }

  std::uint32_t number(std::uint32_t name) {
    std::uint32_t& known = number_of_[name];
    if (known != kNone) return known;
    known = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    totals_.push_back(0);
    return known;
  }

  const Labels& labels_;
  bool sets_;
  std::vector<std::uint32_t> number_of_;  // of each class in all; kNone between nodes
  std::size_t rows_ = 0;
  std::size_t classes_ = 0;
  std::vector<std::uint32_t> names_;
  std::vector<Count> totals_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> ends_;  // of classes, or of sets of labels
  std::vector<Count> weights_;
  Sum total_ = 0;
  Sum squares_ = 0;
};

}  // namespace simplexboost
