#include "loss/loss.h"

#include <cmath>
#include <limits>

#include "loss/loss_kernels.h"
#include "loss/objective_loss.h"
#include "loss/pairs/pair_loss.h"

namespace simplexboost {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

}  // namespace

void ScaledSum::add(const ScaledSum& other) {
  if (other.value == 0) return;
  if (value == 0) {
    *this = other;
  } else if (log_scale >= other.log_scale) {
    value += other.value * std::exp(other.log_scale - log_scale);
  } else {
    value = other.value + value * std::exp(log_scale - other.log_scale);
    log_scale = other.log_scale;
  }
}

double ScaledSum::log() const { return value > 0 ? log_scale + std::log(value) : kMinusInfinity; }

double ScaledSum::plain() const { return log_scale == 0 || value == 0 ? value : std::exp(log()); }

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const GammaPhi> pair) {
  return std::make_shared<PairLoss>(std::move(pair));
}

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Objective> objective, double scale,
                                      Communicator& ranks) {
  return std::make_shared<ObjectiveLoss>(std::move(objective), scale, ranks);
}

ScaledSum total_risk(const Loss& loss, const LossBlock& here, const RowSpace& space) {
  if (!loss.facts().takes_parts) return loss.risk(here);
  ScaledSum total;
  for (const ScaledSum& part : space.block_values<ScaledSum>(
           RowSpace::kBlock,
           [&](std::size_t begin, std::size_t end) { return loss.risk(here.part(begin, end)); }))
    total.add(part);
  return total;
}

double fill_in_range(const std::function<double(double log_scale)>& fill) {
  const double most = fill(0);
  if (most == kMinusInfinity || std::abs(most) < kPlainLogs) return 0;
  fill(most);
  return most;
}

double class_pulls(const Loss& loss, const LossBlock& here, const RowSpace& space, float* pulls,
                   float* curvature) {
  return fill_in_range([&](double log_scale) {
    if (!loss.facts().takes_parts)
      return space.largest(loss.pulls(here, log_scale, pulls, curvature));
    return space.maximum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = begin * here.classes;
      return loss.pulls(here.part(begin, end), log_scale, pulls + first,
                        curvature ? curvature + first : nullptr);
    });
  });
}

}  // namespace simplexboost
