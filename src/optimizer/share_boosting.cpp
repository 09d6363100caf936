#include "optimizer/share_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {
namespace {

constexpr std::size_t kShareRowBlock = RowSpace::kBlock;

}  // namespace

ShareBoosting::ShareBoosting(const Problem& problem, ShareStep kind, const ShareOptions& options)
    : problem_(problem),
      kind_(kind),
      options_(options),
      c_(1 / static_cast<double>(problem.classes)),
      weights_(problem),
      first_logs_(weights_.logs()),
      first_weights_(weights_.weights()),
      pulls_(problem) {
  if (kind == ShareStep::kMaxLabel) c_ = options.c > 0 ? options.c : uninformed_share();
}

// The sum of the squared shares of the classes (21).
double ShareBoosting::uninformed_share() const {
  const std::vector<double> shares = problem_.space.sums(
      kShareRowBlock, problem_.classes, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i)
          sums[problem_.labels.codes[i]] += first_weights_[i];
      });
  return std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0);
}

RoundTarget ShareBoosting::target(const float* scores) {
  scores_ = scores;
  if (first_) weigh();
  first_ = false;
  return options_.sets ? set_target() : pulls_.target(weights_);
}

RoundTarget ShareBoosting::set_target() {
  const std::size_t classes = problem_.classes;
  const auto others =
      static_cast<float>(kind_ == ShareStep::kMaxLabel ? c_ : 1 / static_cast<double>(classes - 1));
  const float own = kind_ == ShareStep::kMaxLabel ? 1 - others : 1;
  set_pulls_.resize(problem_.rows() * classes);
  row_weights_.resize(problem_.rows());
  problem_.space.for_blocks(kShareRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      row_weights_[i] = weights_.single(i);
      float* const pulls = set_pulls_.data() + i * classes;
      std::fill(pulls, pulls + classes, -others * row_weights_[i]);
      pulls[problem_.labels.codes[i]] = own * row_weights_[i];
    }
  });
  return {{problem_.rows(), classes, present(set_pulls_), present(row_weights_), nullptr}};
}

ShareBoosting::OwnAndOthers ShareBoosting::own_and_others(const float* values,
                                                          std::size_t row) const {
  const double own = values[problem_.labels.codes[row]];
  double sum = 0;
  for (std::size_t l = 0; l < problem_.classes; ++l) sum += static_cast<double>(values[l]);
  return {own, (sum - own) / static_cast<double>(problem_.classes - 1)};
}

double ShareBoosting::fall(const OwnAndOthers& values) const {
  return kind_ == ShareStep::kGeneral ? (values.own - values.others) / 2 : values.own;
}

void ShareBoosting::weigh() {
  problem_.space.for_blocks(kShareRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      weights_.logs()[i] = first_logs_[i] - fall(own_and_others(scores_ + i * problem_.classes, i));
  });
  log_bound_24_ = weights_.normalise() + (kind_ == ShareStep::kGeneral ? 0 : c_ * total_);
}

double ShareBoosting::best_length(double quality) const {
  const double lack = std::max(1 - quality, kLeastLack);
  return kind_ == ShareStep::kGeneral ? std::log((1 + quality) / lack)
                                      : std::log((1 - c_) * quality / (c_ * lack));
}

Step ShareBoosting::step(const RowVectors& hypothesis) {
  const double mean = problem_.space.sum(kShareRowBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      sum += weights_.weights()[i] * fall(own_and_others(hypothesis.of(i), i));
    return sum;
  });
  const bool general = kind_ == ShareStep::kGeneral;
  quality_ = general ? 2 * mean : mean;
  if (!(quality_ > (general ? 0 : c_)))
    return {0, general ? fmt::format("U = {:.4g} is not positive: the class is no more likely than "
                                     "the others on average (jmlr2005, Figure 3)",
                                     quality_)
                       : fmt::format("the weighted share of the right class, {:.4g}, is no better "
                                     "than {:.4g} (jmlr2005, Figure 4)",
                                     quality_, c_)};
  if (1 - quality_ < kLeastLack) return {best_length(quality_), kNoError};
  return {best_length(quality_), {}};
}

