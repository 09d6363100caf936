#include "boosting/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {
namespace {

constexpr std::size_t kSamplingRowBlock = RowSpace::kBlock;
// What random numbers are for, beside the rows and features of a round.
constexpr std::uint64_t kSplitStream = std::uint64_t{1} << 62U;
constexpr std::uint64_t kWeightStream = std::uint64_t{3} << 61U;

std::size_t share_of(std::size_t count, double fraction, std::size_t least) {
  const auto wanted = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(count)));
  return std::clamp(wanted, std::min(least, count), count);
}

// Items [begin, end) of `count`.
struct Range {
  std::size_t count;
  std::size_t begin;
  std::size_t end;
};

// Those items of a range that are in a random subset of all, of the given share: as places in the
// range, ascending; nothing at all where the share is everything.
void pick(Random random, const Range& range, double fraction, std::size_t least,
          std::vector<std::uint32_t>& out) {
  out.clear();
  if (fraction >= 1) return;
  std::size_t wanted = share_of(range.count, fraction, least);
  // Selection sampling: each item with the chance (still wanted) / (still to come).
  for (std::size_t i = 0; i < range.end && wanted > 0; ++i) {
    const auto left = static_cast<double>(range.count - i);
    if (random.uniform() * left >= static_cast<double>(wanted)) continue;
    if (i >= range.begin) out.push_back(static_cast<std::uint32_t>(i - range.begin));
    --wanted;
  }
}

double weight_of(const FitTarget& target, std::size_t row) {
  return target.weights ? static_cast<double>(target.weights[row]) : 1.0;
}

void scale(const float* values, std::size_t width, const std::vector<double>& factors,
           const RowSpace& space, std::vector<float>& out) {
  out.resize(factors.size() * width);
  space.for_blocks(kSamplingRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = i * width; j < (i + 1) * width; ++j)
        out[j] = static_cast<float>(factors[i] * (values ? static_cast<double>(values[j]) : 1.0));
  });
}

// Sorted uniform numbers are the running sums of exponential ones, divided by the last: one sweep
// over the running sum of the weights meets them all.
class Places {
 public:
  Places(std::size_t draws, double total, const Random& random) : random_(random) {
    Random ahead = random;
    double sum = 0;
    for (std::size_t i = 0; i <= draws; ++i) sum -= std::log1p(-ahead.uniform());
    sum_ = sum;
    total_ = total;
  }

  double next() {
    reached_ -= std::log1p(-random_.uniform());
    return reached_ / sum_ * total_;
  }

 private:
  Random random_;
  double sum_ = 0;
  double total_ = 0;
  double reached_ = 0;
};

// Where each row that is here ends in the running sum of all weights: within a block from where the
// block begins. The last row of positive weight takes what rounding leaves over of its block, and
// of all.
std::vector<double> row_ends(const RowSpace& space, std::span<const double> weights,
                             const std::vector<double>& blocks) {
  std::vector<double> begins{0};
  std::size_t last = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    begins.push_back(begins.back() + blocks[b]);
    if (blocks[b] > 0) last = b;
  }
  std::vector<double> ends(weights.size());
  space.for_blocks(kSamplingRowBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t block = (space.first() + begin) / kSamplingRowBlock;
    double reached = begins[block];
    for (std::size_t i = begin; i < end; ++i)
      ends[i] = std::min(reached += weights[i], begins[block + 1]);
    std::size_t i = end;
    while (i > begin && !(weights[i - 1] > 0)) --i;
    if (i > begin)
      std::fill(ends.begin() + static_cast<std::ptrdiff_t>(i) - 1,
                ends.begin() + static_cast<std::ptrdiff_t>(end),
                block == last ? std::numeric_limits<double>::infinity() : begins[block + 1]);
  });
  return ends;
}

}  // namespace

DrawnRows draw_by_weight(const RowSpace& space, std::span<const double> weights, std::size_t draws,
                         Random random) {
  const std::vector<double> blocks =
      space.block_values<double>(kSamplingRowBlock, [&](std::size_t begin, std::size_t end) {
        return std::accumulate(weights.data() + begin, weights.data() + end, 0.0);
      });
  DrawnRows drawn{std::accumulate(blocks.begin(), blocks.end(), 0.0), {}};
  if (!(drawn.total > 0) || !std::isfinite(drawn.total)) return drawn;
  drawn.counts.resize(weights.size());
  const std::vector<double> ends = row_ends(space, weights, blocks);
  const std::size_t before = space.first() / kSamplingRowBlock;
  const double begin =
      std::accumulate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(before), 0.0);
  Places places(draws, drawn.total, random);
  std::size_t row = 0;
  for (std::size_t i = 0; i < draws && row < ends.size(); ++i) {
    const double place = places.next();
    if (place < begin) continue;
    while (row < ends.size() && !(place < ends[row])) ++row;
    if (row < ends.size()) ++drawn.counts[row];
  }
  return drawn;
}

