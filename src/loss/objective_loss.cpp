#include "loss/objective_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/first_rank.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

LossFacts facts_of(const Objective* objective) {
  if (!objective) throw ParameterError("training needs an objective, not a null pointer");
  return {.takes_parts = false, .knows_risk = objective->has_losses(), .of_margins = false};
}

}  // namespace

ObjectiveLoss::ObjectiveLoss(std::shared_ptr<const Objective> objective, double scale,
                             Communicator& ranks)
    : Loss(facts_of(objective.get())),
      objective_(std::move(objective)),
      scale_(scale),
      ranks_(ranks) {}

ObjectiveLoss::Seen ObjectiveLoss::see(const LossBlock& block) const {
  Seen seen{bring_to_first(ranks_, std::span(block.scores, block.rows * block.classes)),
            bring_to_first(ranks_, std::span(block.labels, block.rows))};
  const auto factor = static_cast<float>(scale_);
  for (float& score : seen.scores) score *= factor;
  return seen;
}

ScaledSum ObjectiveLoss::risk(const LossBlock& block) const {
  if (!facts().knows_risk) return {};
  const Seen seen = see(block);
  std::vector<float> weights(block.rows);
  for (std::size_t i = 0; i < block.rows; ++i) weights[i] = static_cast<float>(block.weight(i));
  weights = bring_to_first(ranks_, std::span<const float>(weights));
  double total = 0;
  if (asks()) {
    std::vector<double> losses(seen.labels.size());
    if (!losses.empty()) objective_->losses(seen.rows(block.classes), losses.data());
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (!std::isfinite(losses[i]))
        throw ModelError(
            fmt::format("objective '{}': the loss of row {} is {}", name(), i, losses[i]));
      total += static_cast<double>(weights[i]) * losses[i];
    }
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(&total, 1)), 0);
  return {total, 0};
}

void ObjectiveLoss::ask(const ObjectiveRows& rows, float* pulls, float* curvature) const {
  if (rows.rows == 0) return;
  objective_->pulls(rows, pulls, curvature);
  for (std::size_t at = 0; at < rows.rows * rows.classes; ++at) {
    const std::size_t i = at / rows.classes;
    const std::size_t k = at % rows.classes;
    if (!std::isfinite(pulls[at]))
      throw ModelError(fmt::format("objective '{}': the pull of row {} on class {} is {}", name(),
                                   i, k, pulls[at]));
    if (curvature && (!(curvature[at] >= 0) || !std::isfinite(curvature[at])))
      throw ModelError(
          fmt::format("objective '{}': the curvature of row {} in class {} is {}; it must be "
                      "finite and not negative",
                      name(), i, k, curvature[at]));
  }
}

void ObjectiveLoss::ask_all(const LossBlock& block, float* pulls, float* curvature) const {
  const Seen seen = see(block);
  if (ranks_.size() == 1) return ask(seen.rows(block.classes), pulls, curvature);
  std::int64_t curved = curvature ? 1 : 0;  // a rank without rows has no arrays
  ranks_.maximum({&curved, 1});
  const std::size_t here = block.rows * block.classes;
  std::vector<float> all_pulls(seen.scores.size());
  std::vector<float> all_curvature(curved != 0 ? seen.scores.size() : 0);
  if (asks())
    ask(seen.rows(block.classes), all_pulls.data(), curved != 0 ? all_curvature.data() : nullptr);
  deal_from_first(ranks_, std::span<const float>(all_pulls), std::span(pulls, here));
  if (curved != 0)
    deal_from_first(ranks_, std::span<const float>(all_curvature), std::span(curvature, here));
}

double ObjectiveLoss::pulls(const LossBlock& block, double log_scale, float* pulls,
                            float* curvature) const {
  ask_all(block, pulls, curvature);
  const double factor = scale_ * std::exp(-log_scale);
  double largest = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const double weight = block.weight(i);
    for (std::size_t at = i * block.classes; at < (i + 1) * block.classes; ++at) {
      if (weight > 0)
        largest = std::max(largest, scale_ * std::fabs(static_cast<double>(pulls[at])));
      pulls[at] = static_cast<float>(weight * factor * static_cast<double>(pulls[at]));
      if (curvature)
        curvature[at] =
            static_cast<float>(weight * factor * scale_ * static_cast<double>(curvature[at]));
    }
  }
  return largest > 0 ? std::log(largest) : -std::numeric_limits<double>::infinity();
}

}  // namespace simplexboost
