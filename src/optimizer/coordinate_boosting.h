// CD-MCBoost: functional coordinate descent on the risk of a gamma-phi loss. Each round moves one
// component of the predictor along a scalar weak hypothesis, with an exact line search.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "optimizer/search/margin_risk.h"
#include "optimizer/search/simplex_steps.h"

namespace simplexboost {

enum class CoordinateOrder : std::uint8_t {
  kGreedy,  // the one whose risk falls most (jmlr2019, Algorithm 1 left)
  kCyclic,  // one after the other (nips2011)
};

class CoordinateBoosting : public Optimizer, public SeveralTargets, public TargetGroups {
 public:
  CoordinateBoosting(const Problem& problem, Codebook codebook, std::shared_ptr<const Loss> loss,
                     CoordinateOrder order);

  RoundTarget target(const float* scores) override;
  std::size_t targets() const override;
  RoundTarget target_at(std::size_t index) override;
  SeveralTargets* several() override { return this; }
  TargetGroups* groups() override { return this; }
  std::size_t group() const override { return 1; }
  RoundTarget joint_target() override;
  std::size_t best_target(const std::vector<std::int8_t>& votes) override;
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  void resume(const Past& past) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  std::size_t coordinate(std::size_t index) const;
  // Whether the risk along the direction cannot fall below the lowest of the round so far.
  bool cannot_win();

  const Problem& problem_;
  Codebook codebook_;
  std::shared_ptr<const Loss> loss_;
  MarginRisk risk_;
  CoordinateOrder order_;
  std::size_t round_ = 0;   // and turns that were passed
  std::size_t passed_ = 0;  // turns since the last step
  UntouchedVector<float> class_pulls_;
  std::vector<float> pulls_;   // rows x d
  std::vector<float> column_;  // of one coordinate
  std::vector<double> guess_;  // the last step along each coordinate
  // Greedy choice: where cannot_win() looks, a little beyond the best step, and the lowest risk
  // that the round's trials have found.
  std::vector<double> probe_;
  double lowest_ = 0;
  std::size_t trials_ = 0;
  bool convex_ = false;
  std::optional<SimplexSteps> simplex_steps_;
  double log_scale_ = 0;
  double log_risk_ = 0;
  double edge_ = 0;
  double length_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace simplexboost
