#include "optimizer/hamming_boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "loss/math/vector_math.h"

namespace simplexboost {
namespace {

constexpr std::size_t kHammingRowBlock = RowSpace::kBlock;
// Z so close to 1 is rounding.
constexpr double kLeastFall = 1e-6;

// W of the class that holds and of each other one, rounded as Labels::weights are: who gives these
// weights gets the usual model.
struct FirstShares {
  float yes = 1;
  float no = 1;
};

FirstShares usual_shares(const Problem& problem) {
  if (problem.labels.multi_label()) return {};
  return {0.5F, static_cast<float>(0.5 / static_cast<double>(problem.classes - 1))};
}

}  // namespace

double first_odds(const Problem& problem) {
  const Labels& labels = problem.labels;
  if (labels.multi_label()) return 1;
  if (!problem.weighs_labels()) {
    const FirstShares shares = usual_shares(problem);
    return static_cast<double>(shares.yes) / static_cast<double>(shares.no);
  }
  const std::vector<double> totals = problem.space.sums(
      kHammingRowBlock, 2, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const float* weights = labels.row_weights(i);
          const auto own = static_cast<double>(weights[labels.codes[i]]);
          const double all = std::accumulate(weights, weights + problem.classes, 0.0);
          sums[0] += problem.weights[i] * own;
          sums[1] += problem.weights[i] * (all - own);
        }
      });
  const double yes = totals[0];
  const double no = totals[1];
  return yes > 0 && no > 0 ? yes / no * static_cast<double>(problem.classes - 1) : 1;
}

HammingBoosting::HammingBoosting(const Problem& problem, const HammingOptions& options)
    : problem_(problem),
      row_log_weights_(LogWeights(problem).logs()),
      label_logs_(label_logs(problem.labels)),
      options_(options),
      pulls_(problem.rows() * problem.classes),
      extra_(options.confident || options.class_pulls ? pulls_.size() : 0),
      weights_(problem.rows()) {
  const auto log_of = [](float share) {
    return static_cast<float>(std::log(static_cast<double>(share)));
  };
  const FirstShares shares = usual_shares(problem);
  log_share_yes_ = log_of(shares.yes);
  log_share_no_ = log_of(shares.no);
  if (problem_.labels.multi_label()) log_total_ = std::log(static_cast<double>(problem_.classes));
  if (problem.weighs_labels()) log_total_ = log_total();
}

double HammingBoosting::log_total() const {
  const std::size_t classes = problem_.classes;
  const double total =
      problem_.space.sum(kHammingRowBlock, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const float* weights = problem_.labels.row_weights(i);
          part += std::exp(row_log_weights_[i]) * std::accumulate(weights, weights + classes, 0.0);
        }
        return part;
      });
  // So near to the usual one the difference is rounding.
  constexpr double kRounding = 1e-6;
  const double log = std::log(total);
  return std::fabs(log - log_total_) < kRounding ? log_total_ : log;
}

float HammingBoosting::log_pulls(std::size_t begin, std::size_t end, const float* scores) {
  const std::size_t classes = problem_.classes;
  std::vector<float> signs(classes);
  float largest = -std::numeric_limits<float>::infinity();
  for (std::size_t i = begin; i < end; ++i) {
    row_signs(problem_.labels, i, classes, signs.data());
    const auto row = static_cast<float>(row_log_weights_[i]);
    const float yes = row + log_share_yes_;
    const float no = row + log_share_no_;
    const float* score = scores + i * classes;
    float* pull = pulls_.data() + i * classes;
    if (label_logs_.empty()) {
      for (std::size_t l = 0; l < classes; ++l)
        pull[l] = (signs[l] > 0 ? yes : no) - score[l] * signs[l];
    } else {
      const float* logs = label_logs_.data() + i * classes;
      for (std::size_t l = 0; l < classes; ++l) pull[l] = (row + logs[l]) - score[l] * signs[l];
    }
    largest = std::max(largest, *std::max_element(pull, pull + classes));
  }
  return largest;
}

