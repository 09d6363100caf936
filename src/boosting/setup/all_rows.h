// What a user's learner sees where rows are parted among ranks: the rows of all of them, on the
// first, which has them from the beginning and gets what they are to be fitted to in every round.
// Of one process they are its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/first_rank.h"
#include "base/row_space.h"
#include "simplexboost/dataset.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

class AllRows {
 public:
  // `share`: the rows of `space` that are here; it must outlive this. All ranks call it together.
  AllRows(const Dataset& share, const RowSpace& space);

  bool here() const { return space_.ranks().rank() == 0; }
  const Dataset& data() const { return space_.parted() ? brought_ : share_; }

  // Calls use(target, sample) of all rows where they are. All ranks call it together.
  template <class Use>
  void look(const FitTarget& target, const Sample& sample, const Use& use) {
    if (!space_.parted()) return use(target, sample);
    bring(target, sample);
    if (here()) use(target_, sample_);
  }

 private:
  void bring(const FitTarget& target, const Sample& sample);
  // Puts the numbers of all ranks in the place of those that are here.
  const float* bring(const float* numbers, std::size_t size, std::vector<float>& all);

  const Dataset& share_;
  RowSpace space_;
  Dataset brought_;
  FitTarget target_;
  Sample sample_;
  std::vector<float> pulls_;
  std::vector<float> weights_;
  std::vector<float> curvature_;
  std::vector<std::uint32_t> drawn_;
};

}  // namespace simplexboost
