#include "loss/pairs/pair_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The curvature is at least this share of its positive part, so that it is never zero or negative
// where the loss is not convex.
constexpr double kLeastShare = 1.0 / 64;

std::shared_ptr<const GammaPhi> checked(std::shared_ptr<const GammaPhi> pair) {
  if (!pair) throw ParameterError("a loss needs a gamma-phi pair, not a null pointer");
  check(*pair);
  return pair;
}

// So few that the margins of a chunk stay in the cache.
std::size_t pair_chunk_rows(std::size_t classes) {
  return std::max<std::size_t>(1, 16384 / classes);
}

// A function of many numbers, with its derivatives.
struct Values {
  std::vector<double> value, slope, curvature;

  Curve resize(std::size_t count) {
    for (std::vector<double>* all : {&value, &slope, &curvature}) all->resize(count);
    return {value.data(), slope.data(), curvature.data()};
  }
};

// The cost of taking a row of class c for class l; none for c itself.
double cost_of(const LossBlock& block, std::size_t c, std::size_t l) {
  if (l == c) return 0;
  return block.costs ? static_cast<double>(block.costs[c * block.classes + l]) : 1.0;
}

// The margins of all rows towards all classes, rows x classes.
std::vector<double> margins_of(const LossBlock& block, const PairLimits& limits) {
  std::vector<double> margins(block.rows * block.classes);
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float* scores = block.scores + i * block.classes;
    const auto own = static_cast<double>(scores[block.labels[i]]);
    for (std::size_t l = 0; l < block.classes; ++l)
      margins[i * block.classes + l] = limits.clamp(own - static_cast<double>(scores[l]));
  }
  return margins;
}

// Sums over the other classes of a row: `values` is rows x classes.
void cost_sums(const LossBlock& block, const std::vector<double>& values, double* sums) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    sums[i] = 0;
    for (std::size_t l = 0; l < block.classes; ++l)
      sums[i] += cost_of(block, static_cast<std::size_t>(block.labels[i]), l) *
                 values[i * block.classes + l];
  }
}

// d2L of gamma(S) along a coordinate in which S has these derivatives.
double curvature_of(double gamma_slope, double gamma_curvature, double slope, double curvature) {
  const double by_phi = gamma_slope * curvature;
  const double by_gamma = gamma_curvature * slope * slope;
  const double positive = std::max(by_phi, 0.0) + std::max(by_gamma, 0.0);
  return std::max(by_phi + by_gamma, kLeastShare * positive);
}

}  // namespace

void GammaPhi::gamma_curve(std::span<const double> s, const Curve& out) const {
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (out.value) out.value[i] = gamma(s[i]);
    if (out.slope) out.slope[i] = gamma_slope(s[i]);
    if (out.curvature) out.curvature[i] = gamma_curvature(s[i]);
  }
}

void GammaPhi::phi_curve(std::span<const double> v, const Curve& out) const {
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (out.value) out.value[i] = phi(v[i]);
    if (out.slope) out.slope[i] = phi_slope(v[i]);
    if (out.curvature) out.curvature[i] = phi_curvature(v[i]);
  }
}

PairLoss::PairLoss(std::shared_ptr<const GammaPhi> pair)
    : Loss({}), pair_(checked(std::move(pair))), limits_(*pair_) {}

ScaledSum PairLoss::risk(const LossBlock& block) const {
  double total = 0;
  for_parts(block, pair_chunk_rows(block.classes),
            [&](std::size_t /*begin*/, const LossBlock& chunk) {
              const std::vector<double> margins = margins_of(chunk, limits_);
              std::vector<double> phi(margins.size());
              std::vector<double> sums(chunk.rows);
              std::vector<double> losses(chunk.rows);
              pair_->phi_curve(margins, {phi.data()});
              cost_sums(chunk, phi, sums.data());
              pair_->gamma_curve(sums, {losses.data()});
              for (std::size_t i = 0; i < chunk.rows; ++i)
                if (chunk.weight(i) > 0) total += chunk.weight(i) * losses[i];
            });
  return {total, 0};
}

double PairLoss::pulls(const LossBlock& block, double log_scale, float* pulls,
                       float* curvature) const {
  double largest = 0;
  for_parts(block, pair_chunk_rows(block.classes), [&](std::size_t begin, const LossBlock& chunk) {
    const std::size_t first = begin * block.classes;
    largest = std::max(largest, chunk_pulls(chunk, std::exp(-log_scale), pulls + first,
                                            curvature ? curvature + first : nullptr));
  });
  return largest > 0 ? std::log(largest) : -std::numeric_limits<double>::infinity();
}

double PairLoss::chunk_pulls(const LossBlock& block, double scale, float* pulls,
                             float* curvature) const {
  const std::vector<double> margins = margins_of(block, limits_);
  Values phi;
  pair_->phi_curve(margins, phi.resize(margins.size()));
  Values sums;  // S of each row, its slope along u_c, and its curvature there
  sums.resize(block.rows);
  cost_sums(block, phi.value, sums.value.data());
  cost_sums(block, phi.slope, sums.slope.data());
  cost_sums(block, phi.curvature, sums.curvature.data());
  Values gamma;
  pair_->gamma_curve(sums.value, gamma.resize(block.rows));
  double largest = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const std::size_t first = i * block.classes;
    const auto label = static_cast<std::size_t>(block.labels[i]);
    const double weight = block.weight(i);
    const double factor = weight > 0 ? weight * scale : 0;
    for (std::size_t k = 0; k < block.classes; ++k) {
      const double cost = cost_of(block, label, k);
      const double slope = k == label ? sums.slope[i] : -cost * phi.slope[first + k];
      const double bend = k == label ? sums.curvature[i] : cost * phi.curvature[first + k];
      pulls[first + k] = static_cast<float>(-factor * gamma.slope[i] * slope);
      if (curvature)
        curvature[first + k] = static_cast<float>(
            factor * curvature_of(gamma.slope[i], gamma.curvature[i], slope, bend));
    }
    if (weight > 0) largest = std::max(largest, -gamma.slope[i] * sums.slope[i]);
  }
  return largest;
}

}  // namespace simplexboost
