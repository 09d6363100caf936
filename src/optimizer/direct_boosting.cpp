#include "optimizer/direct_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/byte_stream.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDirectRowBlock = 4096;
// th of Algorithm 2.1, in units of the first step.
constexpr double kTolerance = 1e-5;
// A gain below this is rounding: in the share of the weight that is wrong, and of (5).
constexpr double kLeastGain = 1e-7;
constexpr double kLeastMarginGain = 1e-5;
// Single-precision votes can tell steps apart that differ by this share of A.
constexpr double kLeastWidth = 1e-5;
constexpr double kLeastError = 1e-12;
// Of a first step that a model or a checkpoint tells of: single precision holds its inverse.
constexpr double kLeastFirst = 1e-30;
constexpr double kMostFirst = 1e30;

double mass_of(const Problem& problem, double bottom) {
  const double weight = weight_of_rows(problem);
  const auto rows = static_cast<double>(problem.rows());
  if (bottom < 1) return std::max(bottom * weight, weight / rows);
  if (bottom > 1) return std::min(bottom / rows, 1.0) * weight;
  // One row: the smallest margin alone, whatever its weight.
  double least = problem.weights[0];
  for (std::size_t i = 1; i < problem.rows(); ++i) least = std::min(least, problem.weights[i]);
  return least;
}

}  // namespace

DirectBoosting::DirectBoosting(const Problem& problem, const DirectOptions& options)
    : problem_(problem),
      options_(options),
      weight_(weight_of_rows(problem)),
      margin_search_(problem.weights, mass_of(problem, options.bottom), problem.space),
      rows_(problem.rows()),
      weights_(problem.rows()),
      votes_(problem.rows()),
      lines_(problem.rows()),
      margins_(problem.rows()) {
  for (std::size_t i = 0; i < weights_.size(); ++i)
    weights_[i] = static_cast<float>(problem.weights[i]);
}

void DirectBoosting::read_scores(const float* scores) {
  scores_ = scores;
  problem_.space.for_blocks(kDirectRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      rows_[i] =
          row_votes(scores + i * problem_.classes, problem_.classes, problem_.labels.codes[i]);
      margins_[i] = rows_[i].own - rows_[i].top;
    }
  });
}

double DirectBoosting::objective() {
  return margin_search_.bottom(margins_).sum / (margin_search_.mass() * total_);
}

RoundTarget DirectBoosting::target(const float* scores) {
  read_scores(scores);
  attempt_ = phase_ == Phase::kError && !retry_ ? Phase::kError : Phase::kMargin;
  if (attempt_ == Phase::kError) {
    set_error_curves();
  } else {
    set_margin_slopes();
  }
  RoundTarget target{{problem_.rows(), problem_.classes, nullptr, weights_.data(), nullptr}};
  target.curves = &curves_;
  return target;
}

void DirectBoosting::set_error_curves() {
  curves_.least_gain = kLeastGain * weight_;
  if (options_.exact) {
    curves_.classes = problem_.classes;
    curves_.exact = [this](const auto& votes) { return best_right(votes); };
    return;
  }
  error_curves(view(), error_steps(view(), options_.steps), curves_);
}

void DirectBoosting::set_margin_slopes() {
  curves_.least_gain = 0;
  if (options_.exact) {
    curves_.classes = problem_.classes;
    curves_.exact = [this](const auto& votes) { return best_objective(votes); };
    return;
  }
  const auto edge = static_cast<double>(margin_search_.bottom(margins_).edge);
  margin_slopes(view(), edge, options_.smoothing * first_, curves_);
}

