// The votes of a forest's trees for rows that a tree did not see, and how well they do while the
// forest grows: out-of-bag rows of the training data, or all rows of validation data. Each rank has
// the votes of its own rows; the figures are of those of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_stream.h"
#include "base/row_space.h"
#include "data/binned_dataset.h"
#include "model/predict/link.h"
#include "simplexboost/model.h"
#include "tree/classes/class_tree.h"

namespace simplexboost {

class VoteBoard {
 public:
  struct Figures {
    double error = 0;  // of the rows with a vote; several labels a row: their Hamming loss
    double log_loss = 0;
  };

  // All but the space must outlive it. `weights`: empty for all 1. `shift`: that of Link::kShares.
  VoteBoard(const BinnedDataset& data, const Labels& labels, const std::vector<double>& weights,
            double shift, const RowSpace& space);

  // The votes of a tree for the rows that have not kNoLeaf among their leaves (empty: for all, by
  // walking it). Returns the figures after it.
  Figures add(const ClassTree& tree, std::span<const std::uint32_t> leaves);
  // The same of one tree that was packed: what it says of each row, rows x classes, as
  // Link::kShares takes it.
  Figures add(const Matrix& says, std::span<const std::uint32_t> leaves);

  // For a checkpoint, which has the votes of all ranks' rows, however these are parted; load()
  // throws ModelError where the bytes are of other rows.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // Rows x classes, of the rows that are here; those without a vote, marked by 0 in seen(), have
  // none.
  Matrix probabilities() const;
  std::vector<std::uint8_t> seen() const;

 private:
  struct Sums {
    double weight = 0;
    double error = 0;
    double log_loss = 0;
  };
  // vote(row) for all rows that count; the figures after it.
  template <class Vote>
  Figures count(std::span<const std::uint32_t> leaves, const Vote& vote);
  void raise(std::size_t row, std::size_t k, float share);
  // What the votes of a row are worth now.
  Sums judge(std::size_t row, std::vector<float>& room) const;
  void fill(std::size_t row, float* probabilities) const;

  const BinnedDataset& data_;
  const Labels& labels_;
  const std::vector<double>& weights_;
  std::size_t classes_;
  double shift_;
  RowSpace space_;
  std::vector<float> votes_;           // rows x classes
  std::vector<std::uint32_t> counts_;  // trees that voted for each row
  std::vector<std::uint32_t> best_;    // class of the most votes, the first of equals
  std::vector<Sums> rows_;             // of each row, as it stands
  std::vector<Sums> blocks_;           // sums over blocks of these
};

}  // namespace simplexboost
