// Second-order boosting of vector trees on a gamma-phi loss: the default algorithm. One tree serves
// all classes; its structure may come from a narrow random sketch of the pulls, its leaf values
// always come from all of them.
#pragma once

#include <memory>
#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/margin_risk.h"

namespace simplexboost {

class NewtonBoosting : public Optimizer {
 public:
  // `sketch`: channels that shape a tree, 0 for all of the outputs.
  NewtonBoosting(const Problem& problem, Codebook codebook, std::shared_ptr<const Loss> loss,
                 std::size_t sketch, std::uint64_t seed);

  // Structure: pulls (or a fresh Gaussian projection of them) and the sum of the curvatures as the
  // weight. Values: all pulls, diagonal curvature.
  FitTarget target(const float* scores) override;
  // 1, halved until the risk does not rise where the loss is not the logistic one.
  Step step(const RowVectors& hypothesis) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  void project();

  const Problem& problem_;
  Codebook codebook_;
  std::shared_ptr<const Loss> loss_;
  MarginRisk risk_;
  std::size_t sketch_;
  std::uint64_t seed_;
  std::uint64_t round_ = 0;
  AlignedVector<float> class_pulls_;
  AlignedVector<float> class_curvature_;
  AlignedVector<float> pulls_;      // rows x d, where d is not the number of classes
  AlignedVector<float> curvature_;  // likewise
  AlignedVector<float> sketched_;
  std::vector<float> weights_;
  double length_ = 1;
};

}  // namespace simplexboost
