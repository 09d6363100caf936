#include "loss/loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/nearest_name.h"
#include "base/parallel.h"
#include "loss/builtin_loss.h"
#include "loss/loss_kernels.h"
#include "loss/objective_loss.h"
#include "loss/pair_loss.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;
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

std::span<const std::string_view> loss_names() {
  static constexpr std::array<std::string_view, 3> kNames{"exponential", "logistic", "savage"};
  return kNames;
}

std::shared_ptr<const Loss> make_loss(std::string_view name) {
  if (name == "exponential") return exponential_loss();
  if (name == "logistic") return logistic_loss();
  if (name == "savage") return savage_loss();
  throw ParameterError(unknown_name_message("loss", name, loss_names()));
}

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const GammaPhi> pair) {
  return std::make_shared<PairLoss>(std::move(pair));
}

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Objective> objective, double scale) {
  return std::make_shared<ObjectiveLoss>(std::move(objective), scale);
}

ScaledSum total_risk(const Loss& loss, const LossBlock& all, int threads) {
  const std::size_t block = loss.rows_at_once(kRowBlock, all.rows);
  std::vector<ScaledSum> sums((all.rows + block - 1) / block);
  parallel_blocks(threads, all.rows, block, [&](std::size_t begin, std::size_t end) {
    sums[begin / block] = loss.risk(all.part(begin, end));
  });
  ScaledSum total;
  for (const ScaledSum& sum : sums) total.add(sum);
  return total;
}

double class_pulls(const Loss& loss, const LossBlock& all, int threads, float* pulls,
                   float* curvature) {
  const std::size_t block = loss.rows_at_once(kRowBlock, all.rows);
  std::vector<double> largest((all.rows + block - 1) / block, kMinusInfinity);
  const auto fill = [&](double log_scale) {
    parallel_blocks(threads, all.rows, block, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = begin * all.classes;
      largest[begin / block] = loss.pulls(all.part(begin, end), log_scale, pulls + first,
                                          curvature ? curvature + first : nullptr);
    });
    return largest.empty() ? kMinusInfinity : *std::max_element(largest.begin(), largest.end());
  };
  const double most = fill(0);
  if (most == kMinusInfinity || std::abs(most) < kPlainLogs) return 0;
  fill(most);
  return most;
}

}  // namespace simplexboost