void DirectBoosting::set_votes(const RowVectors& hypothesis) {
  const auto vote_of = [&](const float* h) {
    return static_cast<std::int32_t>(std::max_element(h, h + problem_.classes) - h);
  };
  std::vector<std::int32_t> of_vector;  // of each vector of the table
  if (hypothesis.index) {
    const std::uint32_t last =
        *std::max_element(hypothesis.index, hypothesis.index + problem_.rows());
    for (std::size_t v = 0; v <= last; ++v)
      of_vector.push_back(vote_of(hypothesis.values + v * hypothesis.width));
  }
  problem_.space.for_blocks(kDirectRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      votes_[i] = hypothesis.index ? of_vector[hypothesis.index[i]] : vote_of(hypothesis.of(i));
  });
}

void DirectBoosting::set_lines() {
  problem_.space.for_blocks(kDirectRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      lines_[i] = margin_line(rows_[i], view().of(i), view().label(i), votes_[i]);
  });
}

double DirectBoosting::error() const {
  return problem_.space.sum(kDirectRowBlock, [&](std::size_t begin, std::size_t end) {
    double wrong = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (!rows_[i].right(problem_.labels.codes[i])) wrong += problem_.weights[i];
    return wrong;
  });
}

double DirectBoosting::best_right(const std::vector<std::int32_t>& votes) {
  const double start = error_points(view(), votes, points_);
  return weight_ - best_interval(points_, start, kLeastWidth * total_).error;
}

double DirectBoosting::best_objective(const std::vector<std::int32_t>& votes) {
  for (std::size_t i = 0; i < problem_.rows(); ++i)
    lines_[i] = votes[i] < 0
                    ? MarginLine{rows_[i].own - rows_[i].top, std::numeric_limits<float>::max()}
                    : margin_line(rows_[i], view().of(i), view().label(i), votes[i]);
  return search_margins().objective;
}

// A tree that was chosen for its votes is not searched backwards: where (5) is negative any votes
// against classes that nothing depends on raise it, for they count in A alone.
MarginSearch::Result DirectBoosting::search_margins() {
  const auto ways = options_.exact ? MarginSearch::Ways::kBoth : MarginSearch::Ways::kForward;
  return margin_search_.search(lines_, total_, ways, longest(), kTolerance);
}

Step DirectBoosting::step(const RowVectors& hypothesis) {
  set_votes(hypothesis);
  set_lines();
  if (total_ == 0) return first_step();
  return attempt_ == Phase::kError ? error_step() : margin_step();
}

// Any length says the same; that of SAMME has the scale on which votes become probabilities.
Step DirectBoosting::first_step() {
  double wrong = 0;
  for (std::size_t i = 0; i < problem_.rows(); ++i)
    if (votes_[i] != problem_.labels.codes[i]) wrong += problem_.weights[i];
  const auto classes = static_cast<double>(problem_.classes);
  const double e = std::clamp(wrong / weight_, kLeastError, 1.0);
  first_ = std::max(std::log((1 - e) / e) + std::log(classes - 1), 1.0);
  const double start = error_points(view(), votes_, points_);
  return {best_interval(points_, start, 0).to <= 0 ? -first_ : first_, {}};
}

Step DirectBoosting::error_step() {
  const double now = error();
  const double start = error_points(view(), votes_, points_);
  const ErrorInterval found = best_interval(points_, start, kLeastWidth * total_);
  if (now - found.error > kLeastGain * weight_) {
    stalled_ = 0;
    return {found.step(first_), {}};
  }
  if (++stalled_ > options_.patience || now == 0) return end_error_phase(now / weight_);
  return try_again();
}

// Lets the round ask for a tree by its margins.
Step DirectBoosting::try_again() {
  retry_ = true;
  Step step;
  step.again = true;
  return step;
}

Step DirectBoosting::end_error_phase(double error) {
  std::string remark = fmt::format(
      "phase I reached a coordinatewise local minimum of the error, {:.4g}, before round {}", error,
      round_ + 1);
  if (options_.phases == 1) return {0, std::move(remark)};
  phase_ = Phase::kMargin;
  stalled_ = 0;
  remark_ = std::move(remark);
  return try_again();
}

