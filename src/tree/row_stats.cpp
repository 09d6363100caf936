#include "tree/row_stats.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;

// Largest over the channels of the sum over rows of |value|. The blocks' sums are added in order,
// so the result does not depend on the number of threads.
double largest_channel_sum(const float* values, std::size_t rows, std::size_t width, int threads) {
  if (values == nullptr) return static_cast<double>(rows);
  const std::size_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  std::vector<double> sums(blocks * width);
  parallel_blocks(threads, rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
    double* sum = sums.data() + begin / kRowBlock * width;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < width; ++j) sum[j] += std::fabs(values[i * width + j]);
  });
  for (std::size_t block = 1; block < blocks; ++block)
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[block * width + j];
  return rows == 0 ? 0 : *std::max_element(sums.begin(), sums.begin() + static_cast<long>(width));
}

// The power of two by which values are multiplied.
double scale_for(double sum) {
  if (!(sum > 0) || !std::isfinite(sum)) return 1;
  return std::exp2(std::floor(30 - std::log2(sum)));
}

std::int32_t quantise(float value, float scale) {
  return static_cast<std::int32_t>(std::lrintf(value * scale));
}

}  // namespace

void RowStats::assign(const FitTarget& target, int threads) {
  rows_ = target.rows;
  width_ = target.width;
  diagonal_ = target.curvature != nullptr;
  const std::size_t half = padded_channels(kPullChannel + width_);
  channels_ = diagonal_ ? 2 * half : half;
  values_.resize(rows_ * channels_);
  const double pull_scale = scale_for(largest_channel_sum(target.pulls, rows_, width_, threads));
  double weight_sum = largest_channel_sum(target.weights, rows_, 1, threads);
  if (diagonal_)
    weight_sum =
        std::max(weight_sum, largest_channel_sum(target.curvature, rows_, width_, threads));
  const double weight_scale = scale_for(weight_sum);
  pull_unit_ = 1 / pull_scale;
  weight_unit_ = 1 / weight_scale;
  const auto pull_factor = static_cast<float>(pull_scale);
  const auto weight_factor = static_cast<float>(weight_scale);
  parallel_blocks(threads, rows_, kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::int32_t* out = values_.data() + i * channels_;
      std::fill(out + kPullChannel + width_, out + channels_, 0);
      out[kCountChannel] = 1;
      out[kWeightChannel] = quantise(target.weights ? target.weights[i] : 1.0F, weight_factor);
      for (std::size_t j = 0; j < width_; ++j)
        out[kPullChannel + j] = quantise(target.pulls[i * width_ + j], pull_factor);
      if (!diagonal_) continue;
      for (std::size_t j = 0; j < width_; ++j)
        out[half + kPullChannel + j] = quantise(target.curvature[i * width_ + j], weight_factor);
    }
  });
}

double RowStats::score_unit(CriterionKind kind) const {
  const bool squares =
      kind == CriterionKind::kLeastSquares || kind == CriterionKind::kNewtonDiagonal;
  return squares ? pull_unit_ * pull_unit_ : pull_unit_;
}

void RowStats::sum_rows(std::span<const std::uint32_t> rows, std::int32_t* out) const {
  std::fill(out, out + channels_, 0);
  for (const std::uint32_t i : rows) {
    const std::int32_t* values = row(i);
    for (std::size_t j = 0; j < channels_; ++j) out[j] += values[j];
  }
}

}  // namespace simplexboost
