#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/threads/parallel.h"
#include "quality/label_noise.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr int kTurns = 3;

// The product of what several judges say, over its sum: the mean of their log-odds.
Matrix mean_of(const std::vector<Matrix>& said) {
  constexpr double kNever = 1e-12;
  Matrix mean = said[0];
  std::vector<double> row(mean.columns);
  for (std::size_t i = 0; i < mean.rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (const Matrix& one : said)
      for (std::size_t k = 0; k < mean.columns; ++k)
        row[k] += std::log(std::max(static_cast<double>(one.row(i)[k]), kNever)) /
                  static_cast<double>(said.size());
    const double most = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value - most);
    for (std::size_t k = 0; k < mean.columns; ++k)
      mean.row(i)[k] = static_cast<float>(row[k] / sum);
  }
  return mean;
}

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// By how far the label is behind the class that fits best: the log-odds of the two, in which what
// the model thinks of other classes plays no part.
std::vector<Suspect> rank_suspects(const Matrix& probabilities, const Labels& labels, int threads) {
  const std::size_t rows = probabilities.rows;
  if (labels.multi_label() || labels.codes.size() != rows ||
      labels.classes.size() != probabilities.columns)
    throw ParameterError("suspects: there must be one known label for each row of probabilities");
  for (const std::int32_t code : labels.codes)
    if (code < 0 || static_cast<std::size_t>(code) >= probabilities.columns)
      throw ParameterError("suspects: a label is none of the classes");
  if (rows == 0 || probabilities.columns < 2) return {};
  const LabelTrust trust = fit_trust(probabilities, labels, {}, resolve_threads(threads));
  std::vector<Suspect> suspects(rows);
  std::vector<double> lead(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    constexpr double kLeast = 1e-12;
    const float* const p = probabilities.row(i);
    const auto own = static_cast<std::size_t>(labels.codes[i]);
    std::size_t best = own == 0 ? 1 : 0;
    for (std::size_t k = 0; k < probabilities.columns; ++k)
      if (k != own && p[k] > p[best]) best = k;
    suspects[i] = {i,
                   labels.codes[i],
                   static_cast<std::int32_t>(best),
                   static_cast<double>(p[own]),
                   static_cast<double>(p[best]),
                   1 - trust.of_rows[i]};
    lead[i] = std::max<double>(p[own], kLeast) / std::max<double>(p[best], kLeast);
  }
  std::stable_sort(suspects.begin(), suspects.end(),
                   [&](const Suspect& a, const Suspect& b) { return lead[a.row] < lead[b.row]; });
  return suspects;
}

// The first turn is misled by the labels that it is to judge: it only tells how much they are
// worth.
std::vector<Suspect> find_suspects(const Labels& labels, const LabelJudge& judge, int threads) {
  std::vector<Matrix> said;
  std::vector<Suspect> suspects;
  std::vector<double> trust;
  for (int turn = 0; turn < kTurns; ++turn) {
    Matrix proba = judge(trust, turn);
    if (proba.rows != labels.codes.size()) return {};
    if (turn == 1) said.clear();
    said.push_back(std::move(proba));
    suspects = rank_suspects(mean_of(said), labels, threads);
    trust.assign(labels.codes.size(), 1);
    for (const Suspect& one : suspects) trust[one.row] = std::max(1 - one.wrong, kLeastTrust);
  }
  return suspects;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
