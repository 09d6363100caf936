#include "cuda/device_scores.h"

#include <algorithm>
#include <numeric>

#include "base/row_space.h"
#include "cuda/kernels/codeword_kernels.h"
#include "cuda/kernels/score_kernels.h"
#include "loss/builtin_loss.h"

namespace simplexboost {

static_assert(kSumBlock == RowSpace::kBlock);

namespace {

// Parts of rows whose risks come back: of blocks as scores and steps ask for them.
std::size_t most_chunks(std::size_t rows, std::size_t classes) {
  const auto chunks = [&](std::size_t block) {
    return blocks_for(rows, block) * blocks_for(block, loss_chunk_rows(classes));
  };
  return std::max(chunks(RowSpace::kBlock), chunks(DeviceScores::kMovedBlock));
}

}  // namespace

DeviceScores::DeviceScores(Device& device, const Labels& labels, const RowWeights& weights,
                           const RowSpace& space, const Codebook* codebook, std::size_t classes,
                           std::size_t most_leaves)
    : device_(device),
      space_(space),
      rows_(space.rows()),
      classes_(classes),
      outputs_(codebook ? codebook->dimension() : classes),
      mapped_(codebook && codebook->kind() != CodebookKind::kCanonical),
      labels_(device, "labels"),
      weights_(device, "weights"),
      double_weights_(device, "weights"),
      scores_(device, "a matrix of scores"),
      class_scores_(device, "a matrix of class scores"),
      leaf_of_row_(device, "the leaves of rows"),
      values_(device, "the values of leaves"),
      tops_(device, "sums of rows"),
      term_sums_(device, "sums of rows"),
      risks_(device, "sums of rows"),
      totals_(device, "sums"),
      beaten_(device, "errors"),
      count_(device, "a number") {
  if (codebook) codebook_.emplace(device, *codebook);
  labels_.upload({labels.codes.data(), rows_});
  std::vector<float> single(rows_);
  std::vector<double> given(rows_);
  float largest = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    given[i] = weights[i];
    single[i] = static_cast<float>(weights[i]);
    largest = std::max(largest, single[i]);
    all_known_ = all_known_ && labels.codes[i] >= 0;
  }
  weighted_ = weigh(weights, space_);
  all_known_ = space_.every(all_known_);
  if (weighted_) {
    weights_.upload(single);
    double_weights_.upload(given);
    largest_weight_ = static_cast<double>(largest);
  }
  scores_.resize(rows_ * outputs_);
  if (mapped_) class_scores_.resize(rows_ * classes_);
  leaf_of_row_.resize(rows_);
  beaten_.resize(rows_);
  count_.resize(1);
  values_.resize(most_leaves * outputs_);
  tops_.resize(rows_);
  term_sums_.resize(rows_);
  totals_.resize(rows_);
  risks_.resize(most_chunks(rows_, classes_));
}

std::size_t DeviceScores::memory(std::size_t rows, const Codebook* codebook, std::size_t classes,
                                 std::size_t most_leaves) {
  constexpr std::size_t kOfARow = 37;  // label, leaf, weights, sums, and whether it is beaten
  const std::size_t outputs = codebook ? codebook->dimension() : classes;
  const std::size_t mapped = codebook && codebook->kind() != CodebookKind::kCanonical ? classes : 0;
  return rows * ((outputs + mapped) * sizeof(float) + kOfARow) +
         most_chunks(rows, classes) * sizeof(DeviceRisk) + most_leaves * outputs * sizeof(float) +
         sizeof(std::int64_t) + (codebook ? DeviceCodebook::memory(*codebook) : 0);
}

bool DeviceScores::weigh(const RowWeights& weights, const RowSpace& space) {
  bool found = false;
  for (std::size_t i = 0; i < space.rows() && !found; ++i) found = weights[i] != 1;
  return space.any(found);
}

void DeviceScores::set(std::span<const float> scores) {
  scores_.upload(scores);
  map_scores();
}

void DeviceScores::fill(std::span<const float> of_all_rows) {
  values_.upload(of_all_rows);
  device_.run(
      FillScores{values_.data(), rows_, static_cast<std::uint32_t>(outputs_), scores_.data()},
      blocks_for(rows_, FillScores::kRows));
  map_scores();
}

void DeviceScores::map_scores() {
  errors_known_ = false;
  if (!mapped_) return;
  DeviceProfile::all().add_bytes(MapScores::kName, sizeof(float) * rows_ * (outputs_ + classes_));
  device_.run(MapScores{codebook_->tables(), rows_, scores_.data(), class_scores_.data()},
              blocks_for(rows_, MapScores::kThreads));
}

