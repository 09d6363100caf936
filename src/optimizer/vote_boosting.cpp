#include "optimizer/vote_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Far beyond any step by an error of kLeastLack; sums of such logarithms stay numbers.
constexpr double kMostVoteStep = 1e6;

}  // namespace

VoteBoosting::VoteBoosting(const Problem& problem, VoteStep kind, VoteRows* rows)
    : problem_(problem), kind_(kind), rows_(rows), weights_(problem), pulls_(problem, rows) {}

RoundTarget VoteBoosting::target(const float* /*scores*/) { return pulls_.target(weights_); }

bool VoteBoosting::right(const RowVectors& hypothesis, std::size_t row) const {
  return hypothesis.of(row)[problem_.labels.codes[row]] > 0;
}

RowVectors VoteBoosting::with_leaves(RowVectors hypothesis) const {
  if (hypothesis.elsewhere > 0) hypothesis.index = leaves_.data();
  return hypothesis;
}

Step VoteBoosting::step(const RowVectors& votes) {
  if (votes.elsewhere > 0) leaves_ = rows_->leaves();
  const RowVectors hypothesis = with_leaves(votes);
  error_ = problem_.space.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double wrong = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (!right(hypothesis, i)) wrong += weights()[i];
    return wrong;
  });
  const auto classes = static_cast<double>(problem_.classes);
  const double limit = kind_ == VoteStep::kM1 ? 0.5 : 1 - 1 / classes;
  if (error_ >= limit) {
    return {
        0, fmt::format("the weighted error {:.4g} is no better than {:.4g}, where {} ends", error_,
                       limit, kind_ == VoteStep::kM1 ? "AdaBoost.M1 (1/2)" : "guessing (1 - 1/K)")};
  }
  const double e = std::max(error_, kLeastLack);
  length_ = std::log((1 - e) / e) + (kind_ == VoteStep::kSamme ? std::log(classes - 1) : 0);
  if (error_ < kLeastLack) return {length_, kNoError};
  if (first_ && error_ < kNegligible) return {length_, kNothingLeft};
  return {length_, {}};
}

void VoteBoosting::advance(const RowVectors& votes, double length) {
  const RowVectors hypothesis = with_leaves(votes);
  first_ = false;
  length_ = length;
  for (std::size_t i = 0; i < problem_.rows(); ++i)
    if (!right(hypothesis, i)) weights_.logs()[i] += length;
  weights_.normalise();
}

void VoteBoosting::resume(const Past& past) {
  for (std::size_t round = 0; round < past.rounds; ++round) {
    const double length = past.figure("step", round);
    if (!(std::fabs(length) <= kMostVoteStep))
      throw ModelError("the model to go on from has a 'step' in its log that cannot be");
    advance(past.added(round), length);
  }
}

std::vector<RoundMetric> VoteBoosting::metrics() const {
  return {{"weighted_error", error_}, {"step", length_}};
}

}  // namespace simplexboost
