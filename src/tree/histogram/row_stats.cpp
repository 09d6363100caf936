#include "tree/histogram/row_stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/simd/prefetch.h"
#include "base/simd/stream_copy.h"

namespace simplexboost {
namespace {

// The sum of absolute values, in eight parts so that vectors can take them.
float sum_absolute(const float* values, std::size_t count) {
  std::array<float, 8> parts{};
  std::size_t i = 0;
  for (; i + parts.size() <= count; i += parts.size())
    for (std::size_t j = 0; j < parts.size(); ++j) parts[j] += std::fabs(values[i + j]);
  for (; i < count; ++i) parts[0] += std::fabs(values[i]);
  return std::accumulate(parts.begin(), parts.end(), 0.0F);
}

// Numbers of the rows, `width` of each.
struct Channels {
  const float* values;
  std::size_t width;
};

void add_absolute(const Channels& of, std::size_t begin, std::size_t end, float* sum) {
  if (of.width == 1) {
    *sum = sum_absolute(of.values + begin, end - begin);
    return;
  }
  for (std::size_t i = begin; i < end; ++i)
    kernels().add_absolute(of.values + i * of.width, of.width, sum);
}

// Largest over the channels of the sum over rows of |value|, of each array; the blocks in single
// precision. All in one exchange.
std::vector<double> largest_channel_sums(std::span<const Channels> arrays, const RowSpace& space) {
  std::size_t width = 0;
  for (const Channels& array : arrays) width += array.width;
  const std::vector<double> sums = space.sums<float>(
      RowSpace::kBlock, width, [&](std::size_t begin, std::size_t end, float* sum) {
        for (const Channels& array : arrays) {
          add_absolute(array, begin, end, sum);
          sum += array.width;
        }
      });
  std::vector<double> largest;
  auto at = sums.begin();
  for (const Channels& array : arrays) {
    const auto end = at + static_cast<std::ptrdiff_t>(array.width);
    largest.push_back(
        std::accumulate(at, end, 0.0, [](double a, double b) { return std::max(a, b); }));
    at = end;
  }
  return largest;
}

// The power of two by which values are multiplied.
double scale_for(double sum) {
  if (!(sum > 0) || !std::isfinite(sum)) return 1;
  // The factor must be a float: pulls that sum to less than 2^-96 lose precision.
  return std::exp2(std::clamp(std::floor(30 - std::log2(sum)), -126.0, 126.0));
}

}  // namespace

void RowStats::assign(const FitTarget& target, const RowSpace& space, bool one_scale) {
  rows_ = target.rows;
  all_rows_ = space.all();
  width_ = target.width;
  // A rank without rows may have no arrays, and does as the others do.
  std::array<std::int64_t, 2> given{target.weights ? 1 : 0, target.curvature ? 1 : 0};
  space.ranks().maximum(given);
  diagonal_ = given[1] != 0;
  const std::size_t half = padded_channels(kPullChannel + width_);
  channels_ = diagonal_ ? 2 * half : half;
  values_.resize(rows_ * channels_);
  std::vector<Channels> arrays{{target.pulls, width_}};
  if (given[0] != 0) arrays.push_back({target.weights, 1});
  if (diagonal_) arrays.push_back({target.curvature, width_});
  const std::vector<double> sums = largest_channel_sums(arrays, space);
  double pull_sum = sums[0];
  double weight_sum = given[0] != 0 ? sums[1] : static_cast<double>(space.all());
  if (diagonal_) weight_sum = std::max(weight_sum, sums.back());
  // Twice, so that a weight plus a pull cannot overflow either.
  if (one_scale) pull_sum = weight_sum = 2 * std::max(pull_sum, weight_sum);
  const double pull_scale = scale_for(pull_sum);
  const double weight_scale = scale_for(weight_sum);
  pull_unit_ = 1 / pull_scale;
  weight_unit_ = 1 / weight_scale;
  const auto pull_factor = static_cast<float>(pull_scale);
  const auto weight_factor = static_cast<float>(weight_scale);
  const bool scalar = width_ == 1 && !diagonal_ && target.weights != nullptr;
  space.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    if (scalar)
      return kernels().quantise_scalars(target.weights + begin, target.pulls + begin, end - begin,
                                        weight_factor, pull_factor,
                                        values_.data() + begin * channels_);
    AlignedVector<std::int32_t> staged(channels_);
    std::int32_t* const out = staged.data();
    out[kCountChannel] = 1;
    for (std::size_t i = begin; i < end; ++i) {
      const float weight = target.weights ? target.weights[i] : 1.0F;
      kernels().quantise(&weight, 1, weight_factor, out + kWeightChannel);
      kernels().quantise(target.pulls + i * width_, width_, pull_factor, out + kPullChannel);
      if (diagonal_)
        kernels().quantise(target.curvature + i * width_, width_, weight_factor,
                           out + half + kPullChannel);
      stream_copy(out, channels_, values_.data() + i * channels_);
    }
    stream_fence();
  });
}

