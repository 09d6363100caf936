#include "cuda/device_rounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cuda/kernels/codeword_kernels.h"
#include "cuda/kernels/descent_kernels.h"
#include "cuda/kernels/leaf_kernels.h"
#include "cuda/kernels/own_pulls_kernel.h"
#include "cuda/kernels/score_kernels.h"
#include "loss/builtin_loss.h"

namespace simplexboost {
namespace {

// Of the terms of a block of rows; more would leave room for few blocks on a multiprocessor.
constexpr std::size_t kMostTermBytes = std::size_t{96} * 1024;

float scale_of(double log_scale) { return static_cast<float>(std::exp(log_scale)); }

}  // namespace

DeviceRounds::DeviceRounds(std::shared_ptr<Device> device, const BinnedDataset& data,
                           const Problem& problem, const RoundShape& shape)
    : device_(std::move(device)),
      problem_(problem),
      shape_(shape),
      loss_(shape_.loss),
      data_(data),
      rows_(problem.rows()),
      classes_(problem.classes),
      free_before_(device_->free_memory()),
      node_rows_(*device_, data, problem.space),
      scores_(*device_, problem.labels, problem.weights, problem.space, shape.codebook, classes_,
              shape.leaves),
      pulls_(*device_, "a matrix of pulls"),
      curvature_(*device_, "a matrix of curvatures"),
      structure_(*device_, "a matrix of pulls"),
      row_weights_(*device_, "weights"),
      projection_(*device_, "a sketch"),
      largest_(*device_, "a number"),
      parts_(*device_, "sums of blocks"),
      totals_(*device_, "sums"),
      stats_(*device_, "statistics of rows"),
      sums_(*device_, "sums of leaves"),
      values_(*device_, "the values of leaves"),
      slopes_(*device_, "slopes of rows"),
      two_sums_(*device_, "sums of blocks"),
      named_(*device_, "the classes of leaves") {
  node_rows_.reserve_leaves(shape.leaves);
  pulls_.resize(rows_ * classes_);
  if (apart(problem, shape)) structure_.resize(rows_ * shape.width);
  row_weights_.resize(rows_);
  largest_.resize(1);
  largest_.clear();
  parts_.resize(blocks_for(rows_, kSumBlock) * (shape.width + 1));
  stats_.resize(rows_ * padded_channels(kPullChannel + shape.width));
  if (shape.pulls == RoundPulls::kNewton) {
    if (!loss_.curvature_from_pulls) curvature_.resize(rows_ * classes_);
    sums_.resize(shape.leaves * 2 * classes_);
  } else if (shape.pulls != RoundPulls::kOwnClass) {
    std::vector<float> weights(rows_);
    for (std::size_t i = 0; i < rows_; ++i) weights[i] = static_cast<float>(problem.weights[i]);
    row_weights_.upload(weights);
    slopes_.resize(rows_);
    two_sums_.resize(blocks_for(rows_, DeviceScores::kMovedBlock));
    named_.resize(shape.leaves);
  }
  values_.resize(shape.leaves * classes_);
  const std::size_t wanted = memory(data, problem, shape);
  yet_to_take_ = wanted - std::min(wanted, free_before_ - device_->free_memory());
}

std::size_t DeviceRounds::memory(const BinnedDataset& data, const Problem& problem,
                                 const RoundShape& shape) {
  constexpr std::size_t kPadding = 8;  // of a sketch's channels
  constexpr std::size_t kSingle = 64;  // numbers that are alone
  const std::size_t rows = problem.rows();
  const std::size_t classes = problem.classes;
  const std::size_t channels = padded_channels(kPullChannel + shape.width);
  const bool newton = shape.pulls == RoundPulls::kNewton;
  const std::size_t matrices = newton && !shape.loss.curvature_from_pulls ? 2 : 1;
  const std::size_t of_a_row = matrices * classes + (apart(problem, shape) ? shape.width : 0) +
                               channels + (newton ? 1 : 2);  // a weight, a slope
  const std::size_t of_a_block = shape.width + 1;
  const std::size_t of_a_leaf = 2 * classes * sizeof(std::int64_t) + classes * sizeof(float) +
                                sizeof(RowTask) + sizeof(std::uint32_t);
  return sizeof(float) * (rows * of_a_row + blocks_for(rows, kSumBlock) * of_a_block +
                          classes * (shape.width + kPadding)) +
         sizeof(double) * (shape.width + kSingle) + shape.leaves * of_a_leaf +
         DeviceBins::walk_memory(data, shape.leaves) + ResidentRows::memory(data) +
         blocks_for(rows, DeviceScores::kMovedBlock) * sizeof(TwoSums) +
         DeviceScores::memory(rows, shape.codebook, classes, shape.leaves) +
         DeviceSource::least_memory(data, channels);
}

bool DeviceRounds::apart(const Problem& problem, const RoundShape& shape) {
  if (shape.pulls != RoundPulls::kNewton) return shape.pulls == RoundPulls::kOutputs;
  return shape.width < problem.classes || DeviceScores::weigh(problem.weights, problem.space);
}

const float* DeviceRounds::structure() const {
  return structure_.size() > 0 ? structure_.data() : pulls_.data();
}

FillPulls DeviceRounds::fill_kernel(const MovedRows& rows, double log_scale) {
  FillPulls kernel{};
  kernel.rows = rows;
  kernel.formula = loss_.formula;
  kernel.log_scale = static_cast<float>(log_scale);
  kernel.pull_factor = 1;
  kernel.terms_shared = FillPulls::term_bytes(static_cast<std::uint32_t>(classes_)) <=
                        std::min(kMostTermBytes, device_->most_shared_bytes() / 2);
  kernel.pulls = pulls_.data();
  return kernel;
}

void DeviceRounds::run_fill(const FillPulls& kernel) {
  std::size_t numbers = 2 * rows_ * classes_ + rows_;
  if (kernel.curvature) numbers += curvature_.size();
  if (kernel.structure) numbers += structure_.size();
  if (kernel.row_weights || kernel.slopes) numbers += rows_;
  DeviceProfile::all().add_bytes(FillPulls::kName, sizeof(float) * numbers);
  device_->run(kernel, blocks_for(rows_, kRowsOfBlock));
}

double DeviceRounds::fill(const NewtonFill& fill) {
  width_ = fill.sketch > 0 ? fill.sketch : classes_;
  if (fill.sketch > 0 || scores_.weights()) structure_.resize(rows_ * width_);
  projection_.upload(fill.projection);
  start_fill();
  FillPulls kernel = fill_kernel(scores_.scored(), fill.log_scale);
  kernel.pull_factor = 0.5F;
  kernel.from_pulls = loss_.curvature_from_pulls;
  kernel.curvature_factor = scale_of(fill.log_scale);
  kernel.weights = scores_.weights();
  kernel.projection = projection_.data();
  kernel.stride = static_cast<std::uint32_t>(fill.projection.size() / classes_);
  kernel.sketch = static_cast<std::uint32_t>(fill.sketch);
  kernel.curvature = curvature_.size() > 0 ? curvature_.data() : nullptr;
  kernel.structure = structure_.size() > 0 ? structure_.data() : nullptr;
  kernel.row_weights = row_weights_.data();
  kernel.largest = largest_log();
  run_fill(kernel);
  return finish_fill();
}

double DeviceRounds::fill_pulls(double log_scale) {
  width_ = shape_.width;
  start_fill();
  FillPulls kernel = fill_kernel(scores_.scored(), log_scale);
  kernel.largest = largest_log();
  run_fill(kernel);
  const auto width = static_cast<std::uint32_t>(width_);
  if (shape_.pulls == RoundPulls::kOutputs) {
    DeviceProfile::all().add_bytes(PullBack::kName, sizeof(float) * rows_ * (classes_ + width_));
    device_->run(PullBack{scores_.codebook()->tables(), rows_, pulls_.data(), structure_.data()},
                 blocks_for(rows_, PullBack::kThreads));
  }
  float* const shape = structure_.size() > 0 ? structure_.data() : pulls_.data();
  DeviceProfile::all().add_bytes(WeighPulls::kName, sizeof(float) * 2 * rows_ * width_);
  device_->run(WeighPulls{scores_.weights(), rows_, width, shape},
               blocks_for(rows_ * width_, WeighPulls::kThreads));
  return finish_fill();
}

void DeviceRounds::set_own_pulls(std::span<const float> weights) {
  width_ = classes_;
  row_weights_.upload(weights);
  DeviceProfile::all().add_bytes(OwnPulls::kName, sizeof(float) * (rows_ * classes_ + 2 * rows_));
  device_->run(OwnPulls{row_weights_.data(), scores_.labels(), rows_,
                        static_cast<std::uint32_t>(classes_), pulls_.data()},
               blocks_for(rows_ * classes_, OwnPulls::kThreads));
  start_fill();
  finish_fill();
}

std::int32_t* DeviceRounds::largest_log() {
  return reinterpret_cast<std::int32_t*>(totals_.data() + width_ + 1);
}

void DeviceRounds::start_fill() {
  totals_.resize(width_ + 2);
  const std::int32_t least = ordered_bits(-std::numeric_limits<float>::infinity());
  device_->upload(largest_log(), &least, sizeof least);
}

double DeviceRounds::finish_fill() {
  parts_.resize(blocks_for(rows_, kSumBlock) * (width_ + 1));
  sum_channels(structure(), width_, totals_.data());
  const std::vector<double> pulls = parted_sums(width_);
  sum_channels(row_weights_.data(), 1, totals_.data() + width_);
  const std::vector<double> weights = parted_sums(1);
  std::vector<double> found = totals_.download();
  std::copy(pulls.begin(), pulls.end(), found.begin());
  std::copy(weights.begin(), weights.end(), found.begin() + static_cast<std::ptrdiff_t>(width_));
  pull_sum_ = std::max(0.0, *std::max_element(found.begin(), found.end() - 2));
  weight_sum_ = std::max(0.0, found[width_]);
  std::int32_t bits = 0;
  std::memcpy(&bits, &found[width_ + 1], sizeof bits);
  return problem_.space.largest(static_cast<double>(from_ordered_bits(bits)));
}

// Of the rows of all ranks, block by block; empty where all rows are here.
std::vector<double> DeviceRounds::parted_sums(std::size_t width) {
  if (!problem_.space.parted()) return {};
  std::vector<float> parts(blocks_for(rows_, kSumBlock) * width);
  parts_.download(0, parts);
  return problem_.space.sums<float>(
      kSumBlock, width, [&](std::size_t begin, std::size_t, float* sums) {
        std::copy_n(parts.data() + begin / kSumBlock * width, width, sums);
      });
}

// As RowStats takes them.
void DeviceRounds::sum_channels(const float* values, std::size_t width, double* totals) {
  const std::size_t blocks = blocks_for(rows_, kSumBlock);
  const auto channels = static_cast<std::uint32_t>(width);
  DeviceProfile::all().add_bytes(SumAbsolute::kName, rows_ * width * sizeof(float));
  device_->run(SumAbsolute{values, rows_, channels, parts_.data()}, blocks);
  device_->run(AddBlocks{parts_.data(), blocks, channels, totals},
               blocks_for(width, AddBlocks::kThreads));
}

ScaledSum DeviceRounds::risk() { return scores_.risk(loss_.formula); }

ScaledSum DeviceRounds::risk_at(std::span<const float> values, double step, double log_scale) {
  std::vector<float> direction(values.size());
  std::transform(values.begin(), values.end(), direction.begin(), [](float f) { return f / 2; });
  values_.upload(direction);
  ScaledSum total{0, log_scale};
  for (const ScaledSum& part : scores_.block_risks(scores_.moved(values_.data(), step),
                                                   loss_.formula, DeviceScores::kMovedBlock))
    total.value += part.value * std::exp(part.log_scale - log_scale);
  return total;
}

void DeviceRounds::set_direction(std::span<const float> class_scores) {
  values_.upload(class_scores);
}

// The pulls at the scores are lost by it: what shapes the tree is in the statistics by now.
std::vector<Descent> DeviceRounds::descents(double step, double log_scale) {
  FillPulls kernel = fill_kernel(scores_.moved(values_.data(), step), log_scale);
  kernel.slopes = slopes_.data();
  kernel.largest = largest_.data();  // which nobody asks for
  run_fill(kernel);
  constexpr std::size_t kBlock = DeviceScores::kMovedBlock;
  const std::size_t blocks = blocks_for(rows_, kBlock);
  two_sums_.resize(blocks);
  DeviceProfile::all().add_bytes(SumSlopes::kName, sizeof(float) * rows_);
  device_->run(SumSlopes{slopes_.data(), scores_.double_weights(), rows_, kBlock, two_sums_.data()},
               blocks_for(blocks, SumSlopes::kThreads));
  std::vector<Descent> descents;
  for (const TwoSums& sums : two_sums_.download()) descents.push_back({sums.first, sums.second});
  return gather_values<Descent>(problem_.space.ranks(), descents);
}

std::array<double, 2> DeviceRounds::named_pulls(std::span<const std::uint32_t> named_by_leaf) {
  named_.upload(named_by_leaf);
  const std::size_t blocks = blocks_for(rows_, kSumBlock);
  two_sums_.resize(blocks);
  device_->run(SumNamed{pulls_.data(), scores_.weights(), scores_.labels(), scores_.leaf_of_row(),
                        named_.data(), rows_, static_cast<std::uint32_t>(classes_), kSumBlock,
                        two_sums_.data()},
               blocks_for(blocks, SumNamed::kThreads));
  std::array<double, 2> totals{};
  for (const TwoSums& sums : gather_values<TwoSums>(problem_.space.ranks(), two_sums_.download())) {
    totals[0] += sums.first;
    totals[1] += sums.second;
  }
  return totals;
}

std::unique_ptr<DeviceSource> DeviceRounds::make_source() {
  return std::make_unique<DeviceSource>(*device_, data_, problem_.space, node_rows_);
}

void DeviceRounds::quantise(RowStats& stats) {
  stats.start_elsewhere(problem_.space, width_, pull_sum_, weight_sum_);
  stats_.resize(rows_ * stats.channels());
  DeviceProfile::all().add_bytes(Quantise::kName,
                                 sizeof(float) * (rows_ * (width_ + 1) + stats_.size()));
  device_->run(Quantise{structure(), row_weights_.data(), rows_, static_cast<std::uint32_t>(width_),
                        static_cast<std::uint32_t>(stats.channels()), stats.pull_scale(),
                        stats.weight_scale(), stats_.data()},
               blocks_for(stats_.size(), Quantise::kThreads));
  node_rows_.set_stats(stats_.data());
}

double DeviceRounds::largest_size(const float* values, std::size_t count) {
  const std::int32_t least = 0;
  largest_.upload({&least, 1});
  device_->run(LargestSize{values, count, largest_.data()},
               blocks_for(count, LargestSize::kNumbers));
  const std::int32_t most = std::min(
      largest_.download()[0], std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity()));
  return static_cast<double>(std::bit_cast<float>(most));
}

