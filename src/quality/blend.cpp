#include "quality/blend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lbfgs.h"
#include "base/threads/parallel.h"
#include "model/predict/pool.h"

namespace simplexboost {
namespace {

constexpr double kLeastProbability = 1e-12;

// What the members gave to the truth, members to an observation; and how much each counts.
struct Observations {
  std::vector<double> truths;
  std::vector<double> weights;
};

Observations gather(std::span<const Matrix> members, const Labels& labels,
                    const std::vector<double>& weights, std::span<const std::uint8_t> marked) {
  Observations result;
  const std::size_t classes = labels.classes.size();
  const auto add = [&](std::size_t i, std::size_t k, bool holds, double weight) {
    for (const Matrix& member : members) {
      const auto p = static_cast<double>(member.row(i)[k]);
      result.truths.push_back(std::max(holds ? p : 1 - p, kLeastProbability));
    }
    result.weights.push_back(weight);
  };
  for (std::size_t i = 0; i < members[0].rows; ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if ((!marked.empty() && marked[i] == 0) || !(weight > 0)) continue;
    if (!labels.multi_label()) {
      if (labels.codes[i] >= 0) add(i, static_cast<std::size_t>(labels.codes[i]), true, weight);
      continue;
    }
    std::size_t next = labels.offsets[i];
    const float* known = labels.row_weights(i);
    for (std::size_t k = 0; k < classes; ++k) {
      const bool holds =
          next < labels.offsets[i + 1] && static_cast<std::size_t>(labels.codes[next]) == k;
      next += holds ? 1 : 0;
      const double counts = known ? static_cast<double>(known[k]) : 1;
      if (counts > 0) add(i, k, holds, weight * counts);
    }
  }
  return result;
}

// One step of expectation maximisation: each member's mean share of what was given to the truth.
// The log loss falls with every step.
std::vector<double> improved(const Observations& seen, const std::vector<double>& now) {
  const std::size_t count = now.size();
  std::vector<double> next(count);
  double total = 0;
  for (std::size_t i = 0; i < seen.weights.size(); ++i) {
    const double* p = seen.truths.data() + i * count;
    const double mean = std::inner_product(now.begin(), now.end(), p, 0.0);
    for (std::size_t m = 0; m < count; ++m) next[m] += seen.weights[i] * now[m] * p[m] / mean;
    total += seen.weights[i];
  }
  for (double& weight : next) weight /= total;
  return next;
}

// Those of next to no weight have none, and the others sum to 1.
void tidy(std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights)
    if (weight < kLeastWeight * all) weight = 0;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

double pooled_log(float p) { return std::log(std::max(static_cast<double>(p), kLeastPooled)); }

// The log loss of a product of probabilities by the powers that they are raised to, and its slope.
class ProductLoss {
 public:
  ProductLoss(std::span<const Matrix> members, const Labels& labels,
              const std::vector<double>& weights, std::span<const std::uint8_t> marked)
      : members_(members.size()), classes_(labels.classes.size()) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < members[0].rows; ++i)
      if ((marked.empty() || marked[i] != 0) && labels.codes[i] >= 0) rows.push_back(i);
    const std::size_t count = std::min(rows.size(), std::max(kLeastRows, kNumbers / classes_));
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = rows[r * rows.size() / count];
      for (const Matrix& member : members)
        std::transform(member.row(i), member.row(i) + classes_, std::back_inserter(logs_),
                       [](float p) { return static_cast<float>(pooled_log(p)); });
      truth_.push_back(static_cast<std::size_t>(labels.codes[i]));
      weights_.push_back(weights.empty() ? 1 : weights[i]);
    }
    total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  }

  bool empty() const { return !(total_ > 0); }

  double operator()(std::span<const double> powers, std::span<double> slope) {
    std::fill(slope.begin(), slope.end(), 0.0);
    std::vector<double> scores(classes_);
    double loss = 0;
    for (std::size_t r = 0; r < truth_.size(); ++r) {
      const float* logs = logs_.data() + r * members_ * classes_;
      std::fill(scores.begin(), scores.end(), 0.0);
      for (std::size_t m = 0; m < members_; ++m)
        for (std::size_t k = 0; k < classes_; ++k)
          scores[k] += powers[m] * static_cast<double>(logs[m * classes_ + k]);
      const double own = scores[truth_[r]];
      const double top = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - top);
      const double counts = weights_[r] / total_;
      loss += counts * (std::log(sum) + top - own);
      for (std::size_t m = 0; m < members_; ++m) {
        const float* one = logs + m * classes_;
        double mean = 0;
        for (std::size_t k = 0; k < classes_; ++k) mean += scores[k] * static_cast<double>(one[k]);
        slope[m] += counts * (mean / sum - static_cast<double>(one[truth_[r]]));
      }
    }
    return loss;
  }

 private:
  // Three numbers are to be found, for which some rows are enough.
  static constexpr std::size_t kNumbers = 200'000;
  static constexpr std::size_t kLeastRows = 2000;

  std::size_t members_;
  std::size_t classes_;
  std::vector<float> logs_;  // rows x members x classes
  std::vector<std::size_t> truth_;
  std::vector<double> weights_;
  double total_ = 0;
};

}  // namespace

