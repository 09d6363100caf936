#include "optimizer/share_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace simplexboost {
ShareBoosting::ShareBoosting(const Problem& problem, ShareStep kind, double c)
    : problem_(problem),
      kind_(kind),
      c_(1 / static_cast<double>(problem.classes)),
      weights_(problem),
      first_weights_(weights_.weights()),
      pulls_(problem.rows * problem.classes),
      row_weights_(problem.rows),
      own_(problem.rows),
      others_(problem.rows) {
  std::vector<double> shares(problem.classes);
  for (std::size_t i = 0; i < problem.rows; ++i)
    shares[static_cast<std::size_t>(problem.labels.codes[i])] += first_weights_[i];
  if (kind == ShareStep::kMaxLabel)
    c_ = c > 0 ? c : std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0);
}

FitTarget ShareBoosting::target(const float* /*scores*/) {
  const std::size_t classes = problem_.classes;
  for (std::size_t i = 0; i < problem_.rows; ++i) {
    row_weights_[i] = weights_.single(i);
    pulls_[i * classes + static_cast<std::size_t>(problem_.labels.codes[i])] = row_weights_[i];
  }
  return {problem_.rows, classes, pulls_.data(), row_weights_.data(), nullptr};
}

double ShareBoosting::gain(const RowVectors& hypothesis, std::size_t row) const {
  const float* h = hypothesis.of(row);
  const double own = h[problem_.labels.codes[row]];
  if (kind_ != ShareStep::kGeneral) return own - c_;
  double sum = 0;
  for (std::size_t l = 0; l < problem_.classes; ++l) sum += static_cast<double>(h[l]);
  return (own - (sum - own) / static_cast<double>(problem_.classes - 1)) / 2;
}

Step ShareBoosting::step(const RowVectors& hypothesis) {
  double mean = 0;
  for (std::size_t i = 0; i < problem_.rows; ++i)
    mean += weights_.weights()[i] * gain(hypothesis, i);
  const bool general = kind_ == ShareStep::kGeneral;
  quality_ = general ? 2 * mean : mean + c_;
  if (!(mean > 0))
    return {0, general ? fmt::format("U = {:.4g} is not positive: the class is no more likely than "
                                     "the others on average (jmlr2005, Figure 3)",
                                     quality_)
                       : fmt::format("the weighted share of the right class, {:.4g}, is no better "
                                     "than {:.4g} (jmlr2005, Figure 4)",
                                     quality_, c_)};
  const double lack = std::max(1 - quality_, kLeastLack);
  full_length_ =
      general ? std::log((1 + quality_) / lack) : std::log((1 - c_) * quality_ / (c_ * lack));
  if (1 - quality_ < kLeastLack)
    return {full_length_, "the last weak hypothesis makes no error on the training set"};
  return {full_length_, {}};
}

// By convexity, at the step that was taken: (8) and (12), which are (9) and (13) at the best one,
// and likewise (20).
void ShareBoosting::add_bounds(double length) {
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
  const double half = length < full_length_ ? length * (classes - 1) / classes
                                            : 0.5 * std::log((1 + u) / std::max(1 - u, kLeastLack));
  log_bound_9_ += log_mix((1 + u) / 2, half, half);
}

void ShareBoosting::advance(const RowVectors& hypothesis, double length) {
  add_bounds(length);
  lengths_.push_back(length);
  for (std::size_t i = 0; i < problem_.rows; ++i) {
    weights_.logs()[i] -= length * gain(hypothesis, i);
    const float* h = hypothesis.of(i);
    const double own = h[problem_.labels.codes[i]];
    double sum = 0;
    for (std::size_t l = 0; l < problem_.classes; ++l) sum += static_cast<double>(h[l]);
    own_[i] += length * own;
    others_[i] += length * (sum - own) / static_cast<double>(problem_.classes - 1);
  }
  log_bound_24_ = weights_.normalise();
}

double ShareBoosting::final_scale(std::size_t rounds) const {
  if (kind_ != ShareStep::kMaxLabel || rounds == 0) return 1;
  return 1 / std::accumulate(lengths_.begin(), lengths_.begin() + static_cast<long>(rounds), 0.0);
}

std::vector<RoundMetric> ShareBoosting::metrics() const {
  const double total = std::accumulate(lengths_.begin(), lengths_.end(), 0.0);
  double pseudo_loss_error = 0;
  double maxlabel_error = 0;
  for (std::size_t i = 0; i < problem_.rows; ++i) {
    if (own_[i] < others_[i]) pseudo_loss_error += first_weights_[i];
    if (own_[i] < c_ * total) maxlabel_error += first_weights_[i];
  }
  std::vector<RoundMetric> result{{kind_ == ShareStep::kGeneral ? "U" : "r", quality_},
                                  {"step", lengths_.empty() ? 0 : lengths_.back()},
                                  {"pseudo_loss_error", pseudo_loss_error},
                                  {"maxlabel_error", maxlabel_error},
                                  {"bound_24", std::exp(log_bound_24_)}};
  if (kind_ == ShareStep::kNormalised) result.push_back({"bound_13", std::exp(log_convex_)});
  if (kind_ == ShareStep::kMaxLabel) result.push_back({"bound_20", std::exp(log_convex_)});
  if (kind_ != ShareStep::kMaxLabel) result.push_back({"bound_9", std::exp(log_bound_9_)});
  return result;
}

}  // namespace simplexboost
