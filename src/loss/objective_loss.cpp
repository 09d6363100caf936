#include "loss/objective_loss.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

LossFacts facts_of(const Objective* objective) {
  if (!objective) throw ParameterError("training needs an objective, not a null pointer");
  return {.takes_parts = false, .knows_risk = objective->has_losses(), .of_margins = false};
}

// The rows as the objective sees them; `scaled` holds their scores.
ObjectiveRows rows_of(const LossBlock& block, double scale, std::vector<float>& scaled) {
  const auto factor = static_cast<float>(scale);
  scaled.assign(block.scores, block.scores + block.rows * block.classes);
  for (float& score : scaled) score *= factor;
  return {block.rows, block.classes, scaled.data(), block.labels};
}

}  // namespace

ObjectiveLoss::ObjectiveLoss(std::shared_ptr<const Objective> objective, double scale)
    : Loss(facts_of(objective.get())), objective_(std::move(objective)), scale_(scale) {}

ScaledSum ObjectiveLoss::risk(const LossBlock& block) const {
  if (!facts().knows_risk) return {};
  std::vector<float> scaled;
  std::vector<double> losses(block.rows);
  objective_->losses(rows_of(block, scale_, scaled), losses.data());
  double total = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (!std::isfinite(losses[i]))
      throw ModelError(
          fmt::format("objective '{}': the loss of row {} is {}", name(), i, losses[i]));
    total += block.weight(i) * losses[i];
  }
  return {total, 0};
}

double ObjectiveLoss::pulls(const LossBlock& block, double log_scale, float* pulls,
                            float* curvature) const {
  std::vector<float> scaled;
  objective_->pulls(rows_of(block, scale_, scaled), pulls, curvature);
  const double factor = scale_ * std::exp(-log_scale);
  double largest = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const double weight = block.weight(i);
    for (std::size_t at = i * block.classes; at < (i + 1) * block.classes; ++at) {
      const std::size_t k = at - i * block.classes;
      if (!std::isfinite(pulls[at]))
        throw ModelError(fmt::format("objective '{}': the pull of row {} on class {} is {}", name(),
                                     i, k, pulls[at]));
      if (weight > 0)
        largest = std::max(largest, scale_ * std::fabs(static_cast<double>(pulls[at])));
      pulls[at] = static_cast<float>(weight * factor * static_cast<double>(pulls[at]));
      if (!curvature) continue;
      if (!(curvature[at] >= 0) || !std::isfinite(curvature[at]))
        throw ModelError(
            fmt::format("objective '{}': the curvature of row {} in class {} is {}; it must be "
                        "finite and not negative",
                        name(), i, k, curvature[at]));
      curvature[at] =
          static_cast<float>(weight * factor * scale_ * static_cast<double>(curvature[at]));
    }
  }
  return largest > 0 ? std::log(largest) : -std::numeric_limits<double>::infinity();
}

}  // namespace simplexboost
