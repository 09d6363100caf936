// Random votes on random rows, with many ties, for the tests of dmcboost.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "optimizer/target/row_votes.h"

namespace simplexboost::testing {

struct VoteProblem {
  Labels labels;
  std::vector<float> votes;          // a(x, y), rows x classes
  std::vector<std::int32_t> chosen;  // h(x)
  std::vector<RowVotes> rows;
  std::vector<double> weights;
  Problem problem;

  VoteProblem(std::size_t count, std::size_t classes, bool weighted, Random& random)
      : problem{labels, {}, RowSpace(count, 1), classes} {
    for (std::size_t k = 0; k < classes; ++k) labels.classes.push_back("k" + std::to_string(k));
    const bool ties = random.below(2) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      labels.codes.push_back(static_cast<std::int32_t>(random.below(classes)));
      weights.push_back(weighted ? 0.2 + random.uniform() : 1.0);
      chosen.push_back(static_cast<std::int32_t>(random.below(classes)));
      for (std::size_t y = 0; y < classes; ++y)
        votes.push_back(ties ? static_cast<float>(random.below(4)) / 2
                             : static_cast<float>(random.uniform()));
    }
    problem.weights = weights;
    refresh();
  }
  VoteProblem(const VoteProblem&) = delete;

  void refresh() {
    rows.clear();
    for (std::size_t i = 0; i < problem.rows(); ++i)
      rows.push_back(
          row_votes(votes.data() + i * problem.classes, problem.classes, labels.codes[i]));
  }

  VoteView view() const { return {problem, votes.data(), rows}; }

  std::vector<MarginLine> lines() const {
    std::vector<MarginLine> result;
    for (std::size_t i = 0; i < problem.rows(); ++i)
      result.push_back(margin_line(rows[i], view().of(i), labels.codes[i], chosen[i]));
    return result;
  }

  // The votes of a row after a step along h.
  std::vector<double> after(std::size_t row, double alpha) const {
    const float* a = view().of(row);
    std::vector<double> result(a, a + problem.classes);
    if (chosen[row] >= 0) result[static_cast<std::size_t>(chosen[row])] += alpha;
    return result;
  }
  double error(double alpha) const {
    double wrong = 0;
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const std::vector<double> a = after(i, alpha);
      const auto best = std::max_element(a.begin(), a.end()) - a.begin();
      if (best != labels.codes[i]) wrong += problem.weights[i];
    }
    return wrong;
  }
  double margin(std::size_t row, double alpha) const {
    const std::vector<double> a = after(row, alpha);
    double other = -1e30;
    for (std::size_t y = 0; y < a.size(); ++y)
      if (static_cast<std::int32_t>(y) != labels.codes[row]) other = std::max(other, a[y]);
    return a[static_cast<std::size_t>(labels.codes[row])] - other;
  }
  // (5) by sorting, weights counted up to `mass`; A = `total` before the step.
  double objective(double alpha, double mass, double total) const {
    std::vector<std::pair<double, double>> sorted;
    for (std::size_t i = 0; i < problem.rows(); ++i)
      sorted.emplace_back(margin(i, alpha), problem.weights[i]);
    std::sort(sorted.begin(), sorted.end());
    double sum = 0;
    double room = mass;
    for (const auto& [value, weight] : sorted) {
      const double taken = std::min(weight, room);
      sum += taken * value;
      room -= taken;
    }
    return sum / (mass * (total + std::fabs(alpha)));
  }
};

}  // namespace simplexboost::testing