Sampler::Sampler(const Parameters& parameters, const RowSpace& space, std::size_t features)
    : parameters_(parameters), space_(space), feature_count_(features) {}

Sampler::Round Sampler::draw(const RoundTarget& target, std::size_t round, std::size_t index) {
  const std::uint64_t stream = 2 * round + 1;
  const Random random(parameters_.seed, stream);
  target_ = target;
  drawn_ = false;
  if (parameters_.weight_floor > 0) lift(parameters_.weight_floor);
  if (parameters_.resample == "weights") {
    resample(random);
  } else if (parameters_.bootstrap == "plain") {
    draw_again(random);
  } else {
    pick(random, {space_.all(), space_.first(), space_.first() + space_.rows()},
         parameters_.row_fraction, 2, rows_);
    drawn_ = parameters_.row_fraction < 1;
    if (parameters_.bootstrap == "bayesian") weigh_at_random(stream);
  }
  target_.stream = Random(parameters_.seed, stream + ((index + 1) << 32U) + kSplitStream).next();
  target_.split_noise = parameters_.split_noise * fade(round);
  const Random other(parameters_.seed, stream + ((index + 1) << 32U));
  pick(other, {feature_count_, 0, feature_count_}, parameters_.feature_fraction, 1, features_);
  return {target_, {rows_, features_, drawn_}};
}

// As many steps as a boosting of this rate takes to fit the rows: then what the splits say counts
// alone.
double Sampler::fade(std::size_t round) const {
  const double steps = parameters_.learning_rate * static_cast<double>(round);
  return 1 / (1 + std::exp(steps - std::log(static_cast<double>(space_.all()))));
}

// A row that comes up twice counts double.
void Sampler::draw_again(const Random& random) {
  const std::vector<double> weights(space_.rows(), 1.0);
  const std::size_t draws = share_of(space_.all(), parameters_.row_fraction, 2);
  const DrawnRows drawn = draw_by_weight(space_, weights, draws, random);
  factors_.assign(drawn.counts.begin(), drawn.counts.end());
  rows_.clear();
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (factors_[i] > 0) rows_.push_back(static_cast<std::uint32_t>(i));
  drawn_ = true;
  scale_rows();
}

// Of mean 1: Rubin's Bayesian bootstrap.
void Sampler::weigh_at_random(std::uint64_t stream) {
  factors_.resize(space_.rows());
  space_.for_blocks(kSamplingRowBlock, [&](std::size_t begin, std::size_t end) {
    const std::uint64_t block = (space_.first() + begin) / kSamplingRowBlock;
    Random random(parameters_.seed, stream + kWeightStream + (block << 32U));
    for (std::size_t i = begin; i < end; ++i) factors_[i] = -std::log1p(-random.uniform());
  });
  scale_rows();
}

void Sampler::lift(double floor) {
  const double total = space_.sum(kSamplingRowBlock, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) part += weight_of(target_, i);
    return part;
  });
  const double least = floor * total;
  factors_.assign(space_.rows(), 1.0);
  bool any = false;
  for (std::size_t i = 0; i < space_.rows(); ++i) {
    const double weight = weight_of(target_, i);
    if (!(weight > 0 && weight < least)) continue;
    factors_[i] = least / weight;
    any = true;
  }
  if (space_.any(any)) scale_rows();
}

void Sampler::resample(const Random& random) {
  std::vector<double> weights(space_.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weight_of(target_, i);
  const std::size_t draws = share_of(space_.all(), parameters_.row_fraction, 2);
  const DrawnRows drawn = draw_by_weight(space_, weights, draws, random);
  rows_.clear();
  if (!(drawn.total > 0) || !std::isfinite(drawn.total)) return;
  drawn_ = true;
  // Each draw weighs the same; together they weigh what all rows weighed.
  const double one = drawn.total / static_cast<double>(draws);
  factors_.assign(weights.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (drawn.counts[i] == 0) continue;
    factors_[i] = drawn.counts[i] * one / weights[i];
    rows_.push_back(static_cast<std::uint32_t>(i));
  }
  scale_rows();
}

void Sampler::scale_rows() {
  // Element by element: the arrays may already be our own.
  scale(target_.pulls, target_.width, factors_, space_, pulls_);
  scale(target_.weights, 1, factors_, space_, weights_);
  if (target_.curvature) {
    scale(target_.curvature, target_.width, factors_, space_, curvature_);
    target_.curvature = present(curvature_);
  }
  if (target_.leaves) {
    scale(target_.leaf_weights, 1, factors_, space_, leaf_weights_);
    target_.leaf_weights = present(leaf_weights_);
  }
  target_.pulls = present(pulls_);
  target_.weights = present(weights_);
}

}  // namespace simplexboost
