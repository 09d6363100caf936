#include "optimizer/mislabel_boosting.h"

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"

namespace simplexboost {

MislabelBoosting::MislabelBoosting(const Problem& problem, const MislabelOptions& options)
    : problem_(problem),
      options_(options),
      mislabels_(problem, options.rate),
      own_pulls_(options.shares ? problem.rows() * problem.classes : 0) {}

RoundTarget MislabelBoosting::target(const float* scores) {
  mislabels_.set_scores(scores);
  const std::vector<float>& pulls = mislabels_.pulls();
  if (options_.shares)
    problem_.space.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin * problem_.classes; at < end * problem_.classes; ++at)
        own_pulls_[at] = std::max(pulls[at], 0.0F);
    });
  return {{problem_.rows(), problem_.classes, present(pulls), present(mislabels_.rows()),
           options_.shares ? present(own_pulls_) : nullptr}};
}

Step MislabelBoosting::step(const RowVectors& hypothesis) {
  if (mislabels_.none()) return {0, "no row has both a label that holds and one that does not"};
  lack_ = edge_lack(problem_, mislabels_.pulls().data(), hypothesis, options_.lowest) /
          (1 - options_.lowest);
  edge_ = 1 - lack_;
  if (!(edge_ > 0))
    return {0, "no weak hypothesis tells the labels from the mislabels (pseudo-loss 1/2 or more)"};
  length_ = 0.5 * std::log((1 + edge_) / std::max(lack_, kLeastLack)) /
            (options_.rate * (1 - options_.lowest));
  if (lack_ < kLeastLack) return {length_, kNoError};
  if (first_ && lack_ < kNegligible) return {length_, kNothingLeft};
  return {length_, {}};
}

// The bound on the weights' sum by convexity, at the step that was taken: sqrt(1 - U^2) where it is
// alpha.
void MislabelBoosting::advance(const RowVectors& /*hypothesis*/, double length) {
  first_ = false;
  length_ = length;
  const double exponent = options_.rate * (1 - options_.lowest) * length;
  log_bound_ += std::log(
      0.5 * (std::max(lack_, kLeastLack) * std::exp(exponent) + (1 + edge_) * std::exp(-exponent)));
}

// The weights follow from the scores, the bound from its last value.
void MislabelBoosting::resume(const Past& past) {
  first_ = past.rounds == 0;
  if (options_.pseudo_loss && past.rounds > 0)
    log_bound_ = std::log(past.figure("bound_23", past.rounds - 1) /
                          static_cast<double>(problem_.classes - 1));
  if (!past.state.empty()) ByteReader(past.state)(log_bound_);
}

std::vector<std::byte> MislabelBoosting::state() const { return ByteWriter()(log_bound_).bytes(); }

std::vector<RoundMetric> MislabelBoosting::metrics() const {
  if (!options_.pseudo_loss)
    return {{"edge", edge_}, {"step", length_}, {"log_risk", mislabels_.log_risk()}};
  // The power of 2 in jmlr2005 (23) is one too low: before the first round the bound is K - 1.
  const double bound = static_cast<double>(problem_.classes - 1) * std::exp(log_bound_);
  return {{"pseudo_loss", lack_ / 2}, {"step", length_}, {"bound_23", bound}};
}

}  // namespace simplexboost
