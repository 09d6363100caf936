#include "cuda/device_rounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cuda/kernels/leaf_kernels.h"
#include "cuda/kernels/score_kernels.h"
#include "loss/builtin_loss.h"

namespace simplexboost {
namespace {

static_assert(kSumBlock == RowSpace::kBlock);

// Rows whose risk MarginRisk takes together along a hypothesis.
constexpr std::size_t kMovedBlock = 256;
// Of the terms of a block of rows; more would leave room for few blocks on a multiprocessor.
constexpr std::size_t kMostTermBytes = std::size_t{96} * 1024;

float scale_of(double log_scale) { return static_cast<float>(std::exp(log_scale)); }

}  // namespace

DeviceRounds::DeviceRounds(std::shared_ptr<Device> device, const BinnedDataset& data,
                           const Problem& problem, const LossFacts& loss)
    : device_(std::move(device)),
      problem_(problem),
      loss_(loss),
      rows_(problem.rows()),
      classes_(problem.classes),
      bins_(*device_, data),
      labels_(*device_, "labels"),
      weights_(*device_, "weights"),
      double_weights_(*device_, "weights"),
      scores_(*device_, "a matrix of scores"),
      pulls_(*device_, "a matrix of pulls"),
      curvature_(*device_, "a matrix of curvatures"),
      structure_(*device_, "a matrix of pulls"),
      row_weights_(*device_, "weights"),
      projection_(*device_, "a sketch"),
      largest_(*device_, "a number"),
      parts_(*device_, "sums of blocks"),
      totals_(*device_, "sums"),
      stats_(*device_, "statistics of rows"),
      leaf_of_row_(*device_, "the leaves of rows"),
      sums_(*device_, "sums of leaves"),
      values_(*device_, "the values of leaves"),
      tops_(*device_, "sums of rows"),
      term_sums_(*device_, "sums of rows"),
      risks_(*device_, "sums of rows"),
      beaten_(*device_, "errors"),
      count_(*device_, "a number") {
  labels_.upload({problem.labels.codes.data(), rows_});
  std::vector<float> weights(rows_);
  std::vector<double> double_weights(rows_);
  float largest = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    double_weights[i] = problem.weights[i];
    weights[i] = static_cast<float>(problem.weights[i]);
    weighted_ = weighted_ || weights[i] != 1;
    largest = std::max(largest, weights[i]);
  }
  if (weighted_) {
    weights_.upload(weights);
    double_weights_.upload(double_weights);
    largest_weight_ = static_cast<double>(largest);
  }
  pulls_.resize(rows_ * classes_);
  if (!loss_.curvature_from_pulls) curvature_.resize(rows_ * classes_);
  row_weights_.resize(rows_);
  leaf_of_row_.resize(rows_);
  beaten_.resize(rows_);
  largest_.resize(1);
}

std::size_t DeviceRounds::memory(std::size_t rows, std::size_t classes, const LossFacts& loss) {
  constexpr std::size_t kOfARow = 96;  // the rows of nodes, weights, statistics of a sketch
  const std::size_t matrices = loss.curvature_from_pulls ? 2 : 3;
  return rows * (matrices * classes * sizeof(float) + kOfARow);
}

ScoredRows DeviceRounds::scored() const {
  return {
      rows_, static_cast<std::uint32_t>(classes_), scores_.data(), labels_.data(), nullptr, nullptr,
      0};
}

const float* DeviceRounds::structure() const {
  return structure_.size() > 0 ? structure_.data() : pulls_.data();
}

