#include "learner/linear_learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/thread_scratch.h"
#include "learner/cholesky.h"
#include "learner/position_sums.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kLinearLearnerRowBlock = 256;
// A feature of which less than this share is new beside the chosen ones is not worth its noise.
constexpr double kLeastNew = 1e-9;

// Sums of blocks that are held at a time.
constexpr std::size_t kMostSums = 4'000'000;

// Calls use(row, value) for every row of [begin, end), no more than kLinearLearnerRowBlock, whose
// value is not missing.
template <class Use>
void each_value(const Column& column, std::size_t begin, std::size_t end, const Use& use) {
  std::array<double, kLinearLearnerRowBlock> values;
  column.copy(begin, end, values.data());
  for (std::size_t i = begin; i < end; ++i)
    if (!std::isnan(values[i - begin])) use(i, values[i - begin]);
}

// The same of all rows.
template <class Use>
void each_value(const Column& column, std::size_t rows, const Use& use) {
  for (std::size_t begin = 0; begin < rows; begin += kLinearLearnerRowBlock)
    each_value(column, begin, std::min(begin + kLinearLearnerRowBlock, rows), use);
}

}  // namespace

LinearLearner::LinearLearner(const LearnerData& data, const LinearOptions& options)
    : data_(data.raw), space_(data.space), options_(options) {
  const bool any = std::any_of(data_.columns.begin(), data_.columns.end(), [](const Column& c) {
    return c.schema.type == FeatureType::kNumeric;
  });
  if (!any)
    throw DataError(Place{data_.source},
                    "the learner 'linear' needs a numeric feature, and all are categorical");
  find_ranges();
}

// Features of one value, or of a range beyond the numbers, have no slope.
void LinearLearner::find_ranges() {
  std::vector<LinearFeature> all(data_.columns.size());
  parallel_for(space_.threads(), all.size(), [&](std::size_t f) {
    LinearFeature& range = all[f];
    range.feature = static_cast<std::uint32_t>(f);
    range.low = std::numeric_limits<double>::infinity();
    range.high = -range.low;
    if (data_.columns[f].schema.type != FeatureType::kNumeric) return;
    each_value(data_.columns[f], data_.rows, [&](std::size_t, double x) {
      range.low = std::min(range.low, x);
      range.high = std::max(range.high, x);
    });
  });
  std::vector<double> ends;
  for (const LinearFeature& range : all) ends.insert(ends.end(), {-range.low, range.high});
  space_.ranks().maximum(ends);
  for (LinearFeature& range : all) {
    range.low = -ends[2 * std::size_t{range.feature}];
    range.high = ends[2 * std::size_t{range.feature} + 1];
  }
  for (const LinearFeature& range : all)
    if (range.low < range.high && std::isfinite(range.high - range.low)) ranges_.push_back(range);
}

RowVectors LinearLearner::fit(const RoundTarget& target, const Sample& sample) {
  l2_ = target.l2_factor * options_.l2;
  set_rows(target, sample);
  start_candidates(sample);
  return fit_candidates();
}

// The sums over rows that a feature is judged by are those of each output alone, to the last bit:
// only the order in which outputs and rows come differs.
bool LinearLearner::look_at_all(const RoundTarget& target, const Sample& sample) {
  if (space_.given(target.curvature)) return false;
  l2_ = target.l2_factor * options_.l2;
  set_rows(target, sample);
  start_candidates(sample);
  seen_ = candidates_;
  seen_pulls_ = pulls_;
  seen_width_ = width_;
  seen_output_ = output_;
  return true;
}

RowVectors LinearLearner::fit_output(std::size_t index) {
  width_ = 1;
  output_ = seen_output_ + index;
  one_pull_.resize(data_.rows);
  for (std::size_t i = 0; i < data_.rows; ++i) one_pull_[i] = seen_pulls_[i * seen_width_ + index];
  pulls_ = one_pull_.data();
  candidates_.resize(seen_.size());
  for (std::size_t c = 0; c < seen_.size(); ++c) {
    const Candidate& seen = seen_[c];
    Candidate& one = candidates_[c];
    one.scale = seen.scale;
    one.square = seen.square;
    one.whole_square = seen.whole_square;
    one.pull.assign(1, seen.pull[index]);
    one.taken = false;
  }
  return fit_candidates();
}

