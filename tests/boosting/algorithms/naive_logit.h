// The LogitBoost family written down as its equations, with stumps: the twin of the fast one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost::testing {

struct NaiveLogit {
  const Dataset& data;
  bool second_order = true;
  double most_z = 0;  // 0: no bound
  double rate = 0.1;
  std::vector<std::vector<double>> scores = {};  // classes of each row

  std::size_t classes() const { return data.labels.classes.size(); }
  std::size_t label(std::size_t i) const { return static_cast<std::size_t>(data.labels.codes[i]); }

  void start() { scores.assign(data.rows, std::vector<double>(classes())); }

  std::vector<double> probabilities(std::size_t i) const {
    const double top = *std::max_element(scores[i].begin(), scores[i].end());
    std::vector<double> p;
    double sum = 0;
    for (const double f : scores[i]) sum += p.emplace_back(std::exp(f - top));
    for (double& x : p) x /= sum;
    return p;
  }

  double loss(std::size_t i) const { return -std::log(probabilities(i)[label(i)]); }
  double mean_loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i) sum += loss(i);
    return sum / static_cast<double>(data.rows);
  }

  // The side of each row under the best cut.
  std::vector<int> cut(const std::vector<double>& pull,
                       const std::vector<double>& curvature) const {
    double best = -1;
    std::vector<int> sides(data.rows);
    for (const Column& column : data.columns) {
      std::vector<double> x(data.rows);
      column.copy(0, data.rows, x.data());
      for (const double at : x) {
        double g[2] = {};
        double w[2] = {};
        for (std::size_t i = 0; i < data.rows; ++i) {
          const int side = x[i] <= at ? 0 : 1;
          g[side] += pull[i];
          w[side] += second_order ? curvature[i] : 1;
        }
        if (!(w[0] > 0 && w[1] > 0)) continue;
        const double score = g[0] * g[0] / w[0] + g[1] * g[1] / w[1];
        if (!(score > best * (1 + 1e-9))) continue;
        best = score;
        for (std::size_t i = 0; i < data.rows; ++i) sides[i] = x[i] <= at ? 0 : 1;
      }
    }
    return sides;
  }

  // The values that the best stump gives the rows.
  std::vector<double> stump(const std::vector<double>& pull, const std::vector<double>& curvature,
                            double limit) const {
    const std::vector<int> sides = cut(pull, curvature);
    double g[2] = {};
    double h[2] = {};
    for (std::size_t i = 0; i < data.rows; ++i) {
      g[sides[i]] += pull[i];
      h[sides[i]] += curvature[i];
    }
    std::vector<double> values;
    for (const int side : sides) values.push_back(std::clamp(g[side] / h[side], -limit, limit));
    return values;
  }

  // Friedman, Hastie, Tibshirani (2000), Algorithm 6; Li (2010), Algorithm 2.
  void round(double limit) {
    const std::size_t n = data.rows;
    const auto k_classes = static_cast<double>(classes());
    std::vector<std::vector<double>> fits;
    for (std::size_t k = 0; k < classes(); ++k) {
      std::vector<double> pull(n);
      std::vector<double> curvature(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double p = probabilities(i)[k];
        curvature[i] = p * (1 - p);
        pull[i] = (label(i) == k ? 1 : 0) - p;
        if (most_z > 0)
          pull[i] = std::clamp(pull[i] / curvature[i], -most_z, most_z) * curvature[i];
      }
      fits.push_back(stump(pull, curvature, limit));
    }
    for (std::size_t i = 0; i < n; ++i) {
      double mean = 0;
      for (const auto& fit : fits) mean += fit[i] / k_classes;
      for (std::size_t k = 0; k < classes(); ++k)
        scores[i][k] += rate * (k_classes - 1) / k_classes * (fits[k][i] - mean);
    }
  }

  // The class whose rows have the largest loss together.
  std::size_t worst_class() const {
    std::vector<double> sums(classes());
    for (std::size_t i = 0; i < data.rows; ++i) sums[label(i)] += loss(i);
    return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  }

  // Li (2010), Algorithm 3: one round with the base class b.
  void abc_round(std::size_t b, double limit) {
    const std::size_t n = data.rows;
    std::vector<std::vector<double>> moved = scores;
    for (std::size_t k = 0; k < classes(); ++k) {
      if (k == b) continue;
      std::vector<double> pull(n);
      std::vector<double> curvature(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double> p = probabilities(i);
        const auto r = [&](std::size_t l) { return label(i) == l ? 1.0 : 0.0; };
        pull[i] = -(r(b) - p[b]) + (r(k) - p[k]);
        curvature[i] = p[b] * (1 - p[b]) + p[k] * (1 - p[k]) + 2 * p[b] * p[k];
      }
      const std::vector<double> values = stump(pull, curvature, limit);
      for (std::size_t i = 0; i < n; ++i) {
        moved[i][k] += rate * values[i];
        moved[i][b] -= rate * values[i];
      }
    }
    scores = moved;
  }

  // The base with which the loss falls most.
  std::size_t best_base(double limit) const {
    std::size_t best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < classes(); ++b) {
      NaiveLogit tried = *this;
      tried.abc_round(b, limit);
      if (tried.mean_loss() >= lowest) continue;
      lowest = tried.mean_loss();
      best = b;
    }
    return best;
  }

  struct Move {
    std::size_t up = 0;
    std::size_t down = 0;
    double value = 0;
  };

  // Sun, Reid, Zhou (2012): the pair of classes for some rows, by second-order pair selection.
  Move best_pair(const std::vector<std::size_t>& rows) const {
    const std::size_t k_classes = classes();
    std::vector<double> g(k_classes);
    std::vector<std::vector<double>> h(k_classes, std::vector<double>(k_classes));
    for (const std::size_t i : rows) {
      const std::vector<double> p = probabilities(i);
      for (std::size_t a = 0; a < k_classes; ++a) {
        g[a] += (label(i) == a ? 1 : 0) - p[a];
        for (std::size_t b = 0; b < k_classes; ++b) h[a][b] += (a == b ? p[a] : 0) - p[a] * p[b];
      }
    }
    Move move;
    // Classes that no row tells apart are alike: the first of them is taken.
    const double top = *std::max_element(g.begin(), g.end());
    while (g[move.up] < top - 1e-5 * std::fabs(top)) ++move.up;
    double best = 0;
    for (std::size_t s = 0; s < k_classes; ++s) {
      if (s == move.up) continue;
      const double slope = g[move.up] - g[s];
      const double curvature = h[move.up][move.up] + h[s][s] - 2 * h[move.up][s];
      if (slope * slope / curvature <= best * (1 + 1e-5)) continue;
      best = slope * slope / curvature;
      move.down = s;
      move.value = slope / curvature;
    }
    return move;
  }

  // One stump: cut by the pair of all rows, each side then with its own.
  void aoso_round(double limit) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < data.rows; ++i) all.push_back(i);
    const Move root = best_pair(all);
    std::vector<double> pull;
    std::vector<double> curvature;
    for (const std::size_t i : all) {
      const std::vector<double> p = probabilities(i);
      const auto r = [&](std::size_t l) { return label(i) == l ? 1.0 : 0.0; };
      const double up = p[root.up];
      const double down = p[root.down];
      pull.push_back(r(root.up) - up - (r(root.down) - down));
      curvature.push_back(up * (1 - up) + down * (1 - down) + 2 * up * down);
    }
    const std::vector<int> sides = cut(pull, curvature);
    std::vector<std::vector<double>> moved = scores;
    for (const int side : {0, 1}) {
      std::vector<std::size_t> rows;
      for (const std::size_t i : all)
        if (sides[i] == side) rows.push_back(i);
      const Move move = best_pair(rows);
      for (const std::size_t i : rows) {
        moved[i][move.up] += rate * std::min(move.value, limit);
        moved[i][move.down] -= rate * std::min(move.value, limit);
      }
    }
    scores = moved;
  }
};

}  // namespace simplexboost::testing
