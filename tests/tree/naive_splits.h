// The naive twin of the tree grower: every cut of every feature, scored in double precision from
// the rows themselves.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "tree/grower.h"
#include "tree/random_problem.h"

namespace simplexboost::testing {

struct NaiveOptions {
  CriterionKind kind = CriterionKind::kLeastSquares;
  double l2 = 0;
  int min_rows = 1;
  double min_weight = 0;
  CategoricalSplits categorical = CategoricalSplits::kSubset;
  std::size_t most_categories = 12;  // more than so many: only one against the rest
};

class NaiveSplits {
 public:
  using Rows = std::vector<std::uint32_t>;

  NaiveSplits(const RandomProblem& problem, const BinnedDataset& data, const NaiveOptions& options,
              const RandomCodewords* codewords)
      : problem_(problem), data_(data), options_(options), codewords_(codewords) {}

  // Of the rows as one region: what a node stands with, or a constant vote.
  double whole(const Rows& rows) const { return score(rows, {}); }

  // Of a cut of the rows, by its criterion.
  double score(const Rows& left, const Rows& right) const {
    const std::vector<double> l = sums(left, problem_.pulls);
    const std::vector<double> r = sums(right, problem_.pulls);
    switch (options_.kind) {
      case CriterionKind::kLeastSquares:
        return squares(l, weight(left)) + squares(r, weight(right));
      case CriterionKind::kVote: {
        double edge = 0;
        for (std::size_t j = 0; j < l.size(); ++j) edge += std::fabs(r[j] - l[j]);
        return edge;
      }
      case CriterionKind::kClass:
        return *std::max_element(l.begin(), l.end()) + *std::max_element(r.begin(), r.end());
      case CriterionKind::kSubset: {
        double edge = 0;
        for (std::size_t j = 0; j < l.size(); ++j)
          edge += std::max(l[j], 0.0) + std::max(r[j], 0.0);
        return edge;
      }
      case CriterionKind::kCodeword: return best_codeword(l) + best_codeword(r);
      case CriterionKind::kConfidence:
        return -doubt(l, sums(left, problem_.sizes)) - doubt(r, sums(right, problem_.sizes));
      case CriterionKind::kShare:
        return share_edge(l, sums(left, problem_.sizes)) +
               share_edge(r, sums(right, problem_.sizes));
    }
    return 0;
  }

  // Edges of the two sides' rows under the votes of the cut (kVote).
  std::pair<double, double> signed_edges(const Rows& left, const Rows& right) const {
    const std::vector<double> l = sums(left, problem_.pulls);
    const std::vector<double> r = sums(right, problem_.pulls);
    std::pair<double, double> edges{0, 0};
    for (std::size_t j = 0; j < l.size(); ++j) {
      const double sign = r[j] < l[j] ? -1 : 1;
      edges.first -= sign * l[j];
      edges.second += sign * r[j];
    }
    return edges;
  }

  // The best score of any allowed cut; -infinity where there is none.
  double best(const Rows& rows) const {
    double result = -std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < data_.features(); ++f) {
      for (const std::set<std::uint32_t>& left : cuts(f, rows)) {
        const auto [l, r] = part(f, left, rows);
        if (allowed(l) && allowed(r)) result = std::max(result, score(l, r));
      }
    }
    return result;
  }

  std::pair<Rows, Rows> part(const Split& split, const Rows& rows) const {
    const SplitPredicate goes_left(split, data_.bins(split.feature));
    std::pair<Rows, Rows> sides;
    for (const std::uint32_t row : rows)
      (goes_left(bin_at(data_, split.feature, row)) ? sides.first : sides.second).push_back(row);
    return sides;
  }

  bool allowed(const Rows& side) const {
    return static_cast<int>(side.size()) >= std::max(options_.min_rows, 1) &&
           weight(side) >= options_.min_weight - 1e-6;
  }