RowVectors LinearLearner::fit_candidates() {
  choose();
  fill_positions(data_, positions_);
  solve();
  values_.resize(data_.rows * width_);
  fill_values(positions_, values_);
  return {nullptr, values_.data(), width_, output_};
}

// Rows that are not sampled take part with weight and pull 0.
void LinearLearner::set_rows(const RoundTarget& target, const Sample& sample) {
  width_ = target.width;
  output_ = target.to.output;
  weights_.assign(target.rows, 0);
  const auto weigh = [&](std::size_t i) {
    if (target.weights) return static_cast<double>(target.weights[i]);
    if (!target.curvature) return 1.0;
    double sum = 0;
    for (std::size_t k = 0; k < width_; ++k)
      sum += static_cast<double>(target.curvature[i * width_ + k]);
    return sum / static_cast<double>(width_);
  };
  if (sample.all_rows()) {
    for (std::size_t i = 0; i < target.rows; ++i) weights_[i] = weigh(i);
    pulls_ = target.pulls;
    curvature_ = target.curvature;
    return;
  }
  const auto take = [&](const float* from, std::vector<float>& to) -> const float* {
    if (!from) return nullptr;
    to.assign(target.rows * width_, 0);
    for (const std::uint32_t i : sample.rows)
      std::copy_n(from + i * width_, width_, to.data() + i * width_);
    return to.data();
  };
  for (const std::uint32_t i : sample.rows) weights_[i] = weigh(i);
  pulls_ = take(target.pulls, sampled_pulls_);
  curvature_ = take(target.curvature, sampled_curvature_);
}

void LinearLearner::start_candidates(const Sample& sample) {
  candidates_.clear();
  for (const LinearFeature& range : ranges_) {
    if (!sample.features.empty() &&
        !std::binary_search(sample.features.begin(), sample.features.end(), range.feature))
      continue;
    candidates_.emplace_back().scale = range;
  }
  const std::size_t one = 3 + 2 * width_;
  const std::size_t step =
      std::max<std::size_t>(kMostSums / (space_.all() / kLinearLearnerRowBlock + 1) / one, 1);
  for (std::size_t first = 0; first < candidates_.size(); first += step)
    measure({candidates_.data() + first, std::min(step, candidates_.size() - first)});
}

// Sums over the rows where the feature is known: about `low` first, then about the mean.
void LinearLearner::measure(std::span<Candidate> candidates) const {
  for (Candidate& candidate : candidates) candidate.scale.center = candidate.scale.low;
  // Of weights, positions and their squares; of pulls; of pulls times positions.
  const std::size_t one = 3 + 2 * width_;
  const std::vector<double> sums =
      space_.rounded_sums(kLinearLearnerRowBlock, candidates.size() * one,
                          [&](std::size_t begin, std::size_t end, double* out) {
                            measure_block(candidates, begin, end, out);
                          });
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Candidate& candidate = candidates[c];
    const double* const sum = sums.data() + c * one;
    candidate.pull.assign(width_, 0);
    if (!(sum[0] > 0)) continue;
    LinearFeature& scale = candidate.scale;
    const double mean = sum[1] / sum[0];
    scale.center = std::clamp(scale.low + mean * (scale.high - scale.low), scale.low, scale.high);
    candidate.square = std::max(0.0, sum[2] - mean * sum[1]);
    if (candidate.square <= kLeastNew * kLeastNew * sum[2]) candidate.square = 0;
    candidate.whole_square = candidate.square;
    for (std::size_t k = 0; k < width_; ++k)
      candidate.pull[k] = sum[3 + width_ + k] - mean * sum[3 + k];
  }
}

