#include "quality/blend.h"

#include <algorithm>
#include <numeric>

#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr double kLeastWeight = 0.02;
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

}  // namespace

std::vector<double> blend_weights(std::span<const Matrix> members, const Labels& labels,
                                  const std::vector<double>& weights,
                                  std::span<const std::uint8_t> marked) {
  constexpr int kSteps = 100;
  std::vector<double> result(members.size(), 1 / static_cast<double>(members.size()));
  const Observations seen = gather(members, labels, weights, marked);
  if (members.size() < 2 || seen.weights.empty()) return result;
  for (int step = 0; step < kSteps; ++step) result = improved(seen, result);
  for (double& weight : result)
    if (weight < kLeastWeight) weight = 0;
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& weight : result) weight /= sum;
  return result;
}

Matrix blend(std::span<const Matrix> members, const std::vector<double>& weights, int threads) {
  constexpr std::size_t kBlock = 4096;
  Matrix result{members[0].rows, members[0].columns, std::vector<float>(members[0].values.size())};
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