RoundTarget HammingBoosting::target(const float* scores) {
  const std::size_t classes = problem_.classes;
  const auto most = static_cast<float>(
      problem_.space.maximum(kHammingRowBlock, [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(log_pulls(begin, end, scores));
      }));
  const double sum = problem_.space.sum(kHammingRowBlock, [&](std::size_t begin, std::size_t end) {
    float* const block = pulls_.data() + begin * classes;
    const std::size_t size = (end - begin) * classes;
    for (std::size_t at = 0; at < size; ++at) block[at] -= most;
    vector_exp(block, block, size);
    double total = 0;
    for (std::size_t at = 0; at < size; ++at) total += block[at];
    return total;
  });
  log_risk_ = most + std::log(sum) - log_total_;
  const auto scale = static_cast<float>(1 / sum);
  problem_.space.for_blocks(kHammingRowBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> signs(classes);
    for (std::size_t i = begin; i < end; ++i) {
      row_signs(problem_.labels, i, classes, signs.data());
      float weight = 0;
      for (std::size_t l = 0; l < classes; ++l) {
        float& pull = pulls_[i * classes + l];
        pull *= scale;
        weight += pull;
        if (!extra_.empty()) extra_[i * classes + l] = options_.confident ? pull : 0;
        pull *= signs[l];
      }
      weights_[i] = weight;
      if (options_.class_pulls)
        extra_[i * classes + static_cast<std::size_t>(problem_.labels.codes[i])] = weight;
    }
  });
  return {{problem_.rows(), classes, present(options_.class_pulls ? extra_ : pulls_),
           present(weights_), options_.confident ? present(extra_) : nullptr}};
}

double HammingBoosting::z_of(const RowVectors& hypothesis) const {
  const std::size_t classes = problem_.classes;
  return problem_.space.sum(kHammingRowBlock, [&](std::size_t begin, std::size_t end) {
    double total = 0;
    std::vector<float> falls(classes);
    for (std::size_t i = begin; i < end; ++i) {
      const float* h = hypothesis.of(i);
      const float* pull = pulls_.data() + i * classes;
      for (std::size_t l = 0; l < classes; ++l) falls[l] = pull[l] > 0 ? -h[l] : h[l];
      vector_exp(falls.data(), falls.data(), classes);
      for (std::size_t l = 0; l < classes; ++l)
        total += static_cast<double>(std::fabs(pull[l]) * falls[l]);
    }
    return total;
  });
}

Step HammingBoosting::ternary_step(const RowVectors& hypothesis) {
  const std::size_t classes = problem_.classes;
  const std::vector<double> cast = problem_.space.sums(
      kHammingRowBlock, 2, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const float* h = hypothesis.of(i);
          const float* pull = pulls_.data() + i * classes;
          for (std::size_t l = 0; l < classes; ++l)
            if (h[l] != 0)
              sums[pull[l] * h[l] < 0 ? 1 : 0] += std::fabs(static_cast<double>(pull[l]));
        }
      });
  edge_ = cast[0] - cast[1];
  if (!(edge_ > 0)) return {0, "no weak hypothesis has a positive edge"};
  const double pairs = static_cast<double>(problem_.space.all()) * static_cast<double>(classes);
  length_ = 0.5 * std::log(cast[0] / std::max(cast[1], 1 / pairs));
  if (!(length_ > 0)) return {0, "no weak hypothesis lowers the sum of the weights"};
  z_ = 1 - cast[0] - cast[1] + cast[0] * std::exp(-length_) + cast[1] * std::exp(length_);
  return {length_, {}};
}

Step HammingBoosting::step(const RowVectors& hypothesis) {
  if (options_.ternary) return ternary_step(hypothesis);
  if (options_.confident) {
    z_ = z_of(hypothesis);
    if (!(z_ < 1 - kLeastFall)) return {0, "no weak hypothesis lowers the sum of the weights"};
    length_ = 1;
    return {length_, {}};
  }
  const double lack = edge_lack(problem_, pulls_.data(), hypothesis, -1);
  edge_ = 1 - lack;
  if (!(edge_ > 0)) return {0, "no weak hypothesis has a positive edge"};
  length_ = 0.5 * std::log((1 + edge_) / std::max(lack, kLeastLack));
  if (lack < kLeastLack) return {length_, kNoError};
  return {length_, {}};
}

std::vector<RoundMetric> HammingBoosting::metrics() const {
  if (options_.confident) return {{"z", z_}, {"step", length_}, {"log_risk", log_risk_}};
  if (options_.ternary)
    return {{"edge", edge_}, {"z", z_}, {"step", length_}, {"log_risk", log_risk_}};
  return {{"edge", edge_}, {"step", length_}, {"log_risk", log_risk_}};
}

}  // namespace simplexboost
