#include "tree/split/categorical_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace simplexboost {
namespace {

class CategorySearch {
 public:
  explicit CategorySearch(const ScanArgs& args)
      : args_(args), channels_(args.criterion->channels), left_(channels_) {
    const std::uint32_t bins = args.value_bins + (args.has_missing ? 1 : 0);
    for (std::uint32_t bin = 0; bin < bins; ++bin)
      if (sums(bin)[kCountChannel] > 0) present_.push_back(bin);
    best_.categorical = true;
  }

  std::size_t present() const { return present_.size(); }

  void clear() { std::fill(left_.begin(), left_.end(), 0); }
  void move_left(std::size_t category) { move(category, +1); }
  void move_right(std::size_t category) { move(category, -1); }

  bool try_set() {
    if (cut_fit(args_, left_.data()) != CutFit::kYes) return false;
    const float score = kernels().score(*args_.criterion, left_.data(), args_.total);
    if (!(score > best_.score)) return false;
    best_.score = score;
    return true;
  }
  void take_set(std::span<const std::size_t> members) {
    best_.left_set.assign(args_.value_bins / 32 + 1, 0);
    for (const std::size_t category : members) {
      const std::uint32_t bin = present_[category];
      best_.left_set[bin / 32] |= 1U << (bin % 32);
    }
    // Missing values go to the side that holds them, else to that of more weight.
    best_.missing_left =
        args_.has_missing && sums(args_.value_bins)[kCountChannel] > 0
            ? in_set(best_.left_set, args_.value_bins)
            : left_[kWeightChannel] > args_.total[kWeightChannel] - left_[kWeightChannel];
  }
  template <class Use>
  void for_orders(const Use& use) const {
    use(principal_order());
  }

  // Categories that this node does not have go where missing values go.
  Split take() {
    if (best_.missing_left)
      for (std::uint32_t bin = 0; bin < args_.value_bins; ++bin)
        if (sums(bin)[kCountChannel] == 0) best_.left_set[bin / 32] |= 1U << (bin % 32);
    return std::move(best_);
  }

 private:
  // Categories by their place along the first principal component of the mean pulls.
  std::vector<std::size_t> principal_order() const {
    const std::size_t width = args_.criterion->pulls;
    const std::size_t count = present_.size();
    std::vector<double> weight(count);
    std::vector<double> centred(count * width);
    std::vector<double> mean(width);
    double total = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const std::int32_t* s = sums(present_[b]);
      weight[b] = std::max(weight_of(s), 1e-9);
      total += weight[b];
      for (std::size_t j = 0; j < width; ++j) mean[j] += s[kPullChannel + j];
    }
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t j = 0; j < width; ++j)
        centred[b * width + j] = sums(present_[b])[kPullChannel + j] / weight[b] - mean[j] / total;
    const std::vector<double> direction = leading_direction(centred, weight, width);
    std::vector<double> place(count);
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t j = 0; j < width; ++j) place[b] += centred[b * width + j] * direction[j];
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
    return order;
  }

  const std::int32_t* sums(std::uint32_t bin) const { return args_.histogram + bin * channels_; }

  // What the pulls of a category are divided by: its weight, or its curvature over all channels.
  double weight_of(const std::int32_t* s) const {
    if (!diagonal(args_.criterion->kind)) return s[kWeightChannel];
    const std::int32_t* curvature = s + channels_ / 2 + kPullChannel;
    return std::accumulate(curvature, curvature + args_.criterion->pulls, 0.0);
  }

  void move(std::size_t category, std::int32_t sign) {
    const std::int32_t* const moved = sums(present_[category]);
    for (std::size_t j = 0; j < channels_; ++j) left_[j] += sign * moved[j];
  }

  // Power iteration on the weighted scatter of the rows of `centred`.
  static std::vector<double> leading_direction(const std::vector<double>& centred,
                                               const std::vector<double>& weight,
                                               std::size_t width) {
    // Start at the row that is farthest out: never orthogonal to the leading direction by chance
    // of a fixed start.
    std::size_t far = 0;
    double far_norm = -1;
    for (std::size_t b = 0; b < weight.size(); ++b) {
      const double* row = centred.data() + b * width;
      const double norm = weight[b] * std::inner_product(row, row + width, row, 0.0);
      if (norm > far_norm) {
        far_norm = norm;
        far = b;
      }
    }
    std::vector<double> direction(centred.begin() + static_cast<long>(far * width),
                                  centred.begin() + static_cast<long>((far + 1) * width));
    for (int iteration = 0; iteration < 20; ++iteration) {
      std::vector<double> next(width);
      for (std::size_t b = 0; b < weight.size(); ++b) {
        const double* row = centred.data() + b * width;
        const double dot = std::inner_product(row, row + width, direction.begin(), 0.0);
        for (std::size_t j = 0; j < width; ++j) next[j] += weight[b] * dot * row[j];
      }
      const double norm =
          std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
      if (!(norm > 0)) break;
      for (std::size_t j = 0; j < width; ++j) direction[j] = next[j] / norm;
    }
    return direction;
  }

  const ScanArgs& args_;
  std::size_t channels_;
  std::vector<std::int32_t> left_;
  std::vector<std::uint32_t> present_;
  Split best_;
};

}  // namespace

Split best_categorical_split(const ScanArgs& args, CategoricalSplits kind) {
  CategorySearch search(args);
  CategoricalCuts(search, search.present()).try_all(kind);
  return search.take();
}

}  // namespace simplexboost