// Rows without a value count 0, which leaves a sum as it is. Where all have one, the sums of the
// pulls alone are the same for all features.
void LinearLearner::measure_block(std::span<const Candidate> candidates, std::size_t begin,
                                  std::size_t end, double* out) const {
  constexpr std::size_t kLanes = PositionSumsArgs::kLanes;
  const std::size_t rows = end - begin;
  const std::size_t stride = (width_ + kLanes - 1) / kLanes * kLanes;
  auto& room = thread_scratch<struct LinearBlock, std::vector<double>>();
  room.assign((rows + 2) * stride, 0);
  double* const pulls = room.data();
  double* const all = pulls + rows * stride;
  double* const some = all + stride;
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(pulls_ + (begin + i) * width_, width_, pulls + i * stride);
  std::array<double, kLinearLearnerRowBlock> known;
  std::array<double, kLinearLearnerRowBlock> positions;
  known.fill(1);
  position_sums({known.data(), pulls, rows, stride, all});
  for (const Candidate& candidate : candidates) {
    const LinearFeature& scale = candidate.scale;
    known.fill(0);
    positions.fill(0);
    std::size_t count = 0;
    each_value(data_.columns[scale.feature], begin, end, [&](std::size_t i, double x) {
      const double t = scale.position(x);
      out[0] += weights_[i];
      out[1] += weights_[i] * t;
      out[2] += weights_[i] * t * t;
      known[i - begin] = 1;
      positions[i - begin] = t;
      ++count;
    });
    if (count < rows) position_sums({known.data(), pulls, rows, stride, some});
    std::copy_n(count < rows ? some : all, width_, out + 3);
    position_sums({positions.data(), pulls, rows, stride, some});
    std::copy_n(some, width_, out + 3 + width_);
    out += 3 + 2 * width_;
  }
}

double LinearLearner::Candidate::gain(double l2) const {
  if (taken || !(square > kLeastNew * whole_square)) return 0;
  double sum = 0;
  for (const double p : pull) sum += p * p;
  return sum / (square + l2);
}

// Takes away what the candidates share with a direction just chosen (Gram-Schmidt), from their
// squares and from their parts in the pulls.
void LinearLearner::project(const std::vector<double>& direction) {
  const std::vector<double> direction_pull = space_.rounded_sums(
      kLinearLearnerRowBlock, width_, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i)
          for (std::size_t k = 0; k < width_; ++k)
            sums[k] += direction[i] * static_cast<double>(pulls_[i * width_ + k]);
      });
  const std::vector<double> shared = space_.rounded_sums(
      kLinearLearnerRowBlock, candidates_.size(),
      [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t c = 0; c < candidates_.size(); ++c) {
          const LinearFeature& scale = candidates_[c].scale;
          if (candidates_[c].taken) continue;
          each_value(data_.columns[scale.feature], begin, end, [&](std::size_t i, double x) {
            sums[c] += weights_[i] * scale.position(x) * direction[i];
          });
        }
      });
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    candidates_[c].square -= shared[c] * shared[c];
    for (std::size_t k = 0; k < width_; ++k)
      candidates_[c].pull[k] -= shared[c] * direction_pull[k];
  }
}

void LinearLearner::choose() {
  chosen_.clear();
  directions_.clear();
  while (chosen_.size() < static_cast<std::size_t>(options_.features)) {
    Candidate* best = nullptr;
    double best_gain = 0;
    for (Candidate& candidate : candidates_) {
      const double gain = candidate.gain(l2_);
      if (!(gain > best_gain)) continue;
      best_gain = gain;
      best = &candidate;
    }
    if (best == nullptr) return;
    best->taken = true;
    chosen_.push_back(best->scale);
    chosen_.back().gain = static_cast<float>(best_gain);
    if (chosen_.size() == static_cast<std::size_t>(options_.features)) return;
    directions_.push_back(next_direction(*best));
    project(directions_.back());
  }
}

// The sum over rows of w u v.
double LinearLearner::weighted_product(const std::vector<double>& u,
                                       const std::vector<double>& v) const {
  return space_.rounded_sums(kLinearLearnerRowBlock, 1,
                             [&](std::size_t begin, std::size_t end, double* sum) {
                               for (std::size_t i = begin; i < end; ++i)
                                 *sum += weights_[i] * u[i] * v[i];
                             })[0];
}

// The candidate's positions, less their part along the directions so far, of length 1.
std::vector<double> LinearLearner::next_direction(const Candidate& candidate) const {
  std::vector<double> u(data_.rows);
  each_value(data_.columns[candidate.scale.feature], data_.rows,
             [&](std::size_t i, double x) { u[i] = candidate.scale.position(x); });
  for (const std::vector<double>& q : directions_) {
    const double shared = weighted_product(u, q);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= shared * q[i];
  }
  const double square = weighted_product(u, u);
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  for (double& value : u) value *= scale;
  return u;
}

