// The rows of newton's, gd-mcboost's and samme's rounds on a device: scores, pulls, what shapes the
// trees, the sums that fill their leaves, and those of line searches. Of a round there come back
// the sums of the nodes and leaves, cuts, and figures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "codeword/codebook.h"
#include "cuda/device.h"
#include "cuda/device_node_rows.h"
#include "cuda/device_scores.h"
#include "cuda/device_source.h"
#include "optimizer/gradient_rows.h"
#include "optimizer/newton_rows.h"
#include "optimizer/optimizer.h"
#include "optimizer/vote_rows.h"
#include "tree/leaf/leaf_refit.h"

namespace simplexboost {

struct FillPulls;  // kernels/loss_kernels.h
struct TwoSums;    // kernels/descent_kernels.h

// What shapes the trees: newton's pulls, with curvatures that fill the leaves; or those of
// gd-mcboost, of the classes or on the outputs, which fill them, too; or samme's, of each row to
// its own class.
enum class RoundPulls : std::uint8_t { kNewton, kClasses, kOutputs, kOwnClass };

// What the trees of whole rounds are like.
struct RoundShape {
  LossFacts loss;            // of a built-in one; samme has none
  const Codebook* codebook;  // newton's: canonical; samme has none
  RoundPulls pulls;
  std::size_t width;   // channels that shape a tree
  std::size_t leaves;  // at most
};

class DeviceRounds final : public NewtonRows, public GradientRows, public VoteRows {
 public:
  // One label a row. The problem and the bins must outlive it.
  DeviceRounds(std::shared_ptr<Device> device, const BinnedDataset& data, const Problem& problem,
               const RoundShape& shape);

  // Bytes that it takes, with bins and the least of histograms, at most. All ranks ask together.
  static std::size_t memory(const BinnedDataset& data, const Problem& problem,
                            const RoundShape& shape);
  // Of these, what it takes when training goes on.
  std::size_t yet_to_take() const { return yet_to_take_; }
  std::size_t most_leaves() const { return shape_.leaves; }

  double fill(const NewtonFill& fill) override;
  double fill_pulls(double log_scale) override;
  ScaledSum risk() override;
  ScaledSum risk_at(std::span<const float> values, double step, double log_scale) override;
  void set_direction(std::span<const float> class_scores) override;
  std::vector<Descent> descents(double step, double log_scale) override;
  std::array<double, 2> named_pulls(std::span<const std::uint32_t> named_by_leaf) override;

  void set_own_pulls(std::span<const float> weights) override;
  std::vector<std::uint32_t> leaves() const override { return scores_.leaves(); }

  // For the learner: a source of histograms, which must not outlive this; what the pulls of the
  // round are in integers; the leaves of the rows in a tree that was grown of them; and the values
  // of these leaves, where curvatures fill them.
  std::unique_ptr<DeviceSource> make_source();
  void quantise(RowStats& stats);
  void assign_leaves(const GrownTree& tree, const Leaves& leaves);
  void refit(const LeafTarget& target, double l2, Leaves& leaves);
  // How many rows each leaf of that tree has, those too that were not drawn.
  const std::vector<std::int64_t>& leaf_rows() const { return leaf_rows_; }

  DeviceScores& scores() { return scores_; }
  Device& device() { return *device_; }

 private:
  // Whether what shapes the trees stands apart from the pulls.
  static bool apart(const Problem& problem, const RoundShape& shape);
  FillPulls fill_kernel(const MovedRows& rows, double log_scale);
  void run_fill(const FillPulls& kernel);
  // Before and after what shapes the trees is filled: brings all that comes back at once, the sums
  // of the channels and of the weights, and the largest log, which is returned.
  std::int32_t* largest_log();
  void start_fill();
  double finish_fill();
  std::vector<double> parted_sums(std::size_t width);
  void sum_channels(const float* values, std::size_t width, double* totals);
  double largest_size(const float* values, std::size_t count);
  void count_rows(const GrownTree& tree, const Leaves& leaves);
  const float* structure() const;

  std::shared_ptr<Device> device_;
  const Problem& problem_;
  RoundShape shape_;
  const LossFacts& loss_;
  const BinnedDataset& data_;
  std::size_t rows_;
  std::size_t classes_;
  std::size_t free_before_;
  ResidentRows node_rows_;
  DeviceScores scores_;
  std::size_t yet_to_take_ = 0;
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
  DeviceArray<float> slopes_;  // of the rows, along a hypothesis
  DeviceArray<TwoSums> two_sums_;
  DeviceArray<std::uint32_t> named_;
};

}  // namespace simplexboost
