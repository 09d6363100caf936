#include "boosting/bagging/vote_board.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "metric/log_loss.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 512;

std::size_t blocks_of(std::size_t rows) { return (rows + kRowBlock - 1) / kRowBlock; }

double log_of(double probability) {
  LogLoss loss;
  loss.add(probability);
  return loss.value();
}

}  // namespace

VoteBoard::VoteBoard(const BinnedDataset& data, const Labels& labels,
                     const std::vector<double>& weights, double shift, const RowSpace& space)
    : data_(data),
      labels_(labels),
      weights_(weights),
      classes_(labels.classes.size()),
      shift_(shift),
      space_(space),
      votes_(data.rows() * classes_),
      counts_(data.rows()),
      best_(data.rows()),
      rows_(data.rows()),
      blocks_(blocks_of(data.rows())) {
  assert(data.rows() == space.rows());
}

// Votes only grow, so the class of the most can only change to the one that was raised.
inline void VoteBoard::raise(std::size_t row, std::size_t k, float share) {
  float* const votes = votes_.data() + row * classes_;
  votes[k] += share;
  const std::size_t best = best_[row];
  if (votes[k] > votes[best] || (votes[k] == votes[best] && k < best))
    best_[row] = static_cast<std::uint32_t>(k);
}

void VoteBoard::fill(std::size_t row, float* p) const {
  const float* votes = votes_.data() + row * classes_;
  const auto count = static_cast<float>(std::max(counts_[row], 1U));
  const auto shift = static_cast<float>(shift_);
  const float whole = 1 + shift * static_cast<float>(classes_);
  for (std::size_t k = 0; k < classes_; ++k)
    p[k] = labels_.multi_label() ? votes[k] / count : (votes[k] / count + shift) / whole;
}

VoteBoard::Sums VoteBoard::judge(std::size_t row, std::vector<float>& room) const {
  const double weight = weights_.empty() ? 1 : weights_[row];
  const float* votes = votes_.data() + row * classes_;
  if (!labels_.multi_label()) {
    const std::int32_t truth = labels_.codes[row];
    if (truth < 0) return {weight, weight, weight * log_of(0)};
    const double share = static_cast<double>(votes[truth]) / counts_[row];
    const double p = (share + shift_) / (1 + shift_ * static_cast<double>(classes_));
    return {weight, best_[row] == static_cast<std::uint32_t>(truth) ? 0 : weight,
            weight * log_of(p)};
  }
  room.resize(classes_);
  fill(row, room.data());
  const float* const known = labels_.row_weights(row);
  Sums sums;
  std::size_t next = labels_.offsets[row];
  for (std::size_t k = 0; k < classes_; ++k) {
    const bool is =
        next < labels_.offsets[row + 1] && static_cast<std::size_t>(labels_.codes[next]) == k;
    next += is ? 1 : 0;
    const double part =
        weight * (known ? static_cast<double>(known[k]) : 1) / static_cast<double>(classes_);
    const auto p = static_cast<double>(room[k]);
    sums.weight += part;
    sums.error += (p > 0.5) == is ? 0 : part;
    sums.log_loss += part * log_of(is ? p : 1 - p);
  }
  return sums;
}

// Block by block: sums do not depend on the number of threads, nor on how the rows are parted.
template <class Vote>
VoteBoard::Figures VoteBoard::count(std::span<const std::uint32_t> leaves, const Vote& vote) {
  const auto count_block = [&](std::size_t begin, std::size_t end) {
    std::vector<float> room;
    Sums& block = blocks_[begin / kRowBlock];
    for (std::size_t i = begin; i < end; ++i) {
      if (!leaves.empty() && leaves[i] == kNoLeaf) continue;
      vote(i);
      ++counts_[i];
      const Sums now = judge(i, room);
      block.weight += now.weight - rows_[i].weight;
      block.error += now.error - rows_[i].error;
      block.log_loss += now.log_loss - rows_[i].log_loss;
      rows_[i] = now;
    }
    return block;
  };
  Sums sum;
  for (const Sums& one : space_.block_values<Sums>(kRowBlock, count_block)) {
    sum.weight += one.weight;
    sum.error += one.error;
    sum.log_loss += one.log_loss;
  }
  // Differences leave a little of the rows that were right.
  return {std::max(sum.error, 0.0) / sum.weight, sum.log_loss / sum.weight};
}

VoteBoard::Figures VoteBoard::add(const ClassTree& tree, std::span<const std::uint32_t> leaves) {
  return count(leaves, [&](std::size_t i) {
    const std::size_t leaf = leaves.empty() ? leaf_of(tree, data_, i) : leaves[i];
    const std::size_t begin = leaf == 0 ? 0 : tree.leaves.ends[leaf - 1];
    for (std::size_t e = begin; e < tree.leaves.ends[leaf]; ++e)
      raise(i, tree.leaves.outputs[e], tree.leaves.values[e]);
  });
}

VoteBoard::Figures VoteBoard::add(const Matrix& says, std::span<const std::uint32_t> leaves) {
  return count(leaves, [&](std::size_t i) {
    for (std::size_t k = 0; k < classes_; ++k)
      raise(i, k, labels_.multi_label() ? (says.row(i)[k] + 1) / 2 : says.row(i)[k]);
  });
}

void VoteBoard::save(ByteWriter& out) const {
  const auto put = [&]<class T>(const std::vector<T>& values) {
    if (space_.parted())
      out(gather_values<T>(space_.ranks(), values));
    else
      out(values);
  };
  put(votes_);
  put(counts_);
  put(rows_);
  put(blocks_);
}

void VoteBoard::load(ByteReader& in) {
  // Those from the `first` on of `all`.
  const auto take = [&]<class T>(std::vector<T>& values, std::size_t first, std::size_t all) {
    std::vector<T> there;
    in(there);
    if (there.size() != all) throw ModelError("the votes in the checkpoint are of other rows");
    if (space_.rows() > 0)
      std::copy_n(there.begin() + static_cast<std::ptrdiff_t>(first), values.size(),
                  values.begin());
  };
  take(votes_, space_.first() * classes_, space_.all() * classes_);
  take(counts_, space_.first(), space_.all());
  take(rows_, space_.first(), space_.all());
  take(blocks_, space_.first() / kRowBlock, blocks_of(space_.all()));
  const auto is_sound = [](double value) { return value >= 0 && std::isfinite(value); };
  const auto are_sound = [&](const Sums& sums) {
    return std::isfinite(sums.weight) && std::isfinite(sums.error) && std::isfinite(sums.log_loss);
  };
  if (!std::all_of(votes_.begin(), votes_.end(), is_sound) ||
      !std::all_of(rows_.begin(), rows_.end(), are_sound) ||
      !std::all_of(blocks_.begin(), blocks_.end(), are_sound))
    throw ModelError("the votes in the checkpoint are no numbers of votes");
  for (std::size_t i = 0; i < best_.size(); ++i) {
    const float* const votes = votes_.data() + i * classes_;
    best_[i] = static_cast<std::uint32_t>(std::max_element(votes, votes + classes_) - votes);
  }
}

Matrix VoteBoard::probabilities() const {
  Matrix result{data_.rows(), classes_, std::vector<float>(votes_.size())};
  for (std::size_t i = 0; i < data_.rows(); ++i) fill(i, result.row(i));
  return result;
}

std::vector<std::uint8_t> VoteBoard::seen() const {
  std::vector<std::uint8_t> result(counts_.size());
  std::transform(counts_.begin(), counts_.end(), result.begin(),
                 [](std::uint32_t count) { return static_cast<std::uint8_t>(count > 0); });
  return result;
}

}  // namespace simplexboost
