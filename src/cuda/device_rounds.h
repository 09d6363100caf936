// The rows of newton's rounds on a device: scores, pulls, what shapes the trees, and the sums that
// fill their leaves. Of a round there come back the sums of the nodes and leaves, cuts, and
// figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "cuda/device.h"
#include "cuda/device_bins.h"
#include "cuda/device_scores.h"
#include "cuda/device_source.h"
#include "optimizer/newton_rows.h"
#include "optimizer/optimizer.h"
#include "tree/leaf/leaf_refit.h"

namespace simplexboost {

class DeviceRounds final : public NewtonRows {
 public:
  // `loss`: a built-in one, of canonical codewords; one label a row. The problem and the bins must
  // outlive it.
  DeviceRounds(std::shared_ptr<Device> device, const BinnedDataset& data, const Problem& problem,
               const LossFacts& loss);

  // Bytes that it takes, beside bins and histograms.
  static std::size_t memory(std::size_t rows, std::size_t classes, const LossFacts& loss);

  double fill(const NewtonFill& fill) override;
  ScaledSum risk() override;
  ScaledSum risk_at(std::span<const float> values, double step, double log_scale) override;

  // For the learner: a source of histograms, which must not outlive this; what the pulls of the
  // round are in integers; and the values of the leaves of a tree that was grown of them.
  std::unique_ptr<DeviceSource> make_source();
  void quantise(RowStats& stats, DeviceSource& source);
  void refit(const GrownTree& tree, const LeafTarget& target, double l2, DeviceSource& source,
             Leaves& leaves);
  // How many rows each leaf of that tree has, those too that were not drawn.
  const std::vector<std::int64_t>& leaf_rows() const { return leaf_rows_; }

  DeviceScores& scores() { return scores_; }
  Device& device() { return *device_; }

 private:
  std::vector<double> parted_sums(std::size_t width);
  void sum_channels(const float* values, std::size_t width, double* totals);
  double largest_size(const float* values, std::size_t count);
  void count_rows(const GrownTree& tree, const Leaves& leaves);
  const float* structure() const;

  std::shared_ptr<Device> device_;
  const Problem& problem_;
  LossFacts loss_;
  std::size_t rows_;
  std::size_t classes_;
  DeviceBins bins_;
  DeviceScores scores_;
  std::size_t width_ = 0;  // of what shapes the trees
  double pull_sum_ = 0;
  double weight_sum_ = 0;
  std::vector<std::int64_t> leaf_rows_;

  DeviceArray<float> pulls_;
  DeviceArray<float> curvature_;  // empty where pulls tell it
  DeviceArray<float> structure_;  // empty: the pulls serve
  DeviceArray<float> row_weights_;
  DeviceArray<float> projection_;
  DeviceArray<std::int32_t> largest_;
  DeviceArray<float> parts_;
  DeviceArray<double> totals_;
  DeviceArray<std::int32_t> stats_;
  DeviceArray<std::int64_t> sums_;
  DeviceArray<float> values_;
};

}  // namespace simplexboost
