#include "certainty/fit_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/lbfgs.h"
#include "base/row_space.h"
#include "base/row_weights.h"
#include "metric/temperature.h"
#include "model/predict/adjusted.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMapBlock = 256;

bool is_known(const JudgedRows& rows, std::size_t i) {
  return (rows.seen.empty() || rows.seen[i] != 0) &&
         (rows.labels.multi_label() || rows.labels.codes[i] >= 0);
}

// use(k, holds, weight) for each class of a row that is known; of single-label rows all are.
template <class Use>
void for_classes(const JudgedRows& rows, std::size_t i, const Use& use) {
  const std::size_t classes = rows.labels.classes.size();
  if (!rows.labels.multi_label()) {
    for (std::size_t k = 0; k < classes; ++k)
      use(k, static_cast<std::size_t>(rows.labels.codes[i]) == k, 1.0);
    return;
  }
  const float* known = rows.labels.row_weights(i);
  std::size_t next = rows.labels.offsets[i];
  for (std::size_t k = 0; k < classes; ++k) {
    const bool holds =
        next < rows.labels.offsets[i + 1] && static_cast<std::size_t>(rows.labels.codes[next]) == k;
    next += holds ? 1 : 0;
    const double weight = known ? static_cast<double>(known[k]) : 1;
    if (weight > 0) use(k, holds, weight);
  }
}

ProbabilityMap vector_map(std::span<const double> x) {
  const auto half = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  return {"vector", {x.begin(), half}, {half, x.end()}, {}, {}, {}};
}

// Adds the log loss of a row by a map of scales and shifts, and its gradient in all of these.
void add_row(const JudgedRows& rows, std::size_t i, double weight, const ProbabilityMap& map,
             std::vector<double>& q, double* sums) {
  const std::size_t classes = rows.labels.classes.size();
  const bool sets = rows.labels.multi_label();
  const float* const p = rows.probabilities.row(i);
  const auto z = [&](std::size_t k) {
    const double bounded = std::clamp<double>(p[k], kLeastTold, sets ? 1 - kLeastTold : 1.0);
    return sets ? std::log(bounded) - std::log1p(-bounded) : std::log(bounded);
  };
  std::copy_n(p, classes, q.begin());
  apply_map(map, sets, q);
  for_classes(rows, i, [&](std::size_t k, bool holds, double known) {
    const double w = weight * known;
    if (holds) sums[0] -= w * std::log(std::max(q[k], kLeastTold));
    if (sets && !holds) sums[0] -= w * std::log(std::max(1 - q[k], kLeastTold));
    const double off = w * (q[k] - (holds ? 1 : 0));
    sums[1 + k] += off * z(k);
    sums[1 + classes + k] += off;
  });
}

double total_weight(const JudgedRows& rows) {
  double total = 0;
  for (std::size_t i = 0; i < rows.probabilities.rows; ++i)
    if (is_known(rows, i)) total += RowWeights(rows.weights)[i];
  return total;
}

ProbabilityMap fit_vector(const JudgedRows& rows, int threads, double prior_rows) {
  const std::size_t classes = rows.labels.classes.size();
  const double middle = fit_score_scale(rows, threads);
  std::vector<double> x(2 * classes);
  std::fill_n(x.begin(), classes, middle);
  const double total = total_weight(rows);
  const RowSpace space(rows.probabilities.rows, threads);
  const double prior = prior_rows / static_cast<double>(rows.probabilities.rows);
  const auto value = [&](std::span<const double> at, std::span<double> gradient) {
    const ProbabilityMap map = vector_map(at);
    const std::vector<double> sums = space.sums(
        kMapBlock, 1 + 2 * classes, [&](std::size_t begin, std::size_t end, double* block) {
          std::vector<double> q(classes);
          for (std::size_t i = begin; i < end; ++i)
            if (is_known(rows, i)) add_row(rows, i, RowWeights(rows.weights)[i], map, q, block);
        });
    double loss = sums[0] / total;
    for (std::size_t j = 0; j < 2 * classes; ++j) {
      const double off = at[j] - (j < classes ? middle : 0);
      loss += prior * off * off / 2;
      gradient[j] = sums[1 + j] / total + prior * off;
    }
    return loss;
  };
  LbfgsOptions options;
  options.evaluations = 40;
  options.tolerance = 1e-7;
  if (total > 0) minimise(value, x, options);
  for (std::size_t k = 0; k < classes; ++k) x[k] = std::max(x[k], 0.0);
  return vector_map(x);
}

