// A user's weak learner in the place of one of ours: checks what it returns, and computes its
// values with the model's own predictor.
#pragma once

#include <memory>

#include "learner/learner_table.h"
#include "learner/weak_learner.h"
#include "model/ensemble.h"
#include "simplexboost/model.h"

namespace simplexboost {

class CustomLearnerAdapter : public WeakLearner {
 public:
  // Throws ParameterError if `make` gives nothing.
  CustomLearnerAdapter(const MakeLearner& make, const LearnerContext& context, LearnerFamily family,
                       int threads);

  // Throws ModelError where the hypothesis is unsound or not of the family.
  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  FitTarget with_curvature(const RoundTarget& target);

  void check_values() const;

  const Dataset& data_;
  LearnerFamily family_;
  int threads_;
  std::unique_ptr<CustomLearner> learner_;
  std::vector<float> curvature_;
  Ensemble hypothesis_;
  std::size_t output_ = 0;  // of the last target
  Matrix values_;
  Matrix values_elsewhere_;
};

}  // namespace simplexboost