double DeviceRounds::fill(const NewtonFill& fill) {
  width_ = fill.sketch > 0 ? fill.sketch : classes_;
  if (fill.sketch > 0 || weighted_) structure_.resize(rows_ * width_);
  projection_.upload(fill.projection);
  // All that comes back is brought at once: the sums of the channels and of the weights, and the
  // largest log.
  totals_.resize(width_ + 2);
  auto* const largest = reinterpret_cast<std::int32_t*>(totals_.data() + width_ + 1);
  const std::int32_t least = ordered_bits(-std::numeric_limits<float>::infinity());
  device_->upload(largest, &least, sizeof least);
  FillPulls kernel{};
  kernel.rows = scored();
  kernel.formula = loss_.formula;
  kernel.log_scale = static_cast<float>(fill.log_scale);
  kernel.from_pulls = loss_.curvature_from_pulls;
  kernel.curvature_factor = scale_of(fill.log_scale);
  kernel.weights = weighted_ ? weights_.data() : nullptr;
  kernel.projection = projection_.data();
  kernel.stride = static_cast<std::uint32_t>(fill.projection.size() / classes_);
  kernel.sketch = static_cast<std::uint32_t>(fill.sketch);
  kernel.terms_shared = kRowsOfBlock * classes_ * sizeof(float) <=
                        std::min(kMostTermBytes, device_->most_shared_bytes() / 2);
  kernel.pulls = pulls_.data();
  kernel.curvature = curvature_.size() > 0 ? curvature_.data() : nullptr;
  kernel.structure = structure_.size() > 0 ? structure_.data() : nullptr;
  kernel.row_weights = row_weights_.data();
  kernel.largest = largest;
  device_->run(kernel, blocks_for(rows_, kRowsOfBlock));
  parts_.resize(blocks_for(rows_, kSumBlock) * (width_ + 1));
  sum_channels(structure(), width_, totals_.data());
  sum_channels(row_weights_.data(), 1, totals_.data() + width_);
  const std::vector<double> found = totals_.download();
  pull_sum_ = std::max(0.0, *std::max_element(found.begin(), found.end() - 2));
  weight_sum_ = std::max(0.0, found[width_]);
  std::int32_t bits = 0;
  std::memcpy(&bits, &found[width_ + 1], sizeof bits);
  return static_cast<double>(from_ordered_bits(bits));
}

// As RowStats takes them.
void DeviceRounds::sum_channels(const float* values, std::size_t width, double* totals) {
  const std::size_t blocks = blocks_for(rows_, kSumBlock);
  const auto channels = static_cast<std::uint32_t>(width);
  device_->run(SumAbsolute{values, rows_, channels, parts_.data()}, blocks);
  device_->run(AddBlocks{parts_.data(), blocks, channels, totals},
               blocks_for(width, AddBlocks::kThreads));
}

std::vector<ScaledSum> DeviceRounds::block_risks(const ScoredRows& rows, std::size_t block) {
  tops_.resize(rows_);
  term_sums_.resize(rows_);
  device_->run(SumRowTerms{rows, loss_.formula, tops_.data(), term_sums_.data()},
               blocks_for(rows_, kRowsOfBlock));
  ChunkRisks kernel{};
  kernel.formula = loss_.formula;
  kernel.tops = tops_.data();
  kernel.sums = term_sums_.data();
  kernel.weights = weighted_ ? weights_.data() : nullptr;
  kernel.rows = rows_;
  kernel.block = block;
  kernel.chunk = loss_chunk_rows(classes_);
  const std::size_t blocks = blocks_for(rows_, block);
  risks_.resize(blocks * kernel.chunks_of_block());
  kernel.risks = risks_.data();
  device_->run(kernel, blocks_for(risks_.size(), ChunkRisks::kThreads));
  const std::vector<DeviceRisk> chunks = risks_.download();
  std::vector<ScaledSum> sums(blocks);
  for (std::size_t i = 0; i < chunks.size(); ++i)
    sums[i / kernel.chunks_of_block()].add({chunks[i].sum, chunks[i].log_scale});
  return sums;
}

ScaledSum DeviceRounds::risk() {
  ScaledSum total;
  for (const ScaledSum& part : block_risks(scored(), RowSpace::kBlock)) total.add(part);
  return total;
}

ScaledSum DeviceRounds::risk_at(std::span<const float> values, double step, double log_scale) {
  std::vector<float> direction(values.size());
  std::transform(values.begin(), values.end(), direction.begin(), [](float f) { return f / 2; });
  values_.upload(direction);
  ScoredRows moved = scored();
  moved.leaf_of_row = leaf_of_row_.data();
  moved.direction = values_.data();
  moved.step = static_cast<float>(step);
  ScaledSum total{0, log_scale};
  for (const ScaledSum& part : block_risks(moved, kMovedBlock))
    total.value += part.value * std::exp(part.log_scale - log_scale);
  return total;
}