void DeviceRounds::assign_leaves(const GrownTree& tree, const Leaves& leaves) {
  node_rows_.assign_leaves_there(tree, leaves.of_node, scores_.leaf_of_row());
  count_rows(tree, leaves);
}

void DeviceRounds::refit(const LeafTarget& target, double l2, Leaves& leaves) {
  assert(target.width() == classes_);
  std::optional<LargestNumbers> largest = known_largest(target);
  if (!largest) {
    const RowSpace& space = problem_.space;
    const double pull = space.largest(largest_size(pulls_.data(), pulls_.size()));
    const bool own = !loss_.curvature_from_pulls;
    largest = {pull,
               own ? space.largest(largest_size(curvature_.data(), curvature_.size())) : pull};
  }
  const ValueUnits units =
      units_for(*largest, problem_.space.largest(scores_.largest_weight()), problem_.space.all());
  sums_.resize(leaves.count * 2 * classes_);
  sums_.clear();
  DeviceProfile::all().add_bytes(SumLeaves::kName,
                                 sizeof(float) * (rows_ * classes_ + curvature_.size() + rows_));
  device_->run(
      SumLeaves{node_rows_.rows(), node_rows_.leaf_tasks().data(), pulls_.data(),
                curvature_.size() > 0 ? curvature_.data() : nullptr, target.curvature_factor(),
                scores_.weights(), static_cast<std::uint32_t>(classes_), units.pull.start(),
                units.curvature.start(), sums_.data()},
      node_rows_.leaf_tasks().size());
  std::vector<std::int64_t> sums = sums_.download();
  problem_.space.add_up(std::span(sums));
  set_values(target, l2, units, sums, leaves.values);
}

void DeviceRounds::count_rows(const GrownTree& tree, const Leaves& leaves) {
  leaf_rows_.assign(leaves.count, 0);
  if (!problem_.space.every(tree.partition->complete())) {
    for (const std::uint32_t leaf : scores_.leaves()) ++leaf_rows_[leaf];
    problem_.space.add_up(std::span(leaf_rows_));
    return;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf())
      leaf_rows_[static_cast<std::size_t>(leaves.of_node[i])] = tree.count(i);
}

}  // namespace simplexboost