Step DirectBoosting::margin_step() {
  const MarginSearch::Result found = search_margins();
  const bool gains =
      found.objective - best_objective_ > kLeastMarginGain * std::fabs(best_objective_);
  if (phase_ == Phase::kMargin) {
    stalled_ = gains ? 0 : stalled_ + 1;
    const bool largest = best_objective_ > 1 - kLeastMarginGain;
    const int patience = options_.relaxation > 0 && !largest ? options_.patience : 0;
    if (stalled_ > patience)
      return {0, fmt::format("phase II reached a coordinatewise maximum of the margins, {:.4g}",
                             best_objective_)};
  }
  if (phase_ == Phase::kError) return level_step(found.length);
  const double sign = found.length < 0 ? -1 : 1;
  const double relaxed = found.length + sign * options_.relaxation * first_;
  return {relaxed, {}};
}

// Towards the best margins, as far as the error stays what it is, or falls.
Step DirectBoosting::level_step(double length) {
  const double now = error();
  const double start = error_points(view(), votes_, points_);
  const ErrorInterval found = best_interval_towards(points_, start, length, kLeastWidth * total_);
  if (found.to > found.from && found.error <= now + kLeastGain * weight_)
    return {found.step(first_), {}};
  // No room: the way out is phase II.
  return end_error_phase(now / weight_);
}

void DirectBoosting::advance(const RowVectors& /*hypothesis*/, double length) {
  phase_of_round_ = phase_;
  length_ = length;
  total_ += std::fabs(length);
  ++round_;
  retry_ = false;
  problem_.space.for_blocks(kDirectRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      margins_[i] = static_cast<float>(lines_[i].at(length));
  });
  objective_ = objective();
  // What phase II must beat is where it stands, or the best it has been.
  best_objective_ = phase_ == Phase::kError ? objective_ : std::max(best_objective_, objective_);
}

// On other rows than those of the past, what phase II must beat is where these stand.
void DirectBoosting::resume(const Past& past) {
  constexpr double kOtherRows = 1e-4;
  if (past.rounds == 0) return;
  for (; round_ < past.rounds; ++round_) {
    if (past.figure("phase", round_) == 2 && phase_ == Phase::kError)
      end_error_phase(past.figure("train_error", round_ - 1));
    objective_ = past.figure("margin_objective", round_);
    best_objective_ = phase_ == Phase::kError ? objective_ : std::max(best_objective_, objective_);
    total_ += std::fabs(past.figure("step", round_));
  }
  first_ = std::fabs(past.figure("step", 0)) / options_.learning_rate;
  if (!past.state.empty()) ByteReader(past.state)(first_);
  if (!(first_ >= kLeastFirst && first_ <= kMostFirst))
    throw ModelError("the model to go on from has a first 'step' that cannot be");
  stalled_ = static_cast<int>(past.count("stalled", round_ - 1, past.rounds));
  read_scores(past.scores);
  if (std::fabs(objective() - objective_) < kOtherRows) return;
  best_objective_ = objective();
  stalled_ = 0;
}

std::vector<std::byte> DirectBoosting::state() const { return ByteWriter()(first_).bytes(); }

MarginBoundProblem DirectBoosting::bound_problem() const {
  const auto rows = static_cast<double>(problem_.rows());
  return {rows, std::max(margin_search_.mass() / weight_ * rows, 1.0),
          static_cast<double>(problem_.classes), options_.log_hypotheses};
}

// Theorem 2's theta is the sum of the n' smallest margins over n, (5) their mean.
std::vector<RoundMetric> DirectBoosting::metrics() const {
  const double theta = objective_ * margin_search_.mass() / weight_;
  return {{"phase", phase_of_round_ == Phase::kError ? 1.0 : 2.0},
          {"margin_objective", objective_},
          {"step", length_},
          {"stalled", static_cast<double>(stalled_)},
          {"theta", theta},
          {"bound_theorem2", margin_bound(bound_problem(), theta)}};
}

Ending DirectBoosting::ending(std::size_t /*rounds*/) const { return {1, remark_}; }

}  // namespace simplexboost