void LinearLearner::fill_positions(const Dataset& data, std::vector<double>& positions) const {
  const std::size_t count = chosen_.size();
  positions.assign(data.rows * count, 0);
  parallel_for(space_.threads(), count, [&](std::size_t j) {
    each_value(data.columns[chosen_[j].feature], data.rows,
               [&](std::size_t i, double x) { positions[i * count + j] = chosen_[j].position(x); });
  });
}

// Adds the rows of a block to the normal equations of the channels [first, last), which share their
// weights: the lower triangle of X'WX (size x size), then X'R of each channel.
template <class Weight>
void LinearLearner::add_equations(std::size_t begin, std::size_t end, std::size_t first,
                                  std::size_t last, const Weight& weight, double* sums) const {
  const std::size_t size = chosen_.size() + 1;
  double* const right = sums + size * size;
  std::vector<double> x(size, 1);
  for (std::size_t i = begin; i < end; ++i) {
    std::copy_n(positions_.data() + i * chosen_.size(), chosen_.size(), x.data() + 1);
    const double w = weight(i);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b <= a; ++b) sums[a * size + b] += w * x[a] * x[b];
      for (std::size_t k = first; k < last; ++k)
        right[(k - first) * size + a] += x[a] * static_cast<double>(pulls_[i * width_ + k]);
    }
  }
}

// The normal equations of each channel: (X'WX + l2 I) b = X'R, X a column of ones and the
// positions. Channels share X'WX unless each has a curvature of its own.
void LinearLearner::solve() {
  const std::size_t size = chosen_.size() + 1;
  const bool shared = !space_.given(curvature_);
  const std::size_t together = shared ? width_ : 1;
  const std::size_t one = size * size + together * size;
  const std::vector<double> sums = space_.rounded_sums(
      kLinearLearnerRowBlock, width_ / together * one,
      [&](std::size_t begin, std::size_t end, double* out) {
        if (shared)
          return add_equations(
              begin, end, 0, width_, [&](std::size_t i) { return weights_[i]; }, out);
        for (std::size_t k = 0; k < width_; ++k)
          add_equations(
              begin, end, k, k + 1,
              [&](std::size_t i) { return static_cast<double>(curvature_[i * width_ + k]); },
              out + k * one);
      });
  intercept_.assign(width_, 0);
  slopes_.assign(chosen_.size() * width_, 0);
  for (std::size_t first = 0; first < width_; first += together) {
    check_stop();
    const auto at = sums.begin() + static_cast<std::ptrdiff_t>(first / together * one);
    const auto right = at + static_cast<std::ptrdiff_t>(size * size);
    std::vector<double> matrix(at, right);
    for (std::size_t a = 0; a < size; ++a) matrix[a * size + a] += l2_;
    factorise_cholesky(matrix, size);
    std::vector<double> solution(size);
    for (std::size_t k = first; k < first + together; ++k) {
      std::copy_n(right + static_cast<std::ptrdiff_t>((k - first) * size), size, solution.begin());
      solve_cholesky(matrix, size, solution.data());
      intercept_[k] = static_cast<float>(solution[0]);
      for (std::size_t j = 0; j < chosen_.size(); ++j)
        slopes_[j * width_ + k] = static_cast<float>(solution[j + 1]);
    }
  }
}

void LinearLearner::fill_values(const std::vector<double>& positions,
                                std::vector<float>& values) const {
  const std::size_t count = chosen_.size();
  parallel_blocks(
      space_.threads(), values.size() / std::max<std::size_t>(width_, 1), kLinearLearnerRowBlock,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          float* out = values.data() + i * width_;
          std::copy(intercept_.begin(), intercept_.end(), out);
          for (std::size_t j = 0; j < count; ++j)
            for (std::size_t k = 0; k < width_; ++k)
              out[k] += static_cast<float>(positions[i * count + j] * slopes_[j * width_ + k]);
        }
      });
}

void LinearLearner::append_to(Forest& forest, double factor) const {
  const auto times = [factor](std::vector<float> values) {
    for (float& value : values) value = static_cast<float>(value * factor);
    return values;
  };
  append_linear(forest, chosen_, times(intercept_), times(slopes_), output_);
}

RowVectors LinearLearner::apply(const LearnerData& data) {
  std::vector<double> positions;
  fill_positions(data.raw, positions);
  values_elsewhere_.resize(data.raw.rows * width_);
  fill_values(positions, values_elsewhere_);
  return {nullptr, values_elsewhere_.data(), width_, output_};
}

}  // namespace simplexboost