  // What rounding to fixed point and to single precision may cost.
  double tolerance(const Rows& rows) const {
    double size = 0;
    for (const std::uint32_t row : rows)
      for (std::size_t j = 0; j < problem_.width; ++j)
        size += std::fabs(problem_.pulls[row * problem_.width + j]);
    const bool square = options_.kind == CriterionKind::kLeastSquares;
    return 1e-5 * (square ? std::max(1e-3, std::fabs(best(rows))) : 1e-3 + 4 * size);
  }

 private:
  std::vector<double> sums(const Rows& rows, const std::vector<float>& values) const {
    std::vector<double> result(problem_.width);
    for (const std::uint32_t row : rows)
      for (std::size_t j = 0; j < problem_.width; ++j)
        result[j] += static_cast<double>(values[row * problem_.width + j]);
    return result;
  }
  double weight(const Rows& rows) const {
    double result = 0;
    for (const std::uint32_t row : rows) result += static_cast<double>(problem_.weights[row]);
    return result;
  }
  double squares(const std::vector<double>& g, double w) const {
    double result = 0;
    for (const double x : g) result += x * x;
    return w + options_.l2 > 0 ? result / (w + options_.l2) : 0;
  }
  static double doubt(const std::vector<double>& g, const std::vector<double>& w) {
    double result = 0;
    for (std::size_t j = 0; j < g.size(); ++j)
      result += std::sqrt(std::max(0.0, (w[j] - g[j]) * (w[j] + g[j])));
    return result;
  }
  static double share_edge(const std::vector<double>& g, const std::vector<double>& p) {
    double edge = 0;
    double all = 0;
    for (std::size_t j = 0; j < g.size(); ++j) {
      edge += g[j] * p[j];
      all += p[j];
    }
    return all > 0 ? edge / all : 0;
  }
  double best_codeword(const std::vector<double>& g) const {
    double result = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < codewords_->classes; ++k) {
      double product = 0;
      for (std::size_t j = 0; j < g.size(); ++j)
        product += static_cast<double>(codewords_->transposed[j * codewords_->stride + k]) * g[j];
      result = std::max(result, product);
    }
    return result;
  }

  std::pair<Rows, Rows> part(std::size_t feature, const std::set<std::uint32_t>& left,
                             const Rows& rows) const {
    std::pair<Rows, Rows> sides;
    for (const std::uint32_t row : rows)
      (left.contains(bin_at(data_, feature, row)) ? sides.first : sides.second).push_back(row);
    return sides;
  }

  // The left sets of bins of all cuts of a feature.
  std::vector<std::set<std::uint32_t>> cuts(std::size_t feature, const Rows& rows) const {
    const FeatureBins& bins = data_.bins(feature);
    std::set<std::uint32_t> seen;
    for (const std::uint32_t row : rows) seen.insert(bin_at(data_, feature, row));
    const std::vector<std::uint32_t> present(seen.begin(), seen.end());
    std::vector<std::set<std::uint32_t>> result;
    if (bins.type == FeatureType::kNumeric) {
      std::set<std::uint32_t> left;
      for (std::uint32_t bin = 0; bin < bins.value_bins; ++bin) {
        left.insert(bin);
        result.push_back(left);
        result.push_back(left);
        result.back().insert(bins.missing_bin());
      }
      return result;
    }
    const bool all = options_.categorical == CategoricalSplits::kSubset &&
                     present.size() <= options_.most_categories;
    if (!all) {
      for (const std::uint32_t bin : present) result.push_back({bin});
      return result;
    }
    for (std::uint32_t members = 1; members + 1 < (1U << present.size()); members += 2) {
      result.emplace_back();
      for (std::size_t i = 0; i < present.size(); ++i)
        if ((members >> i & 1) != 0) result.back().insert(present[i]);
    }
    return result;
  }

  const RandomProblem& problem_;
  const BinnedDataset& data_;
  NaiveOptions options_;
  const RandomCodewords* codewords_;
};

}  // namespace simplexboost::testing
