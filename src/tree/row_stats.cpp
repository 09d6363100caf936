#include "tree/row_stats.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "base/stream_copy.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;

// Largest over the channels of the sum over rows of |value|. Blocks are summed in single precision
// and added in order, so the result does not depend on the number of threads.
double largest_channel_sum(const float* values, std::size_t rows, std::size_t width, int threads) {
  if (values == nullptr) return static_cast<double>(rows);
  const std::size_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  std::vector<float> sums(blocks * width);
  parallel_blocks(threads, rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
    float* sum = sums.data() + begin / kRowBlock * width;
    for (std::size_t i = begin; i < end; ++i)
      kernels().add_absolute(values + i * width, width, sum);
  });
  double largest = 0;
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 0;
    for (std::size_t block = 0; block < blocks; ++block) sum += sums[block * width + j];
    largest = std::max(largest, sum);
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

void RowStats::assign(const FitTarget& target, int threads, bool one_scale) {
  rows_ = target.rows;
  width_ = target.width;
  diagonal_ = target.curvature != nullptr;
  const std::size_t half = padded_channels(kPullChannel + width_);
  channels_ = diagonal_ ? 2 * half : half;
  values_.resize(rows_ * channels_);
  double pull_sum = largest_channel_sum(target.pulls, rows_, width_, threads);
  double weight_sum = largest_channel_sum(target.weights, rows_, 1, threads);
  if (diagonal_)
    weight_sum =
        std::max(weight_sum, largest_channel_sum(target.curvature, rows_, width_, threads));
  if (one_scale) pull_sum = weight_sum = std::max(pull_sum, weight_sum);
  const double pull_scale = scale_for(pull_sum);
  const double weight_scale = scale_for(weight_sum);
  pull_unit_ = 1 / pull_scale;
  weight_unit_ = 1 / weight_scale;
  const auto pull_factor = static_cast<float>(pull_scale);
  const auto weight_factor = static_cast<float>(weight_scale);
  parallel_blocks(threads, rows_, kRowBlock, [&](std::size_t begin, std::size_t end) {
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

void RowStats::flip_pulls(std::span<const std::uint8_t> marked, int threads) {
  parallel_blocks(threads, rows_, kRowBlock, [&](std::size_t begin, std::size_t end) {
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
  const bool squares =
      kind == CriterionKind::kLeastSquares || kind == CriterionKind::kNewtonDiagonal;
  return squares ? pull_unit_ * pull_unit_ / weight_unit_ : pull_unit_;
}

void RowStats::sum_rows(std::span<const std::uint32_t> rows, std::int32_t* out) const {
  std::fill(out, out + channels_, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    prefetch(row(rows[std::min(i + kRowsAhead, rows.size() - 1)]), channels_);
    kernels().add_integers(row(rows[i]), channels_, out);
  }
}

}  // namespace simplexboost