struct CurvePoint {
  double p = 0;  // sums of weight times each
  double truth = 0;
  double weight = 0;

  double mean() const { return truth / weight; }
};

// Pools neighbours until the means rise: the least squares among rising curves.
std::vector<CurvePoint> pool_adjacent(std::vector<CurvePoint> points) {
  std::sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return a.p / a.weight < b.p / b.weight;
  });
  std::vector<CurvePoint> pools;
  for (const CurvePoint& point : points) {
    pools.push_back(point);
    while (pools.size() > 1) {
      const CurvePoint& last = pools.back();
      CurvePoint& before = pools[pools.size() - 2];
      const bool same = before.p / before.weight >= last.p / last.weight;
      if (!same && before.mean() < last.mean()) break;
      before.p += last.p;
      before.truth += last.truth;
      before.weight += last.weight;
      pools.pop_back();
    }
  }
  return pools;
}

// Each share as if half a row more had said yes and half a one no: none is 0 or 1.
void add_curve(std::vector<CurvePoint> points, ProbabilityMap& map) {
  double last_p = -1;
  double last_q = 0;
  for (const CurvePoint& pool : pool_adjacent(std::move(points))) {
    const double p = std::clamp(pool.p / pool.weight, 0.0, 1.0);
    if (!(p > last_p)) continue;
    last_p = p;
    last_q = std::max(last_q, (pool.truth + 0.5) / (pool.weight + 1));
    map.knot_p.push_back(p);
    map.knot_q.push_back(last_q);
  }
  if (last_p < 0) {  // a class of which nothing is known
    map.knot_p.insert(map.knot_p.end(), {0, 1});
    map.knot_q.insert(map.knot_q.end(), {0, 1});
  }
  map.knot_end.push_back(map.knot_p.size());
}

ProbabilityMap fit_isotonic(const JudgedRows& rows) {
  const std::size_t classes = rows.labels.classes.size();
  std::vector<std::vector<CurvePoint>> points(classes);
  const double total = total_weight(rows);
  const double unit = total > 0 ? static_cast<double>(rows.probabilities.rows) / total : 1;
  for (std::size_t i = 0; i < rows.probabilities.rows; ++i) {
    const double weight = unit * RowWeights(rows.weights)[i];
    if (!is_known(rows, i) || !(weight > 0)) continue;
    const float* const p = rows.probabilities.row(i);
    for_classes(rows, i, [&](std::size_t k, bool holds, double known) {
      const double w = weight * known;
      points[k].push_back({w * static_cast<double>(p[k]), holds ? w : 0, w});
    });
  }
  ProbabilityMap map;
  map.method = "isotonic";
  for (std::vector<CurvePoint>& of_class : points) add_curve(std::move(of_class), map);
  return map;
}

}  // namespace

ProbabilityMap fit_map(std::string_view method, const JudgedRows& rows, int threads,
                       double prior_rows) {
  if (method == "vector") return fit_vector(rows, threads, prior_rows);
  if (method == "isotonic") return fit_isotonic(rows);
  return {"temperature", {fit_score_scale(rows, threads)}, {}, {}, {}, {}};
}

bool worth_fitting(std::string_view method, std::size_t rows, std::size_t classes) {
  constexpr std::size_t kRowsOfScale = 20;   // for each class
  constexpr std::size_t kRowsOfCurve = 100;  // likewise
  constexpr std::size_t kMostClasses = 1000;
  if (method == "temperature") return true;
  if (classes > kMostClasses) return false;
  return rows >= (method == "vector" ? kRowsOfScale : kRowsOfCurve) * classes;
}

}  // namespace simplexboost
