// GD-MCBoost: functional gradient descent on the risk of a gamma-phi loss (jmlr2019, Algorithm 1
// right), with an exact line search.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/search/margin_risk.h"

namespace simplexboost {

// What the weak learner wants to be told: the pull of each class, or the pull on each output.
enum class PullSpace : std::uint8_t { kClasses, kOutputs };

class GradientBoosting : public Optimizer {
 public:
  // `rows`: who has them, if not this process; must outlive it.
  GradientBoosting(const Problem& problem, Codebook codebook, std::shared_ptr<const Loss> loss,
                   PullSpace space, GradientRows* rows = nullptr);

  RoundTarget target(const float* scores) override;
  Step step(const RowVectors& hypothesis) override;
  void resume(const Past& past) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  // Fills what shapes the tree; returns its log scale.
  double fill_pulls(const float* scores);
  // The sums of the weighed pulls of the classes that h names, where it is right and where wrong.
  std::array<double, 2> named_pulls() const;
  double closed_form_step() const;
  double least_wrong() const;

  Problem const& problem_;
  Codebook codebook_;
  std::shared_ptr<const Loss> loss_;
  GradientRows* rows_;
  MarginRisk risk_;
  PullSpace space_;
  bool closed_form_;
  UntouchedVector<float> class_pulls_;
  UntouchedVector<float> pulls_;
  double log_scale_ = 0;
  double log_risk_ = 0;
  double edge_ = 0;
  double length_ = 1;
};

}  // namespace simplexboost
