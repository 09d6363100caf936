#include "optimizer/coordinate_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr double kBeyond = 1.05;  // of the best step, as far as it is known

}  // namespace

CoordinateBoosting::CoordinateBoosting(const Problem& problem, Codebook codebook,
                                       std::shared_ptr<const Loss> loss, CoordinateOrder order)
    : problem_(problem),
      codebook_(std::move(codebook)),
      loss_(std::move(loss)),
      risk_(problem, codebook_, *loss_),
      order_(order),
      class_pulls_(problem.rows() * problem.classes),
      pulls_(problem.rows() * codebook_.dimension()),
      column_(problem.rows()),
      guess_(codebook_.dimension(), 1.0),
      probe_(codebook_.dimension()),
      convex_(loss_->facts().convex) {
  if (order == CoordinateOrder::kGreedy && !loss_->facts().knows_risk)
    throw ParameterError(
        fmt::format("cd-mcboost compares risks, and the objective '{}' has no losses(); write "
                    "them, or use cd-mcboost-cyclic",
                    loss_->name()));
  if (order == CoordinateOrder::kGreedy && codebook_.kind() == CodebookKind::kSimplex &&
      loss_->facts().formula != LossFacts::kNoFormula)
    simplex_steps_.emplace(problem.classes, loss_->facts(), MarginRisk::kMostChange, problem.space);
}

RoundTarget CoordinateBoosting::target(const float* scores) {
  risk_.set_scores(scores);
  log_scale_ = risk_.class_pulls(class_pulls_.data(), nullptr);
  log_risk_ = risk_.risk().log();
  risk_.pull_back(class_pulls_.data(), pulls_.data());
  risk_.weigh(pulls_.data(), codebook_.dimension());
  lowest_ = std::numeric_limits<double>::infinity();
  trials_ = 0;
  return target_at(0);
}

std::size_t CoordinateBoosting::targets() const {
  return order_ == CoordinateOrder::kGreedy ? codebook_.dimension() : 1;
}

std::size_t CoordinateBoosting::coordinate(std::size_t index) const {
  return order_ == CoordinateOrder::kGreedy ? index : round_ % codebook_.dimension();
}

RoundTarget CoordinateBoosting::target_at(std::size_t index) {
  const std::size_t d = codebook_.dimension();
  const std::size_t j = coordinate(index);
  for (std::size_t i = 0; i < problem_.rows(); ++i) column_[i] = pulls_[i * d + j];
  RoundTarget target{{problem_.rows(), 1, present(column_), present(risk_.row_weights()), nullptr}};
  target.to.output = j;
  return target;
}

RoundTarget CoordinateBoosting::joint_target() {
  return {{problem_.rows(), codebook_.dimension(), present(pulls_), present(risk_.row_weights()),
           nullptr}};
}

std::size_t CoordinateBoosting::best_target(const std::vector<std::int8_t>& votes) {
  if (simplex_steps_ && simplex_steps_->assign(risk_.all())) {
    // Only what was taken is a guess for later rounds: a coordinate that lost may owe its vote to
    // rounding, and a model must not.
    const SimplexSteps::Best best = simplex_steps_->best(votes.data(), guess_);
    if (best.step > 0) guess_[best.coordinate] = best.step;
    return best.coordinate;
  }
  const std::size_t d = codebook_.dimension();
  constexpr float kVotes[] = {-1, 1};
  std::vector<std::uint32_t> side(problem_.rows());
  std::size_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < problem_.rows(); ++i) side[i] = votes[i * d + j] > 0 ? 1 : 0;
    const Step found = step({side.data(), kVotes, 1, j});
    if (!(found.length > 0) || !(found.risk < lowest)) continue;
    lowest = found.risk;
    best = j;
  }
  return best;
}

// A convex risk lies above its tangents at 0 and at the probe, and so above the point where they
// meet: two looks instead of a line search for a coordinate that is not the best one.
bool CoordinateBoosting::cannot_win() {
  constexpr double kRounding = 1e-6;
  double& probe = probe_[taken_];
  const bool trial = trials_++ < targets();
  if (!trial || !convex_ || !(probe > 0) || std::isinf(lowest_)) return false;
  const double start = risk_.edge(log_scale_);
  probe = std::min(probe, MarginRisk::kMostChange / risk_.direction_size());
  const double end = risk_.descent_at(probe, log_scale_);
  if (!(start > 0) || !(end < 0)) return false;
  const double before = std::exp(log_risk_ - log_scale_);
  const double after = risk_.risk_at(probe, log_scale_).value;
  const double meeting = (before - after - end * probe) / (start - end);
  const double least = before - start * meeting;
  probe *= kBeyond * start / (start - end);
  return least > lowest_ + kRounding * (before - lowest_);
}

Step CoordinateBoosting::step(const RowVectors& hypothesis) {
  taken_ = hypothesis.output;
  risk_.set_direction(hypothesis);
  if (targets() > 1 && cannot_win()) return {};
  const ExactStep found = risk_.exact_step(guess_[taken_], log_scale_);
  edge_ = found.edge;
  if (!(found.length > 0)) {
    // In turn, a component that cannot gain leaves its turn to the next.
    const bool again = order_ == CoordinateOrder::kCyclic && ++passed_ < codebook_.dimension();
    if (again) ++round_;
    if (again) return {0, {}, 0, true};
    return {0, "no weak hypothesis has a positive edge on the pulls (jmlr2019 (72))"};
  }
  length_ = found.length;
  Step step{length_, {}};
  if (targets() > 1) {
    step.risk = risk_.risk_at(length_, log_scale_).value;
    lowest_ = std::min(lowest_, step.risk);
    probe_[taken_] = kBeyond * length_;
  }
  return step;
}

void CoordinateBoosting::advance(const RowVectors& /*hypothesis*/, double /*length*/) {
  guess_[taken_] = length_;
  passed_ = 0;
  ++round_;
}

void CoordinateBoosting::resume(const Past& past) {
  for (std::size_t round = 0; round < past.rounds; ++round) {
    const std::size_t taken = past.count("coordinate", round, guess_.size() - 1);
    guess_[taken] = past.figure("step", round);
    round_ = taken + 1;  // whose turn is next
  }
}

std::vector<RoundMetric> CoordinateBoosting::metrics() const {
  std::vector<RoundMetric> metrics = risk_.metrics(log_risk_);
  metrics.push_back({"edge", edge_ * std::exp(log_scale_)});
  metrics.push_back({"step", length_});
  metrics.push_back({"coordinate", static_cast<double>(taken_)});
  return metrics;
}

}  // namespace simplexboost
