#include "metric/temperature.h"

#include <algorithm>
#include <cmath>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr double kLeastProbability = 1e-12;  // as where scores are pooled (model/predict/pool.cpp)
constexpr double kMostScale = 8;
constexpr std::size_t kScaleBlock = 256;

// As if so many more rows had come true as often as the probabilities say: few rows that are all
// right must not make the model sure without end.
constexpr double kPriorRows = 10;

double bounded_log_odds(double p) {
  const double bounded = std::clamp(p, kLeastProbability, 1 - kLeastProbability);
  return std::log(bounded) - std::log1p(-bounded);
}

}  // namespace

// First and second derivative of the log loss in the scale.
struct ScoreScaleFit::Slope {
  double first = 0;
  double second = 0;
};

ScoreScaleFit::ScoreScaleFit(const JudgedRows& rows, int threads)
    : labels_(rows.labels),
      weights_(rows.weights),
      threads_(threads),
      rows_(rows.probabilities.rows),
      prior_(kPriorRows / (kPriorRows + static_cast<double>(rows_))),
      scores_(rows.probabilities.values.size()),
      expected_(labels_.multi_label() ? 0 : rows_) {
  const std::size_t classes = labels_.classes.size();
  parallel_blocks(threads, rows_, kScaleBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* const p = rows.probabilities.row(i);
      float* const z = scores_.data() + i * classes;
      for (std::size_t k = 0; k < classes; ++k) {
        const auto one = static_cast<double>(p[k]);
        const double score = labels_.multi_label() ? bounded_log_odds(one)
                                                   : std::log(std::max(one, kLeastProbability));
        z[k] = static_cast<float>(score);
        if (!labels_.multi_label()) expected_[i] += one * score;
      }
    }
  });
}

// p_k ~ exp(s z_k): the slope is E z - z_c, its change Var z.
ScoreScaleFit::Slope ScoreScaleFit::slope_of_row(std::size_t row, double scale) const {
  const std::size_t classes = labels_.classes.size();
  const float* const z = scores_.data() + row * classes;
  const auto top = static_cast<double>(*std::max_element(z, z + classes));
  double sum = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    const auto one = static_cast<double>(z[k]);
    const double q = std::exp(scale * (one - top));
    sum += q;
    mean += q * one;
    squares += q * one * one;
  }
  mean /= sum;
  const auto truth = static_cast<double>(z[labels_.codes[row]]);
  return {mean - (1 - prior_) * truth - prior_ * expected_[row],
          std::max(squares / sum - mean * mean, 0.0)};
}

// Each label on its own: q = 1 / (1 + exp(-s z)).
ScoreScaleFit::Slope ScoreScaleFit::slope_of_labels(std::size_t row, double scale) const {
  Slope sum;
  const std::size_t classes = labels_.classes.size();
  const float* const known = labels_.row_weights(row);
  std::size_t next = labels_.offsets[row];
  for (std::size_t k = 0; k < classes; ++k) {
    const bool holds =
        next < labels_.offsets[row + 1] && static_cast<std::size_t>(labels_.codes[next]) == k;
    next += holds ? 1 : 0;
    const double weight = known ? static_cast<double>(known[k]) : 1;
    const auto z = static_cast<double>(scores_[row * classes + k]);
    const double q = 1 / (1 + std::exp(-scale * z));
    const double truth = (1 - prior_) * (holds ? 1 : 0) + prior_ / (1 + std::exp(-z));
    sum.first += weight * (q - truth) * z;
    sum.second += weight * q * (1 - q) * z * z;
  }
  return sum;
}

ScoreScaleFit::Slope ScoreScaleFit::slope(std::span<const std::uint8_t> seen, double scale) const {
  const RowWeights weights(weights_);
  const auto add = [&](std::size_t begin, std::size_t end, double* sums) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool unseen = !seen.empty() && seen[i] == 0;
      if (unseen || (!labels_.multi_label() && labels_.codes[i] < 0)) continue;
      const Slope one = labels_.multi_label() ? slope_of_labels(i, scale) : slope_of_row(i, scale);
      sums[0] += weights[i] * one.first;
      sums[1] += weights[i] * one.second;
    }
  };
  const std::vector<double> sums = RowSpace(rows_, threads_).sums(kScaleBlock, 2, add);
  return {sums[0], sums[1]};
}

// The loss is convex in the scale: Newton's steps, kept within a bracket that they narrow.
double ScoreScaleFit::fit(std::span<const std::uint8_t> seen, double from) const {
  constexpr int kSteps = 12;
  constexpr double kNear = 1e-4;  // a change of the loss by the square of it
  double low = 1 / kMostScale;
  double high = kMostScale;
  double scale = from;
  for (int i = 0; i < kSteps; ++i) {
    const Slope now = slope(seen, scale);
    if (now.first == 0 || !(now.second > 0)) break;
    (now.first > 0 ? high : low) = scale;
    double next = scale - now.first / now.second;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    const bool done = std::fabs(next - scale) < kNear * scale;
    scale = next;
    if (done) break;
  }
  return scale;
}

double fit_score_scale(const JudgedRows& rows, int threads) {
  return ScoreScaleFit(rows, threads).fit(rows.seen, 1);
}

}  // namespace simplexboost
