#include "optimizer/mislabel_boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "base/reduce.h"
#include "loss/vector_math.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;
// A hypothesis without error (U = 1) would have an infinite step: it counts as lacking this much.
constexpr double kLeastLack = 1e-12;
constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

MislabelBoosting::MislabelBoosting(const Problem& problem, const MislabelOptions& options)
    : problem_(problem),
      options_(options),
      row_log_weights_(problem.rows),
      pulls_(problem.rows * problem.classes),
      own_pulls_(options.class_pulls ? pulls_.size() : 0),
      weights_(problem.rows) {
  const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
  for (std::size_t i = 0; i < problem.rows; ++i)
    row_log_weights_[i] = std::log(problem.weights[i] / total);
}

// Writes the shares of the row's weight: they sum to 1 over the labels that hold and to -1 over the
// others. Returns the log of the row's weight, which is the mean over its mislabels.
double MislabelBoosting::weigh_row(std::size_t row, const float* scores, float* pulls) const {
  const std::size_t classes = problem_.classes;
  const Labels& labels = problem_.labels;
  const std::size_t first = labels.multi_label() ? labels.offsets[row] : row;
  const std::size_t last = labels.multi_label() ? labels.offsets[row + 1] : row + 1;
  const std::size_t holding = last - first;
  if (holding == 0 || holding == classes) {
    std::fill(pulls, pulls + classes, 0.0F);
    return kNever;
  }
  thread_local std::vector<std::uint8_t> holds;
  holds.assign(classes, 0);
  for (std::size_t k = first; k < last; ++k) holds[static_cast<std::size_t>(labels.codes[k])] = 1;
  // Twice a log-sum-exp: of -rate f over the labels that hold, and of rate f over the others.
  const auto rate = static_cast<float>(options_.rate);
  float largest[2] = {-std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()};
  for (std::size_t l = 0; l < classes; ++l) {
    pulls[l] = holds[l] != 0 ? -rate * scores[l] : rate * scores[l];
    largest[holds[l]] = std::max(largest[holds[l]], pulls[l]);
  }
  for (std::size_t l = 0; l < classes; ++l) pulls[l] -= largest[holds[l]];
  vector_exp(pulls, pulls, classes);
  float sums[2] = {0, 0};
  for (std::size_t l = 0; l < classes; ++l) sums[holds[l]] += pulls[l];
  for (std::size_t l = 0; l < classes; ++l) pulls[l] /= holds[l] != 0 ? sums[1] : -sums[0];
  const auto pairs = static_cast<double>(holding) * static_cast<double>(classes - holding);
  return row_log_weights_[row] + static_cast<double>(largest[0]) + static_cast<double>(largest[1]) +
         std::log(static_cast<double>(sums[0])) + std::log(static_cast<double>(sums[1])) -
         std::log(pairs);
}

FitTarget MislabelBoosting::target(const float* scores) {
  const std::size_t classes = problem_.classes;
  std::vector<double> logs(problem_.rows);
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i)
                      logs[i] = weigh_row(i, scores + i * classes, pulls_.data() + i * classes);
                  });
  // Taken off before exp, so that no run ends in zeros.
  const double most = *std::max_element(logs.begin(), logs.end());
  if (most == kNever) return {problem_.rows, classes, pulls_.data(), weights_.data(), nullptr};
  const double sum = sum_blocks(problem_.threads, problem_.rows, kRowBlock,
                                [&](std::size_t begin, std::size_t end) {
                                  double total = 0;
                                  for (std::size_t i = begin; i < end; ++i)
                                    total += std::exp(logs[i] - most);
                                  return total;
                                });
  log_risk_ = most + std::log(sum);
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      weights_[i] = static_cast<float>(std::exp(logs[i] - log_risk_));
                      float* pulls = pulls_.data() + i * classes;
                      for (std::size_t l = 0; l < classes; ++l) pulls[l] *= weights_[i];
                      if (options_.class_pulls)
                        for (std::size_t l = 0; l < classes; ++l)
                          own_pulls_[i * classes + l] = std::max(pulls[l], 0.0F);
                    }
                  });
  const std::vector<float>& shown = options_.class_pulls ? own_pulls_ : pulls_;
  return {problem_.rows, classes, shown.data(), weights_.data(), nullptr};
}

// 1 - U as a sum of what each class lacks to the best that can be said of it: nothing, to the last
// bit, where all is right.
double MislabelBoosting::lack_of(const RowVectors& hypothesis) const {
  const std::size_t classes = problem_.classes;
  const auto lowest = static_cast<float>(options_.lowest);
  const double lack = sum_blocks(problem_.threads, problem_.rows, kRowBlock,
                                 [&](std::size_t begin, std::size_t end) {
                                   double total = 0;
                                   for (std::size_t i = begin; i < end; ++i) {
                                     const float* h = hypothesis.of(i);
                                     const float* pull = pulls_.data() + i * classes;
                                     float row = 0;
                                     for (std::size_t l = 0; l < classes; ++l)
                                       row += pull[l] * ((pull[l] > 0 ? 1.0F : lowest) - h[l]);
                                     total += row;
                                   }
                                   return total;
                                 });
  return lack / (1 - options_.lowest);
}

Step MislabelBoosting::step(const RowVectors& hypothesis) {
  if (std::all_of(weights_.begin(), weights_.end(), [](float weight) { return !(weight > 0); }))
    return {0, "no row has both a label that holds and one that does not"};
  lack_ = lack_of(hypothesis);
  edge_ = 1 - lack_;
  if (!(edge_ > 0))
    return {0, "no weak hypothesis tells the labels from the mislabels (pseudo-loss 1/2 or more)"};
  length_ = 0.5 * std::log((1 + edge_) / std::max(lack_, kLeastLack)) /
            (options_.rate * (1 - options_.lowest));
  if (lack_ < kLeastLack)
    return {length_, "the last weak hypothesis makes no error on the training set"};
  return {length_, {}};
}

// The bound on the weights' sum by convexity, at the step that was taken: sqrt(1 - U^2) where it is
// alpha.
void MislabelBoosting::advance(const RowVectors& /*hypothesis*/, double length) {
  length_ = length;
  const double exponent = options_.rate * (1 - options_.lowest) * length;
  log_bound_ += std::log(
      0.5 * (std::max(lack_, kLeastLack) * std::exp(exponent) + (1 + edge_) * std::exp(-exponent)));
}

std::vector<RoundMetric> MislabelBoosting::metrics() const {
  if (!options_.pseudo_loss) return {{"edge", edge_}, {"step", length_}, {"log_risk", log_risk_}};
  // The power of 2 in jmlr2005 (23) is one too low: before the first round the bound is K - 1.
  const double bound = static_cast<double>(problem_.classes - 1) * std::exp(log_bound_);
  return {{"pseudo_loss", lack_ / 2}, {"step", length_}, {"bound_23", bound}};
}

}  // namespace simplexboost
