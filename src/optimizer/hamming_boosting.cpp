#include "optimizer/hamming_boosting.h"

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
// A perfect cut (edge 1) would have an infinite step: its edge counts as lacking this much.
constexpr double kLeastLack = 1e-12;

}  // namespace

HammingBoosting::HammingBoosting(const Problem& problem)
    : problem_(problem),
      row_log_weights_(problem.rows),
      pulls_(problem.rows * problem.classes),
      weights_(problem.rows) {
  const auto classes = static_cast<double>(problem_.classes);
  const bool multi = problem_.labels.multi_label();
  log_share_yes_ = static_cast<float>(std::log(multi ? 1 / classes : 0.5));
  log_share_no_ = static_cast<float>(std::log(multi ? 1 / classes : 0.5 / (classes - 1)));
  const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
  for (std::size_t i = 0; i < problem.rows; ++i)
    row_log_weights_[i] = static_cast<float>(std::log(problem.weights[i] / total));
}

void HammingBoosting::sign_row(std::size_t row, float* signs) const {
  std::fill(signs, signs + problem_.classes, -1.0F);
  const Labels& labels = problem_.labels;
  if (!labels.multi_label()) {
    signs[labels.codes[row]] = 1;
    return;
  }
  for (std::size_t k = labels.offsets[row]; k < labels.offsets[row + 1]; ++k)
    signs[labels.codes[k]] = 1;
}

FitTarget HammingBoosting::target(const float* scores) {
  const std::size_t classes = problem_.classes;
  // log W = log W0 - f y, in pulls_; its maximum is taken off before exp.
  std::vector<float> largest((problem_.rows + kRowBlock - 1) / kRowBlock,
                             -std::numeric_limits<float>::infinity());
  parallel_blocks(
      problem_.threads, problem_.rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
        std::vector<float> signs(classes);
        float& block_largest = largest[begin / kRowBlock];
        for (std::size_t i = begin; i < end; ++i) {
          sign_row(i, signs.data());
          const float yes = row_log_weights_[i] + log_share_yes_;
          const float no = row_log_weights_[i] + log_share_no_;
          const float* score = scores + i * classes;
          float* pull = pulls_.data() + i * classes;
          for (std::size_t l = 0; l < classes; ++l)
            pull[l] = (signs[l] > 0 ? yes : no) - score[l] * signs[l];
          block_largest = std::max(block_largest, *std::max_element(pull, pull + classes));
        }
      });
  const float most = *std::max_element(largest.begin(), largest.end());
  const double sum = sum_blocks(problem_.threads, problem_.rows, kRowBlock,
                                [&](std::size_t begin, std::size_t end) {
                                  float* const block = pulls_.data() + begin * classes;
                                  const std::size_t size = (end - begin) * classes;
                                  for (std::size_t at = 0; at < size; ++at) block[at] -= most;
                                  vector_exp(block, block, size);
                                  double total = 0;
                                  for (std::size_t at = 0; at < size; ++at) total += block[at];
                                  return total;
                                });
  log_risk_ = most + std::log(sum);
  const auto scale = static_cast<float>(1 / sum);
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    std::vector<float> signs(classes);
                    for (std::size_t i = begin; i < end; ++i) {
                      sign_row(i, signs.data());
                      float weight = 0;
                      for (std::size_t l = 0; l < classes; ++l) {
                        float& pull = pulls_[i * classes + l];
                        pull *= scale;
                        weight += pull;
                        pull *= signs[l];
                      }
                      weights_[i] = weight;
                    }
                  });
  return {problem_.rows, classes, pulls_.data(), weights_.data(), nullptr};
}

Step HammingBoosting::step(const RowVectors& hypothesis) {
  const std::size_t classes = problem_.classes;
  // What the edge lacks to 1: nothing, to the last bit, where every vote is right.
  const double lack = sum_blocks(problem_.threads, problem_.rows, kRowBlock,
                                 [&](std::size_t begin, std::size_t end) {
                                   double total = 0;
                                   for (std::size_t i = begin; i < end; ++i) {
                                     const float* h = hypothesis.of(i);
                                     const float* pull = pulls_.data() + i * classes;
                                     float row = 0;
                                     for (std::size_t l = 0; l < classes; ++l)
                                       row += std::fabs(pull[l]) - pull[l] * h[l];
                                     total += row;
                                   }
                                   return total;
                                 });
  edge_ = 1 - lack;
  if (!(edge_ > 0)) return {0, "no weak hypothesis has a positive edge"};
  length_ = 0.5 * std::log((1 + edge_) / std::max(lack, kLeastLack));
  if (lack < kLeastLack)
    return {length_, "the last weak hypothesis makes no error on the training set"};
  return {length_, {}};
}

std::vector<RoundMetric> HammingBoosting::metrics() const {
  return {{"edge", edge_}, {"step", length_}, {"log_risk", log_risk_}};
}

}  // namespace simplexboost
