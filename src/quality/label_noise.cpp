#include "quality/label_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr double kLeastTruth = 1e-12;
// Below these nothing is said: a few odd rows are not wrong labels.
constexpr double kLeastWrong = 0.04;
constexpr double kLeastGain = 10;  // of log likelihood, all rows together
// Of the errors: where a model knows little, few rows a class say, most of what it does not expect
// is right all the same.
constexpr double kLeastExplained = 1.0 / 3;
// How much surer than its probabilities a model may be that knows nothing of wrong labels.
constexpr std::array kSharper{1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0};

struct Truths {
  std::vector<double> weights;
  std::vector<double> values;  // q of the label, by one sharpness
};

void set_truths(const Matrix& proba, const Labels& labels, double sharper, int threads,
                std::vector<double>& values) {
  constexpr std::size_t kBlock = 256;
  values.resize(proba.rows);
  parallel_blocks(threads, proba.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* p = proba.row(i);
      double sum = 0;
      for (std::size_t k = 0; k < proba.columns; ++k)
        sum +=
            sharper == 1 ? static_cast<double>(p[k]) : std::pow(static_cast<double>(p[k]), sharper);
      const auto own = static_cast<double>(p[labels.codes[i]]);
      values[i] = std::max(std::pow(own, sharper) / sum, kLeastTruth);
    }
  });
}

double likelihood(const Truths& truths, double wrong, double guess) {
  double sum = 0;
  for (std::size_t i = 0; i < truths.values.size(); ++i)
    sum += truths.weights[i] * std::log((1 - wrong) * truths.values[i] + wrong * guess);
  return sum;
}

// Expectation maximisation: the mean chance that a label is a guess.
double share_of_guesses(const Truths& truths, double guess) {
  constexpr int kSteps = 50;
  double wrong = 0.1;
  double total = 0;
  for (const double weight : truths.weights) total += weight;
  for (int step = 0; step < kSteps && wrong > 0; ++step) {
    double sum = 0;
    for (std::size_t i = 0; i < truths.values.size(); ++i) {
      const double blind = wrong * guess;
      sum += truths.weights[i] * blind / ((1 - wrong) * truths.values[i] + blind);
    }
    wrong = sum / total;
  }
  return wrong;
}

// As many as there are rows in all, so that a gain means the same for any weights.
std::vector<double> even_weights(const std::vector<double>& weights, std::size_t rows) {
  std::vector<double> result = weights;
  if (result.empty()) result.assign(rows, 1);
  double total = 0;
  for (const double weight : result) total += weight;
  if (total > 0)
    for (double& weight : result) weight *= static_cast<double>(rows) / total;
  return result;
}

// The share of the rows, by weight, whose label is not the likeliest class.
double share_of_errors(const Matrix& proba, const Labels& labels,
                       const std::vector<double>& weights) {
  double errors = 0;
  double total = 0;
  for (std::size_t i = 0; i < proba.rows; ++i) {
    const float* p = proba.row(i);
    const double weight = weights.empty() ? 1 : weights[i];
    if (p[labels.codes[i]] < *std::max_element(p, p + proba.columns)) errors += weight;
    total += weight;
  }
  return total > 0 ? errors / total : 0;
}

}  // namespace

LabelTrust fit_trust(const Matrix& proba, const Labels& labels, const std::vector<double>& weights,
                     int threads) {
  const double guess = 1 / static_cast<double>(proba.columns);
  Truths truths{even_weights(weights, proba.rows), {}};
  LabelTrust best;
  double plain = 0;
  double most = 0;
  for (const double sharper : kSharper) {
    set_truths(proba, labels, sharper, threads, truths.values);
    if (sharper == 1) plain = most = likelihood(truths, 0, guess);
    if (sharper == 1) best.of_rows = truths.values;
    const double wrong = share_of_guesses(truths, guess);
    const double now = likelihood(truths, wrong, guess);
    if (!(now > most)) continue;
    most = now;
    best.wrong = wrong;
    best.of_rows = truths.values;
  }
  best.gain = most - plain;
  for (double& trust : best.of_rows) {
    const double right = (1 - best.wrong) * trust;
    trust = std::max(right / (right + best.wrong * guess), kLeastTrust);
  }
  return best;
}

std::optional<LabelTrust> judge_labels(const Matrix& proba, const Labels& labels,
                                       const std::vector<double>& weights, int threads) {
  if (labels.multi_label() || proba.columns < 2 ||
      std::any_of(labels.codes.begin(), labels.codes.end(), [](auto code) { return code < 0; }))
    return std::nullopt;
  LabelTrust trust = fit_trust(proba, labels, weights, threads);
  if (!(trust.gain > kLeastGain) || trust.wrong < kLeastWrong) return std::nullopt;
  if (trust.wrong < kLeastExplained * share_of_errors(proba, labels, weights)) return std::nullopt;
  return trust;
}

Dataset weigh_by_trust(Dataset data, const std::vector<double>& trust) {
  if (data.weights.empty()) data.weights.assign(data.rows, 1);
  for (std::size_t i = 0; i < data.rows; ++i) data.weights[i] *= trust[i];
  return data;
}

}  // namespace simplexboost