void DeviceScores::add(std::span<const float> values) {
  values_.upload(values);
  if (!mapped_) return add_scores(leaf_of_row_.data());
  DeviceProfile::all().add_bytes(MoveScores::kName, sizeof(float) * (2 * rows_ * outputs_ + rows_));
  device_.run(MoveScores{leaf_of_row_.data(), values_.data(), rows_,
                         static_cast<std::uint32_t>(outputs_), scores_.data()},
              blocks_for(rows_ * outputs_, MoveScores::kThreads));
  map_scores();
}

void DeviceScores::add_scores(const std::uint32_t* leaf_of_row) {
  count_.clear();
  DeviceProfile::all().add_bytes(AddScores::kName,
                                 sizeof(float) * (2 * rows_ * classes_ + 2 * rows_));
  device_.run(
      AddScores{leaf_of_row, values_.data(), labels_.data(), rows_,
                static_cast<std::uint32_t>(classes_),
                mapped_ ? class_scores_.data() : scores_.data(), beaten_.data(), count_.data()},
      blocks_for(rows_, kRowsOfBlock));
  errors_known_ = true;
}

double DeviceScores::beaten_weight() {
  if (!errors_known_) add_scores(nullptr);
  if (!weighted_) return static_cast<double>(space_.add_up(count_.download()[0]));
  const std::size_t blocks = blocks_for(rows_, kSumBlock);
  totals_.resize(blocks);
  device_.run(SumBeaten{beaten_.data(), double_weights_.data(), rows_, totals_.data()},
              blocks_for(blocks, SumBeaten::kThreads));
  const std::vector<double> parts = gather_values<double>(space_.ranks(), totals_.download());
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

std::vector<float> DeviceScores::margins() {
  tops_.resize(rows_);
  device_.run(FindMargins{by_class(), labels_.data(), rows_, static_cast<std::uint32_t>(classes_),
                          tops_.data()},
              blocks_for(rows_, kRowsOfBlock));
  return tops_.download();
}

std::vector<double> DeviceScores::true_probabilities(double scale) {
  totals_.resize(rows_);
  device_.run(
      TrueProbabilities{by_class(), labels_.data(), rows_, static_cast<std::uint32_t>(classes_),
                        static_cast<float>(scale), totals_.data()},
      blocks_for(rows_, kRowsOfBlock));
  return totals_.download();
}

MovedRows DeviceScores::scored() const {
  return {rows_,          static_cast<std::uint32_t>(classes_),
          by_class(),     mapped_ ? 1.0F : 0.5F,
          labels_.data(), nullptr,
          nullptr,        0};
}

MovedRows DeviceScores::moved(const float* direction, double step) const {
  MovedRows rows = scored();
  rows.leaf_of_row = leaf_of_row_.data();
  rows.direction = direction;
  rows.step = static_cast<float>(step);
  return rows;
}

std::vector<ScaledSum> DeviceScores::block_risks(const MovedRows& rows, int formula,
                                                 std::size_t block) {
  tops_.resize(rows_);
  term_sums_.resize(rows_);
  DeviceProfile::all().add_bytes(SumRowTerms::kName, sizeof(float) * rows_ * (classes_ + 3));
  device_.run(SumRowTerms{rows, formula, tops_.data(), term_sums_.data()},
              blocks_for(rows_, kRowsOfBlock));
  ChunkRisks kernel{};
  kernel.formula = formula;
  kernel.tops = tops_.data();
  kernel.sums = term_sums_.data();
  kernel.weights = weights();
  kernel.rows = rows_;
  kernel.block = block;
  kernel.chunk = loss_chunk_rows(classes_);
  const std::size_t blocks = blocks_for(rows_, block);
  risks_.resize(blocks * kernel.chunks_of_block());
  kernel.risks = risks_.data();
  device_.run(kernel, blocks_for(risks_.size(), ChunkRisks::kThreads));
  const std::vector<DeviceRisk> chunks = risks_.download();
  std::vector<ScaledSum> sums(blocks);
  for (std::size_t i = 0; i < chunks.size(); ++i)
    sums[i / kernel.chunks_of_block()].add({chunks[i].sum, chunks[i].log_scale});
  return gather_values<ScaledSum>(space_.ranks(), sums);
}

ScaledSum DeviceScores::risk(int formula) {
  ScaledSum total;
  for (const ScaledSum& part : block_risks(scored(), formula, RowSpace::kBlock)) total.add(part);
  return total;
}

}  // namespace simplexboost
