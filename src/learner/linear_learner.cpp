#include "learner/linear_learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "learner/cholesky.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;
// A feature of which less than this share is new beside the chosen ones is not worth its noise.
constexpr double kLeastNew = 1e-9;

// Calls use(row, value) for every row whose value is not missing.
template <class Use>
void each_value(const Column& column, std::size_t rows, const Use& use) {
  std::array<double, kRowBlock> values;
  for (std::size_t begin = 0; begin < rows; begin += kRowBlock) {
    const std::size_t end = std::min(begin + kRowBlock, rows);
    column.copy(begin, end, values.data());
    for (std::size_t i = begin; i < end; ++i)
      if (!std::isnan(values[i - begin])) use(i, values[i - begin]);
  }
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
  for (const LinearFeature& range : all)
    if (range.low < range.high && std::isfinite(range.high - range.low)) ranges_.push_back(range);
}

RowVectors LinearLearner::fit(const FitTarget& target, const Sample& sample) {
  set_rows(target, sample);
  start_candidates(sample);
  choose();
  fill_positions(data_, positions_);
  solve();
  values_.resize(data_.rows * width_);
  fill_values(positions_, values_);
  return {nullptr, values_.data(), width_, output_};
}

// Rows that are not sampled take part with weight and pull 0.
void LinearLearner::set_rows(const FitTarget& target, const Sample& sample) {
  width_ = target.width;
  output_ = target.output;
  weights_.assign(target.rows, 0);
  const auto weigh = [&](std::size_t i) {
    if (target.weights) return static_cast<double>(target.weights[i]);
    if (!target.curvature) return 1.0;
    double sum = 0;
    for (std::size_t k = 0; k < width_; ++k)
      sum += static_cast<double>(target.curvature[i * width_ + k]);
    return sum / static_cast<double>(width_);
  };
  if (sample.rows.empty()) {
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
  parallel_for(space_.threads(), candidates_.size(),
               [&](std::size_t c) { measure(candidates_[c]); });
}

// Sums over the rows where the feature is known: about `low` first, then about the mean.
void LinearLearner::measure(Candidate& candidate) const {
  LinearFeature& scale = candidate.scale;
  scale.center = scale.low;
  double weight = 0;
  double first = 0;
  double second = 0;
  std::vector<double> pull(width_);
  std::vector<double>& pull_first = candidate.pull;
  pull_first.assign(width_, 0);
  each_value(data_.columns[scale.feature], data_.rows, [&](std::size_t i, double x) {
    const double t = scale.position(x);
    weight += weights_[i];
    first += weights_[i] * t;
    second += weights_[i] * t * t;
    const float* row = pulls_ + i * width_;
    for (std::size_t k = 0; k < width_; ++k) {
      pull[k] += static_cast<double>(row[k]);
      pull_first[k] += static_cast<double>(row[k]) * t;
    }
  });
  if (!(weight > 0)) return;
  const double mean = first / weight;
  scale.center = std::clamp(scale.low + mean * (scale.high - scale.low), scale.low, scale.high);
  candidate.square = std::max(0.0, second - mean * first);
  if (candidate.square <= kLeastNew * kLeastNew * second) candidate.square = 0;
  candidate.whole_square = candidate.square;
  for (std::size_t k = 0; k < width_; ++k) pull_first[k] -= mean * pull[k];
}

double LinearLearner::Candidate::gain(double l2) const {
  if (taken || !(square > kLeastNew * whole_square)) return 0;
  double sum = 0;
  for (const double p : pull) sum += p * p;
  return sum / (square + l2);
}

// Takes away what the candidate shares with a direction just chosen (Gram-Schmidt), from its square
// and from its part in the pulls.
void LinearLearner::project(Candidate& candidate, const std::vector<double>& direction,
                            const std::vector<double>& direction_pull) const {
  double shared = 0;
  each_value(data_.columns[candidate.scale.feature], data_.rows, [&](std::size_t i, double x) {
    shared += weights_[i] * candidate.scale.position(x) * direction[i];
  });
  candidate.square -= shared * shared;
  for (std::size_t k = 0; k < width_; ++k) candidate.pull[k] -= shared * direction_pull[k];
}

void LinearLearner::choose() {
  chosen_.clear();
  directions_.clear();
  while (chosen_.size() < static_cast<std::size_t>(options_.features)) {
    Candidate* best = nullptr;
    double best_gain = 0;
    for (Candidate& candidate : candidates_) {
      const double gain = candidate.gain(options_.l2);
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
    const std::vector<double>& direction = directions_.back();
    std::vector<double> pull(width_);
    for (std::size_t i = 0; i < data_.rows; ++i)
      for (std::size_t k = 0; k < width_; ++k)
        pull[k] += direction[i] * static_cast<double>(pulls_[i * width_ + k]);
    parallel_for(space_.threads(), candidates_.size(), [&](std::size_t c) {
      if (!candidates_[c].taken) project(candidates_[c], direction, pull);
    });
  }
}

// The candidate's positions, less their part along the directions so far, of length 1.
std::vector<double> LinearLearner::next_direction(const Candidate& candidate) const {
  std::vector<double> u(data_.rows);
  each_value(data_.columns[candidate.scale.feature], data_.rows,
             [&](std::size_t i, double x) { u[i] = candidate.scale.position(x); });
  for (const std::vector<double>& q : directions_) {
    double shared = 0;
    for (std::size_t i = 0; i < u.size(); ++i) shared += weights_[i] * u[i] * q[i];
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= shared * q[i];
  }
  double square = 0;
  for (std::size_t i = 0; i < u.size(); ++i) square += weights_[i] * u[i] * u[i];
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

// The normal equations of each channel: (X'WX + l2 I) b = X'R, X a column of ones and the
// positions.
void LinearLearner::solve() {
  const std::size_t size = chosen_.size() + 1;
  intercept_.assign(width_, 0);
  slopes_.assign(chosen_.size() * width_, 0);
  const auto solve_channels = [&](std::size_t first, std::size_t last, const auto& weight) {
    std::vector<double> matrix(size * size);
    std::vector<double> right((last - first) * size);
    std::vector<double> x(size, 1);
    for (std::size_t i = 0; i < data_.rows; ++i) {
      std::copy_n(positions_.data() + i * chosen_.size(), chosen_.size(), x.data() + 1);
      const double w = weight(i);
      for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b <= a; ++b) matrix[a * size + b] += w * x[a] * x[b];
        for (std::size_t k = first; k < last; ++k)
          right[(k - first) * size + a] += x[a] * static_cast<double>(pulls_[i * width_ + k]);
      }
    }
    for (std::size_t a = 0; a < size; ++a) matrix[a * size + a] += options_.l2;
    factorise_cholesky(matrix, size);
    for (std::size_t k = first; k < last; ++k) {
      double* solution = right.data() + (k - first) * size;
      solve_cholesky(matrix, size, solution);
      intercept_[k] = static_cast<float>(solution[0]);
      for (std::size_t j = 0; j < chosen_.size(); ++j)
        slopes_[j * width_ + k] = static_cast<float>(solution[j + 1]);
    }
  };
  if (!curvature_) return solve_channels(0, width_, [&](std::size_t i) { return weights_[i]; });
  parallel_for(space_.threads(), width_, [&](std::size_t k) {
    solve_channels(k, k + 1, [&, k](std::size_t i) {
      return static_cast<double>(curvature_[i * width_ + k]);
    });
  });
}

void LinearLearner::fill_values(const std::vector<double>& positions,
                                std::vector<float>& values) const {
  const std::size_t count = chosen_.size();
  parallel_blocks(
      space_.threads(), values.size() / std::max<std::size_t>(width_, 1), kRowBlock,
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
