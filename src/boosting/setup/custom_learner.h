// A user's weak learner in the place of one of ours: checks what it returns, and computes its
// values with the model's own predictor. Where rows are parted among ranks the learner is on the
// first, which sees those of all, and the others are told what it says.
#pragma once

#include <memory>

#include "base/row_space.h"
#include "boosting/setup/all_rows.h"
#include "learner/learner_table.h"
#include "learner/weak_learner.h"
#include "model/ensemble.h"
#include "simplexboost/model.h"

namespace simplexboost {

class CustomLearnerAdapter : public WeakLearner {
 public:
  // `context`: the rows of `space` that are here. Throws ParameterError if `make` gives nothing.
  CustomLearnerAdapter(const MakeLearner& make, const LearnerContext& context, LearnerFamily family,
                       const RowSpace& space);

  // Throws ModelError where the hypothesis is unsound or not of the family.
  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  FitTarget with_curvature(const RoundTarget& target);
  void take_forest(Forest forest, std::size_t outputs);
  void tell_others();
  void check_values() const;

  const Dataset& data_;
  LearnerFamily family_;
  RowSpace space_;
  AllRows all_;
  std::unique_ptr<CustomLearner> learner_;  // where all rows are
  std::vector<float> curvature_;
  Ensemble hypothesis_;
  std::size_t output_ = 0;  // of the last target
  Matrix values_;
  Matrix values_elsewhere_;
};

}  // namespace simplexboost