std::vector<double> blend_weights(std::span<const Matrix> members, const Labels& labels,
                                  const std::vector<double>& weights,
                                  std::span<const std::uint8_t> marked) {
  constexpr int kSteps = 100;
  std::vector<double> result(members.size(), 1 / static_cast<double>(members.size()));
  const Observations seen = gather(members, labels, weights, marked);
  if (members.size() < 2 || seen.weights.empty()) return result;
  for (int step = 0; step < kSteps; ++step) result = improved(seen, result);
  tidy(result);
  return result;
}

std::vector<double> product_weights(std::span<const Matrix> members, const Labels& labels,
                                    const std::vector<double>& weights,
                                    std::span<const std::uint8_t> marked) {
  constexpr double kPrior = 1e-3;  // draws them to 1, where rows say next to nothing
  const auto count = static_cast<double>(members.size());
  std::vector<double> roots(members.size(), std::sqrt(1 / count));
  ProductLoss loss(members, labels, weights, marked);
  // Powers are squares, so that they cannot be below 0.
  const auto of_roots = [&](std::span<const double> x, std::span<double> slope) {
    std::vector<double> powers(x.begin(), x.end());
    for (double& power : powers) power *= power;
    double value = loss(powers, slope);
    for (std::size_t m = 0; m < powers.size(); ++m) {
      const double off = powers[m] - 1 / count;
      value += kPrior * off * off / 2;
      slope[m] = 2 * x[m] * (slope[m] + kPrior * off);
    }
    return value;
  };
  if (members.size() > 1 && !loss.empty()) minimise(of_roots, roots, {30, 1e-6, 0.1});
  for (double& root : roots) root *= root;
  tidy(roots);
  return roots;
}

namespace {

// Of the rows [begin, end).
void multiply(std::span<const Matrix> members, const std::vector<double>& weights,
              std::size_t begin, std::size_t end, Matrix& result) {
  std::vector<double> scores(result.columns);
  for (std::size_t i = begin; i < end; ++i) {
    std::fill(scores.begin(), scores.end(), 0.0);
    for (std::size_t m = 0; m < members.size(); ++m)
      if (weights[m] > 0)
        for (std::size_t k = 0; k < scores.size(); ++k)
          scores[k] += weights[m] * pooled_log(members[m].row(i)[k]);
    const double top = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - top);
    for (std::size_t k = 0; k < scores.size(); ++k)
      result.row(i)[k] = static_cast<float>(scores[k] / sum);
  }
}

}  // namespace

Matrix blend(Pool pool, std::span<const Matrix> members, const std::vector<double>& weights,
             int threads) {
  constexpr std::size_t kBlock = 4096;
  constexpr std::size_t kRowBlock = 256;
  Matrix result{members[0].rows, members[0].columns, std::vector<float>(members[0].values.size())};
  if (pool == Pool::kProduct) {
    parallel_blocks(threads, result.rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
      multiply(members, weights, begin, end, result);
    });
    return result;
  }
  parallel_blocks(threads, result.values.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (weights[m] == 0) continue;
      for (std::size_t i = begin; i < end; ++i)
        result.values[i] += static_cast<float>(weights[m]) * members[m].values[i];
    }
  });
  return result;
}

}  // namespace simplexboost
