// Boosting of classifiers by weights on examples: AdaBoost.M1 and SAMME (AdaBoost.M1W). They
// differ in one term of the step and in when they stop.
#pragma once

#include <vector>

#include "optimizer/target/pulls.h"

namespace simplexboost {

// e is the weighted error of h. M1: alpha = ln((1-e)/e), stops at e >= 1/2. SAMME adds ln(K-1) and
// stops at e >= 1 - 1/K (Zhu et al. 2009).
enum class VoteStep : std::uint8_t { kM1, kSamme };

class VoteBoosting : public Optimizer {
 public:
  // `rows`: who has the scores and pulls of the rows, if not this process; must outlive it.
  VoteBoosting(const Problem& problem, VoteStep kind, VoteRows* rows = nullptr);

  RoundTarget target(const float* scores) override;
  // The hypothesis is 1 at the class that it votes for and 0 elsewhere.
  Step step(const RowVectors& votes) override;
  void advance(const RowVectors& votes, double length) override;
  void resume(const Past& past) override;
  bool ends_without_error() const override { return true; }
  std::vector<RoundMetric> metrics() const override;

  // Normalised to sum 1; for tests.
  const std::vector<double>& weights() const { return weights_.weights(); }

 private:
  bool right(const RowVectors& hypothesis, std::size_t row) const;
  // The hypothesis with the leaves of its rows, where these are brought here.
  RowVectors with_leaves(RowVectors hypothesis) const;

  const Problem& problem_;
  VoteStep kind_;
  VoteRows* rows_;
  std::vector<std::uint32_t> leaves_;  // of the last hypothesis, where others have its rows
  LogWeights weights_;                 // D
  OwnClassPulls pulls_;
  bool first_ = true;  // no round was done
  double error_ = 0;
  double length_ = 0;
};

}  // namespace simplexboost
