#include "tree/histogram/histogram_pool.h"

#include <algorithm>

namespace simplexboost {
namespace {

// Most of what subtraction saves, it saves at the large nodes, which come first: a few slots, or
// 2 MB, do as well as any number of them (docs/performance.md).
double megabytes_that_pay(double of_one) {
  constexpr double kFew = 8;
  constexpr double kLittle = 2;
  constexpr double kMuch = 512;
  return std::clamp(kFew * of_one, kLittle, kMuch);
}

}  // namespace

void HistogramPool::reset(std::size_t numbers, double megabytes) {
  numbers_ = numbers;
  const double of_one =
      1e-6 * sizeof(std::int32_t) * static_cast<double>(std::max<std::size_t>(numbers, 1));
  most_ =
      static_cast<std::size_t>((megabytes > 0 ? megabytes : megabytes_that_pay(of_one)) / of_one);
  if (histograms_.size() > most_) histograms_.resize(most_);
  free_.clear();
  for (std::size_t i = 0; i < histograms_.size(); ++i) free_.push_back(static_cast<Slot>(i));
}

HistogramPool::Slot HistogramPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (histograms_.size() >= most_) return kNone;
    free_.push_back(static_cast<Slot>(histograms_.size()));
    histograms_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  histograms_[static_cast<std::size_t>(slot)].resize(numbers_);
  return slot;
}

void HistogramPool::give(Slot slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

std::int32_t* HistogramPool::histogram(Slot slot) {
  const std::lock_guard lock(mutex_);
  return slot == kNone ? nullptr : histograms_[static_cast<std::size_t>(slot)].data();
}

}  // namespace simplexboost