void RowStats::gather(const RowStats& share, Communicator& ranks) {
  rows_ = all_rows_ = share.all_rows_;
  width_ = share.width_;
  channels_ = share.channels_;
  diagonal_ = share.diagonal_;
  pull_unit_ = share.pull_unit_;
  weight_unit_ = share.weight_unit_;
  pull_scale_ = share.pull_scale_;
  weight_scale_ = share.weight_scale_;
  const std::span<const std::int32_t> mine(share.values_.data(), share.values_.size());
  const std::vector<std::byte> all = ranks.gather(std::as_bytes(mine));
  values_.resize(all.size() / sizeof(std::int32_t));
  if (!all.empty()) std::memcpy(values_.data(), all.data(), all.size());
}

void RowStats::start_scalar(const RowSpace& space, double pull_sum, double weight_sum) {
  start_elsewhere(space, 1, pull_sum, weight_sum);
  values_.resize(rows_ * channels_);
}

void RowStats::start_elsewhere(const RowSpace& space, std::size_t width, double pull_sum,
                               double weight_sum) {
  rows_ = space.rows();
  all_rows_ = space.all();
  width_ = width;
  diagonal_ = false;
  channels_ = padded_channels(kPullChannel + width);
  pull_unit_ = 1 / scale_for(pull_sum);
  weight_unit_ = 1 / scale_for(weight_sum);
  pull_scale_ = static_cast<float>(scale_for(pull_sum));
  weight_scale_ = static_cast<float>(scale_for(weight_sum));
}

void RowStats::set_row(std::size_t row, float weight, float pull) {
  const auto rounded = [](float x) {
    return static_cast<std::int32_t>(x + (x < 0 ? -0.5F : 0.5F));
  };
  std::int32_t* out = values_.data() + row * channels_;
  out[kCountChannel] = 1;
  out[kWeightChannel] = rounded(weight * weight_scale_);
  out[kPullChannel] = rounded(pull * pull_scale_);
  out[kPullChannel + 1] = 0;
}

void RowStats::flip_pulls(std::span<const std::uint8_t> marked, const RowSpace& space) {
  space.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (marked[i] == 0) continue;
      std::int32_t* pulls = values_.data() + i * channels_ + kPullChannel;
      for (std::size_t j = 0; j < width_; ++j) pulls[j] = -pulls[j];
    }
  });
}

CriterionSpec RowStats::criterion(CriterionKind kind, double l2) const {
  CriterionSpec criterion;
  criterion.kind = kind;
  criterion.channels = channels_;
  criterion.pulls = width_;
  criterion.l2 = static_cast<float>(l2 / weight_unit_);
  return criterion;
}

double RowStats::score_unit(CriterionKind kind) const {
  return kind == CriterionKind::kLeastSquares ? pull_unit_ * pull_unit_ / weight_unit_ : pull_unit_;
}

void RowStats::sum_rows(std::span<const std::uint32_t> rows, std::int32_t* out) const {
  std::fill(out, out + channels_, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    prefetch(row(rows[std::min(i + kRowsAhead, rows.size() - 1)]), channels_);
    kernels().add_integers(row(rows[i]), channels_, out);
  }
}

}  // namespace simplexboost