std::unique_ptr<DeviceSource> DeviceRounds::make_source() {
  return std::make_unique<DeviceSource>(*device_, bins_);
}

void DeviceRounds::quantise(RowStats& stats, DeviceSource& source) {
  stats.start_elsewhere(problem_.space, width_, pull_sum_, weight_sum_);
  stats_.resize(rows_ * stats.channels());
  device_->run(Quantise{structure(), row_weights_.data(), rows_, static_cast<std::uint32_t>(width_),
                        static_cast<std::uint32_t>(stats.channels()), stats.pull_scale(),
                        stats.weight_scale(), stats_.data()},
               blocks_for(stats_.size(), Quantise::kThreads));
  source.set_stats(stats_.data());
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

void DeviceRounds::refit(const GrownTree& tree, const LeafTarget& target, double l2,
                         DeviceSource& source, Leaves& leaves) {
  assert(target.width() == classes_);
  source.assign_leaves_there(tree, leaves.of_node, leaf_of_row_.data());
  std::optional<LargestNumbers> largest = known_largest(target);
  if (!largest) {
    const double pull = largest_size(pulls_.data(), pulls_.size());
    largest = {pull,
               curvature_.size() > 0 ? largest_size(curvature_.data(), curvature_.size()) : pull};
  }
  const ValueUnits units = units_for(*largest, largest_weight_, rows_);
  sums_.resize(leaves.count * 2 * classes_);
  sums_.clear();
  device_->run(
      SumLeaves{source.rows(), source.leaf_tasks().data(), pulls_.data(),
                curvature_.size() > 0 ? curvature_.data() : nullptr, target.curvature_factor(),
                weighted_ ? weights_.data() : nullptr, static_cast<std::uint32_t>(classes_),
                units.pull.start(), units.curvature.start(), sums_.data()},
      source.leaf_tasks().size());
  set_values(target, l2, units, sums_.download(), leaves);
  count_rows(tree, leaves);
}

void DeviceRounds::count_rows(const GrownTree& tree, const Leaves& leaves) {
  leaf_rows_.assign(leaves.count, 0);
  if (!tree.partition->complete()) {
    for (const std::uint32_t leaf : leaf_of_row_.download()) ++leaf_rows_[leaf];
    return;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf())
      leaf_rows_[static_cast<std::size_t>(leaves.of_node[i])] = tree.count(i);
}

void DeviceRounds::set_scores(std::span<const float> scores) {
  scores_.upload(scores);
  errors_known_ = false;
}

void DeviceRounds::fill_scores(std::span<const float> of_all_rows) {
  errors_known_ = false;
  scores_.resize(rows_ * classes_);
  values_.upload(of_all_rows);
  device_->run(
      FillScores{values_.data(), rows_, static_cast<std::uint32_t>(classes_), scores_.data()},
      blocks_for(rows_, FillScores::kRows));
}

void DeviceRounds::add(std::span<const float> values) {
  values_.upload(values);
  add_scores(leaf_of_row_.data());
}

void DeviceRounds::add_scores(const std::uint32_t* leaf_of_row) {
  count_.resize(1);
  count_.clear();
  device_->run(AddScores{leaf_of_row, values_.data(), labels_.data(), rows_,
                         static_cast<std::uint32_t>(classes_), scores_.data(), beaten_.data(),
                         count_.data()},
               blocks_for(rows_, kRowsOfBlock));
  errors_known_ = true;
}

double DeviceRounds::beaten_weight() {
  if (!errors_known_) add_scores(nullptr);
  if (!weighted_) return static_cast<double>(count_.download()[0]);
  const std::size_t blocks = blocks_for(rows_, kSumBlock);
  totals_.resize(blocks);
  device_->run(SumBeaten{beaten_.data(), double_weights_.data(), rows_, totals_.data()},
               blocks_for(blocks, SumBeaten::kThreads));
  const std::vector<double> parts = totals_.download();
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

std::vector<float> DeviceRounds::margins() {
  tops_.resize(rows_);
  device_->run(FindMargins{scores_.data(), labels_.data(), rows_,
                           static_cast<std::uint32_t>(classes_), tops_.data()},
               blocks_for(rows_, kRowsOfBlock));
  return tops_.download();
}

}  // namespace simplexboost
