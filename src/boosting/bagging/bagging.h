// A forest: trees that know nothing of each other, each grown on rows drawn for it, so that all of
// them are grown at the same time, by several ranks, too, each of which has all rows; what a tree
// did not see tells how well the forest does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "boosting/bagging/forest_rows.h"
#include "boosting/bagging/vote_board.h"
#include "boosting/trainer.h"
#include "data/binned_dataset.h"
#include "tree/classes/class_tree.h"

namespace simplexboost {

class Bagging : public Trainer {
 public:
  // `data`, checked by check_training_data, and what `options` points to must outlive it.
  Bagging(const Dataset& data, Composition chosen, const TrainOptions& options,
          const std::vector<FeatureBins>* bins = nullptr);

  bool boost(std::size_t until) override;
  std::size_t rounds() const override { return ensemble_.forest.rounds(); }
  const TrainingLog& log() const override { return ensemble_.log; }
  const RoundWatch* watch() const override { return watch_ ? &*watch_ : nullptr; }
  bool save(ByteWriter& out) const override;
  void load(ByteReader& in) override;
  std::size_t stride() const override;
  std::optional<Matrix> out_of_bag() const override;
  Model finish() override;

 private:
  void check(const TrainOptions& options) const;
  void resume(const Model& model);
  // A board without votes.
  void empty_bag();
  // A tree, and its leaves for the rows that are here where it did not see them, else kNoLeaf.
  struct Grown {
    ClassTree tree;
    std::vector<std::uint32_t> unseen;
  };
  Grown grow(std::size_t number) const;
  // The trees [begin, end), each grown by some rank.
  std::vector<Grown> grow_all(std::size_t begin, std::size_t end) const;
  // What grow() leaves out where the rank that grows has not only these rows.
  void find_unseen(std::size_t number, Grown& grown) const;
  // Why training ends with the trees [begin, end), or nothing.
  std::string grow_some(std::size_t begin, std::size_t end);
  std::string take(const ClassTree& tree, const std::optional<VoteBoard::Figures>& bag,
                   const std::optional<VoteBoard::Figures>& valid);
  std::string watched_column() const;
  void calibrate();
  void keep_margins(Matrix probabilities, const std::vector<std::uint8_t>& seen);

  const Dataset& data_;
  Progress silent_;
  Progress& progress_;
  const Composition chosen_;
  BinnedDataset binned_;
  ForestRows rows_;
  TreeDeal deal_;
  std::optional<BinnedDataset> valid_bins_;
  std::optional<VoteBoard> bag_;
  std::optional<VoteBoard> valid_;
  std::optional<RoundWatch> watch_;
  ClassTreeOptions tree_options_;
  std::size_t round_ = 0;  // that comes next
  bool started_ = false;
  bool interrupted_ = false;  // the rounds were, by the progress
  bool broken_off_ = false;   // amid some trees, of which another rank may know less
  Ensemble ensemble_;
};

}  // namespace simplexboost
