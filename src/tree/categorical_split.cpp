#include "tree/categorical_split.h"

#include <algorithm>
#include <bit>
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

  // Every subset that holds the first category (the others are complements), in Gray-code order:
  // one category moves at a time.
  void try_all_subsets() {
    const std::size_t free = present_.size() - 1;
    clear();
    move(present_[0], +1);
    std::uint32_t members = 0;
    try_cut(set_of(members));
    for (std::uint32_t i = 1; i < (1U << free); ++i) {
      const auto moved = static_cast<std::uint32_t>(std::countr_zero(i));
      members ^= 1U << moved;
      move(present_[moved + 1], (members >> moved & 1) != 0 ? +1 : -1);
      try_cut(set_of(members));
    }
  }

  void try_each_against_rest() {
    for (const std::uint32_t bin : present_) {
      clear();
      move(bin, +1);
      try_cut({&bin, 1});
    }
  }

  void try_prefixes(const std::vector<std::uint32_t>& order) {
    clear();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      move(order[i], +1);
      try_cut({order.data(), i + 1});
    }
  }

  // Categories by their place along the first principal component of the mean pulls.
  std::vector<std::uint32_t> principal_order() const {
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
    std::vector<std::size_t> rank(count);
    std::iota(rank.begin(), rank.end(), std::size_t{0});
    std::stable_sort(rank.begin(), rank.end(),
                     [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
    std::vector<std::uint32_t> order;
    for (const std::size_t b : rank) order.push_back(present_[b]);
    return order;
  }

  // Categories that this node does not have go where missing values go.
  Split take() {
    if (best_.missing_left)
      for (std::uint32_t bin = 0; bin < args_.value_bins; ++bin)
        if (sums(bin)[kCountChannel] == 0) best_.left_set[bin / 32] |= 1U << (bin % 32);
    return std::move(best_);
  }

 private:
  const std::int32_t* sums(std::uint32_t bin) const { return args_.histogram + bin * channels_; }

  // What the pulls of a category are divided by: its weight, or its curvature over all channels.
  double weight_of(const std::int32_t* s) const {
    if (!diagonal(args_.criterion->kind)) return s[kWeightChannel];
    const std::int32_t* curvature = s + channels_ / 2 + kPullChannel;
    return std::accumulate(curvature, curvature + args_.criterion->pulls, 0.0);
  }

  void clear() { std::fill(left_.begin(), left_.end(), 0); }
  void move(std::uint32_t bin, std::int32_t sign) {
    for (std::size_t j = 0; j < channels_; ++j) left_[j] += sign * sums(bin)[j];
  }

  std::span<const std::uint32_t> set_of(std::uint32_t members) {
    members_.assign(1, present_[0]);
    for (std::size_t i = 1; i < present_.size(); ++i)
      if ((members >> (i - 1) & 1) != 0) members_.push_back(present_[i]);
    return members_;
  }

  bool allowed() const {
    const std::int32_t rows = left_[kCountChannel];
    if (rows < args_.min_rows || args_.total[kCountChannel] - rows < args_.min_rows) return false;
    const float weight = static_cast<float>(left_[kWeightChannel]);
    const float whole = static_cast<float>(args_.total[kWeightChannel]);
    return weight >= args_.min_weight && whole - weight >= args_.min_weight;
  }

  void try_cut(std::span<const std::uint32_t> set) {
    if (!allowed()) return;
    const float score = kernels().score(*args_.criterion, left_.data(), args_.total);
    if (!(score > best_.score)) return;
    best_.score = score;
    best_.left_set.assign(args_.value_bins / 32 + 1, 0);
    for (const std::uint32_t bin : set) best_.left_set[bin / 32] |= 1U << (bin % 32);
    // Missing values go to the side that holds them, else to that of more weight.
    best_.missing_left =
        args_.has_missing && sums(args_.value_bins)[kCountChannel] > 0
            ? in_set(best_.left_set, args_.value_bins)
            : left_[kWeightChannel] > args_.total[kWeightChannel] - left_[kWeightChannel];
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
  std::vector<std::uint32_t> members_;
  Split best_;
};

}  // namespace

Split best_categorical_split(const ScanArgs& args, CategoricalSplits kind) {
  CategorySearch search(args);
  if (search.present() >= 2) {
    if (kind == CategoricalSplits::kSubset && search.present() <= kExactCategories) {
      search.try_all_subsets();
    } else {
      search.try_each_against_rest();
      if (kind == CategoricalSplits::kSubset) search.try_prefixes(search.principal_order());
    }
  }
  return search.take();
}

}  // namespace simplexboost
