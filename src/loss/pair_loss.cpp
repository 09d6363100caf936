#include "loss/pair_loss.h"

#include <cmath>
#include <limits>
#include <utility>

#include "loss/posterior.h"
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

// Calls visit(l, margin, cost) for each class that counts against the row.
template <class Visit>
void for_others(const LossBlock& block, std::size_t row, const PairLimits& limits,
                const Visit& visit) {
  const float* scores = block.scores + row * block.classes;
  const auto label = static_cast<std::size_t>(block.labels[row]);
  const float* costs = block.costs ? block.costs + label * block.classes : nullptr;
  const auto own = static_cast<double>(scores[label]);
  for (std::size_t l = 0; l < block.classes; ++l) {
    const double cost = costs ? static_cast<double>(costs[l]) : 1.0;
    if (l == label || cost <= 0) continue;
    visit(l, limits.clamp(own - static_cast<double>(scores[l])), cost);
  }
}

double weight_of(const LossBlock& block, std::size_t row) {
  return block.weights ? static_cast<double>(block.weights[row]) : 1.0;
}

// d2L of gamma(S) along a coordinate in which S has these derivatives.
double curvature_of(double gamma_slope, double gamma_curvature, double slope, double curvature) {
  const double by_phi = gamma_slope * curvature;
  const double by_gamma = gamma_curvature * slope * slope;
  const double positive = std::max(by_phi, 0.0) + std::max(by_gamma, 0.0);
  return std::max(by_phi + by_gamma, kLeastShare * positive);
}

}  // namespace

PairLoss::PairLoss(std::shared_ptr<const GammaPhi> pair)
    : pair_(checked(std::move(pair))), limits_(*pair_) {}

ScaledSum PairLoss::risk(const LossBlock& block) const {
  double total = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    double sum = 0;
    for_others(block, i, limits_, [&](std::size_t /*l*/, double margin, double cost) {
      sum += cost * pair_->phi(margin);
    });
    const double weight = weight_of(block, i);
    if (weight > 0) total += weight * pair_->gamma(sum);
  }
  return {total, 0};
}

double PairLoss::pulls(const LossBlock& block, double log_scale, float* pulls,
                       float* curvature) const {
  const double scale = std::exp(-log_scale);
  double largest = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const std::size_t first = i * block.classes;
    double sum = 0;
    double slope = 0;  // of S along u_c, and its curvature there
    double bend = 0;
    for_others(block, i, limits_, [&](std::size_t /*l*/, double margin, double cost) {
      sum += cost * pair_->phi(margin);
      slope += cost * pair_->phi_slope(margin);
      bend += cost * pair_->phi_curvature(margin);
    });
    const double gamma_slope = pair_->gamma_slope(sum);
    const double gamma_curvature = pair_->gamma_curvature(sum);
    const double weight = weight_of(block, i);
    const double factor = weight > 0 ? weight * scale : 0;
    const auto write = [&](std::size_t k, double s_slope, double s_curvature) {
      pulls[first + k] = static_cast<float>(-factor * gamma_slope * s_slope);
      if (!curvature) return;
      curvature[first + k] = static_cast<float>(
          factor * curvature_of(gamma_slope, gamma_curvature, s_slope, s_curvature));
    };
    std::fill_n(pulls + first, block.classes, 0.0F);
    if (curvature) std::fill_n(curvature + first, block.classes, 0.0F);
    for_others(block, i, limits_, [&](std::size_t l, double margin, double cost) {
      write(l, -cost * pair_->phi_slope(margin), cost * pair_->phi_curvature(margin));
    });
    write(static_cast<std::size_t>(block.labels[i]), slope, bend);
    if (weight > 0) largest = std::max(largest, -gamma_slope * slope);
  }
  return largest > 0 ? std::log(largest) : -std::numeric_limits<double>::infinity();
}

void PairLoss::posteriors(std::size_t rows, std::size_t classes, const float* scores,
                          float* probabilities) const {
  pair_posteriors(*pair_, rows, classes, scores, probabilities);
}

}  // namespace simplexboost