// The bounds by convexity, at the step that was taken: (8) and (12), which are (9) and (13) at the
// best one, and likewise (20).
void ShareBoosting::take_length(double length) {
  lengths_.push_back(length);
  total_ += length;
  const auto others = static_cast<double>(problem_.classes - 1);
  const double edge = kind_ == ShareStep::kGeneral    ? quality_
                      : kind_ == ShareStep::kMaxLabel ? quality_ - c_
                                                      : ((others + 1) * quality_ - 1) / others;
  least_edge_ = std::min(least_edge_, edge);
  const auto log_mix = [](double share, double fall, double rise) {
    return std::log(share * std::exp(-fall) + (1 - share) * std::exp(rise));
  };
  if (kind_ == ShareStep::kGeneral) {
    log_bound_9_ += log_mix((1 + quality_) / 2, length / 2, length / 2);
    return;
  }
  log_convex_ += log_mix(quality_, length * (1 - c_), length * c_);
  if (kind_ == ShareStep::kMaxLabel) return;
  // (9) has a best step of its own; of a step that was cut short it is the bound as it is.
  const auto classes = static_cast<double>(problem_.classes);
  const double u = (classes * quality_ - 1) / (classes - 1);
  const double half = length < best_length(quality_)
                          ? length * (classes - 1) / classes
                          : 0.5 * std::log((1 + u) / std::max(1 - u, kLeastLack));
  log_bound_9_ += log_mix((1 + u) / 2, half, half);
}

void ShareBoosting::advance(const RowVectors& /*hypothesis*/, double length) {
  take_length(length);
  weigh();
}

void ShareBoosting::resume(const Past& past) {
  for (std::size_t round = 0; round < past.rounds; ++round) {
    quality_ = past.figure(kind_ == ShareStep::kGeneral ? "U" : "r", round);
    take_length(past.figure("step", round));
  }
}

Ending ShareBoosting::ending(std::size_t rounds) const {
  if (kind_ != ShareStep::kMaxLabel || rounds == 0) return {};
  return {1 / std::accumulate(lengths_.begin(), lengths_.begin() + static_cast<long>(rounds), 0.0)};
}

std::vector<RoundMetric> ShareBoosting::metrics() const {
  const std::vector<double> errors =
      problem_.space.sums(kShareRowBlock, 2, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const OwnAndOthers values = own_and_others(scores_ + i * problem_.classes, i);
          if (values.own < values.others) sums[0] += first_weights_[i];
          if (values.own < c_ * total_) sums[1] += first_weights_[i];
        }
      });
  std::vector<RoundMetric> result{{kind_ == ShareStep::kGeneral ? "U" : "r", quality_},
                                  {"step", lengths_.empty() ? 0 : lengths_.back()},
                                  {"pseudo_loss_error", errors[0]},
                                  {"maxlabel_error", errors[1]},
                                  {"bound_24", std::exp(log_bound_24_)}};
  for (const RoundMetric& bound : bounds()) result.push_back(bound);
  return result;
}

// By convexity, and what is left of these as the rounds go on: e^{-delta^2 T / 2} of Theorem 2,
// e^{-delta^2 T} of Theorem 3.
std::vector<RoundMetric> ShareBoosting::bounds() const {
  std::vector<RoundMetric> result;
  const double fall = least_edge_ * least_edge_ * static_cast<double>(lengths_.size());
  if (kind_ == ShareStep::kMaxLabel) {
    result.push_back({"bound_20", std::exp(log_convex_)});
    if (options_.full_steps) result.push_back({"tail_20", std::exp(-fall)});
    return result;
  }
  if (kind_ == ShareStep::kNormalised) result.push_back({"bound_13", std::exp(log_convex_)});
  result.push_back({"bound_9", std::exp(log_bound_9_)});
  if (options_.full_steps) result.push_back({"tail_9", std::exp(-fall / 2)});
  return result;
}

}  // namespace simplexboost
