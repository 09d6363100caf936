// The votes of a forest's trees for rows that a tree did not see, and how well they do while the
// forest grows: out-of-bag rows of the training data, or all rows of validation data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_stream.h"
#include "data/binned_dataset.h"
#include "model/link.h"
#include "simplexboost/model.h"
#include "tree/class_tree.h"

namespace simplexboost {

class VoteBoard {
 public:
  struct Figures {
    double error = 0;  // of the rows with a vote; several labels a row: their Hamming loss
    double log_loss = 0;
  };

  // All must outlive it. `weights`: empty for all 1. `shift`: that of Link::kShares.
  VoteBoard(const BinnedDataset& data, const Labels& labels, const std::vector<double>& weights,
            double shift, int threads);

  // Trees in their order; unseen[t] has a 1 for each row that votes of tree t count for (empty: all
  // of them). Returns the figures after each.
  std::vector<Figures> add(std::span<const ClassTree> trees,
                           std::span<const std::vector<std::uint8_t>> unseen);

  // For a checkpoint; load() throws ModelError where the bytes are of other rows.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // Rows x classes; rows without a vote, marked by 0 in seen(), have none.
  Matrix probabilities() const;
  std::vector<std::uint8_t> seen() const;

 private:
  struct Sums {
    double weight = 0;
    double error = 0;
    double log_loss = 0;
  };
  void vote(const ClassTree& tree, std::size_t row);
  // What the votes of a row are worth now.
  Sums judge(std::size_t row, std::vector<float>& room) const;
  void fill(std::size_t row, float* probabilities) const;

  const BinnedDataset& data_;
  const Labels& labels_;
  const std::vector<double>& weights_;
  std::size_t classes_;
  double shift_;
  int threads_;
  std::vector<float> votes_;           // rows x classes
  std::vector<std::uint32_t> counts_;  // trees that voted for each row
  std::vector<Sums> rows_;             // of each row, as it stands
  std::vector<Sums> blocks_;           // sums over blocks of these
};

}  // namespace simplexboost
