#include "optimizer/coordinate_boosting.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {

CoordinateBoosting::CoordinateBoosting(const Problem& problem, Codebook codebook,
                                       std::shared_ptr<const Loss> loss, CoordinateOrder order)
    : problem_(problem),
      codebook_(std::move(codebook)),
      loss_(std::move(loss)),
      risk_(problem, codebook_, *loss_),
      order_(order),
      class_pulls_(problem.rows * problem.classes),
      pulls_(problem.rows * codebook_.dimension()),
      column_(problem.rows),
      guess_(codebook_.dimension(), 1.0) {
  if (order == CoordinateOrder::kGreedy && !loss_->knows_risk())
    throw ParameterError(
        fmt::format("cd-mcboost compares risks, and the objective '{}' has no losses(); write "
                    "them, or use cd-mcboost-cyclic",
                    loss_->name()));
}

FitTarget CoordinateBoosting::target(const float* scores) {
  risk_.set_scores(scores);
  log_scale_ = risk_.class_pulls(class_pulls_.data(), nullptr);
  log_risk_ = risk_.risk().log();
  risk_.pull_back(class_pulls_.data(), pulls_.data());
  return target_at(0);
}

std::size_t CoordinateBoosting::targets() const {
  return order_ == CoordinateOrder::kGreedy ? codebook_.dimension() : 1;
}

std::size_t CoordinateBoosting::coordinate(std::size_t index) const {
  return order_ == CoordinateOrder::kGreedy ? index : round_ % codebook_.dimension();
}

FitTarget CoordinateBoosting::target_at(std::size_t index) {
  const std::size_t d = codebook_.dimension();
  const std::size_t j = coordinate(index);
  for (std::size_t i = 0; i < problem_.rows; ++i) column_[i] = pulls_[i * d + j];
  FitTarget target{problem_.rows, 1, column_.data(), risk_.row_weights().data(), nullptr};
  target.output = j;
  return target;
}

Step CoordinateBoosting::step(const RowVectors& hypothesis) {
  taken_ = hypothesis.output;
  risk_.set_direction(hypothesis);
  const ExactStep found = risk_.exact_step(guess_[taken_], log_scale_);
  edge_ = found.edge;
  if (!(found.length > 0))
    return {0, "no weak hypothesis has a positive edge on the pulls (jmlr2019 (72))"};
  length_ = found.length;
  Step step{length_, {}};
  if (targets() > 1) step.log_risk = risk_.risk_at(length_, log_scale_).log();
  return step;
}

void CoordinateBoosting::advance(const RowVectors& /*hypothesis*/, double /*length*/) {
  guess_[taken_] = length_;
  ++round_;
}

std::vector<RoundMetric> CoordinateBoosting::metrics() const {
  std::vector<RoundMetric> metrics;
  if (loss_->knows_risk()) metrics.push_back({"log_risk", log_risk_});
  metrics.push_back({"edge", edge_ * std::exp(log_scale_)});
  metrics.push_back({"step", length_});
  metrics.push_back({"coordinate", static_cast<double>(taken_)});
  return metrics;
}

}  // namespace simplexboost
