#include "optimizer/logit_boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/text/shorten.h"

namespace simplexboost {
namespace {

constexpr std::size_t kLogitRowBlock = 256;

template <class Number>
double log_sum_of(std::span<const Number> f) {
  const double top = *std::max_element(f.begin(), f.end());
  double sum = 0;
  for (const Number one : f) sum += std::exp(one - top);
  return top + std::log(sum);
}

}  // namespace

LogitBoosting::LogitBoosting(const Problem& problem, const LogitOptions& options)
    : problem_(problem),
      options_(options),
      codebook_(Codebook::canonical(problem.classes)),
      loss_(make_loss("logistic")),
      risk_(problem, codebook_, *loss_),
      leaf_targets_(problem.classes),
      row_pulls_(problem.rows() * problem.classes),
      row_curvature_(problem.rows() * problem.classes),
      pulls_(options.moves == LogitMoves::kVector ? 0 : problem.rows() * problem.classes),
      curvature_(pulls_.size()),
      pair_pulls_(options.moves == LogitMoves::kBase ? problem.rows() * problem.classes : 0),
      pair_curvature_(pair_pulls_.size()),
      total_weight_(problem.weights.sum(problem.space)) {
  // Each of the K - 1 steps of a round that move the base class is a Newton step as if it were
  // alone. Where all classes are as likely, they raise the loss together from a rate of 4/K on;
  // without a base steps do from a rate of 2.
  const double most = based() ? 4 / static_cast<double>(problem.classes) : 2;
  watched_ = options.learning_rate >= most;
}

RoundTarget LogitBoosting::target(const float* scores) {
  risk_.set_scores(scores);
  scale_ = std::exp(risk_.class_pulls(row_pulls_.data(), row_curvature_.data()));
  set_class_losses(scores);
  watch(mean_loss());
  scores_ = scores;
  if (keeps_log_sums()) set_log_sums(scores);
  if (options_.moves == LogitMoves::kVector) {
    scale_rows();
    return target_at(0);
  }
  split_classes();
  if (based()) choose_bases();
  ++round_;
  return target_at(0);
}

// From rows x classes in u = F / 2 to classes x rows in F; weighted, unless pairs of them will be.
void LogitBoosting::split_classes() {
  const std::size_t classes = problem_.classes;
  const std::size_t rows = problem_.rows();
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < classes; ++k) {
      float* pulls = pulls_.data() + k * rows;
      float* curvature = curvature_.data() + k * rows;
      for (std::size_t i = begin; i < end; ++i) {
        const float h = 0.25F * row_curvature_[i * classes + k];
        const float g = 0.5F * row_pulls_[i * classes + k];
        curvature[i] = h;
        pulls[i] = options_.bounded ? std::clamp(g, -kMostZ * h, kMostZ * h) : g;
      }
      if (!based()) weigh_rows(begin, end, pulls, curvature);
    }
  });
}

void LogitBoosting::weigh_rows(std::size_t begin, std::size_t end, float* pulls,
                               float* curvature) const {
  const float* weights = risk_.row_weights().data();
  for (std::size_t i = begin; i < end; ++i) {
    pulls[i] = weights[i] * shorten(pulls[i]);
    curvature[i] = weights[i] * shorten(curvature[i]);
  }
}

// From u = F / 2 to F in place, weighted and without the common scale.
void LogitBoosting::scale_rows() {
  const auto scale = static_cast<float>(scale_);
  const std::size_t classes = problem_.classes;
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin * classes; j < end * classes; ++j) {
      const float weight = risk_.row_weights()[j / classes];
      row_pulls_[j] = weight * shorten(0.5F * scale * row_pulls_[j]);
      row_curvature_[j] = weight * shorten(0.25F * scale * row_curvature_[j]);
    }
  });
}

void LogitBoosting::set_class_losses(const float* scores) {
  const std::size_t classes = problem_.classes;
  class_loss_ = problem_.space.sums(kLogitRowBlock, classes,
                                    [&](std::size_t begin, std::size_t end, double* sums) {
                                      for (std::size_t i = begin; i < end; ++i)
                                        sums[problem_.labels.codes[i]] += row_loss(i, scores);
                                    });
}

// -log p of the row's class, times its weight: from 1 - p or, where p is small, from the most
// likely class. Both keep their digits however near p is to 0 or 1.
double LogitBoosting::row_loss(std::size_t row, const float* scores) const {
  const std::size_t classes = problem_.classes;
  const auto own = static_cast<std::size_t>(problem_.labels.codes[row]);
  const double weight = problem_.weights[row];
  const float* pulls = row_pulls_.data() + row * classes;
  const double wrong = 0.5 * pulls[own] * scale_;
  if (wrong < 0.5) return -weight * std::log1p(-wrong);
  const float* f = scores + row * classes;
  const auto top = static_cast<std::size_t>(std::max_element(f, f + classes) - f);
  if (top == own) return -weight * std::log1p(-wrong);
  const double likely = -0.5 * pulls[top] * scale_;
  return weight * (static_cast<double>(f[top]) - f[own] - std::log(likely));
}

// The class of the largest loss, or the first few by it; every round, or as the gap says.
void LogitBoosting::choose_bases() {
  if (round_ % options_.gap != 0) {
    bases_ = {base_};
    return;
  }
  bases_.resize(problem_.classes);
  std::iota(bases_.begin(), bases_.end(), std::size_t{0});
  std::stable_sort(bases_.begin(), bases_.end(),
                   [&](std::size_t a, std::size_t b) { return class_loss_[a] > class_loss_[b]; });
  bases_.resize(std::min(options_.candidates, problem_.classes));
}

std::size_t LogitBoosting::group() const { return problem_.classes - (based() ? 1 : 0); }

double LogitBoosting::mean_loss() const {
  return std::accumulate(class_loss_.begin(), class_loss_.end(), 0.0) / total_weight_;
}

// The rises of a training that has come far are small, and the next rounds make them good.
void LogitBoosting::watch(double loss) {
  constexpr double kFar = 0.5;  // of the loss before the first round
  if (first_loss_ < 0) first_loss_ = last_loss_ = loss;
  watched_ = watched_ || (loss > last_loss_ && loss > kFar * first_loss_);
  last_loss_ = loss;
}

// None where the training loss is down to the precision of the machine, which is where Li (2010)
// stops: what is left to fit is rounding.
std::size_t LogitBoosting::targets() const {
  if (!class_loss_.empty() && mean_loss() < std::numeric_limits<double>::epsilon()) return 0;
  if (options_.moves == LogitMoves::kVector) return 1;
  return based() ? std::max<std::size_t>(bases_.size(), 1) * group() : group();
}

RoundTarget LogitBoosting::target_at(std::size_t index) {
  if (options_.moves == LogitMoves::kVector) {
    RoundTarget target{{problem_.rows(), problem_.classes, present(row_pulls_),
                        present(risk_.row_weights()), present(row_curvature_)}};
    target.leaf_limit = kMostZ;
    return target;
  }
  if (!based())
    return target_of(index, present(pulls_) + index * problem_.rows(),
                     present(curvature_) + index * problem_.rows());
  base_ = bases_[index / group()];
  const std::size_t k = index % group();
  if (k == 0 && compares()) {
    tried_.assign(scores_, scores_ + problem_.rows() * problem_.classes);
    tried_steps_ = 0;
    if (keeps_log_sums()) set_log_sums(scores_);
  }
  return pair_target(k < base_ ? k : k + 1, base_);
}

RoundTarget LogitBoosting::target_of(std::size_t output, const float* pulls,
                                     const float* curvature) {
  RoundTarget target{{problem_.rows(), 1, pulls, curvature, nullptr}};
  target.to.output = output;
  target.leaf_limit = kMostZ;
  if (!options_.second_order) {
    target.weights = present(risk_.row_weights());
    leaf_targets_[output] = KeptLeafTarget(1, pulls, curvature);
    target.leaves = &leaf_targets_[output];
  }
  return target;
}

RoundTarget LogitBoosting::pair_target(std::size_t k, std::size_t base) {
  const std::size_t rows = problem_.rows();
  float* pulls = pair_pulls_.data() + k * rows;
  float* curvature = pair_curvature_.data() + k * rows;
  const auto scale = static_cast<float>(scale_);
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto label = static_cast<std::size_t>(problem_.labels.codes[i]);
      const float g = pulls_[k * rows + i];
      const float g_base = pulls_[base * rows + i];
      // p_k p_b: the one that is not of the row's class is minus its pull, and so is the other, or
      // 1 more.
      const float other = label == base ? g : g_base;
      const float maybe_own = (label == base ? g_base : g) * scale;
      const float p = label == base || label == k ? 1 - maybe_own : -maybe_own;
      const float h = curvature_[k * rows + i] + curvature_[base * rows + i] - 2 * p * other;
      const float most = kMostZ * h;
      curvature[i] = h;
      pulls[i] = options_.bounded ? std::clamp(g - g_base, -most, most) : g - g_base;
    }
    weigh_rows(begin, end, pulls, curvature);
  });
  RoundTarget target =
      target_of(k, present(pair_pulls_) + k * rows, present(pair_curvature_) + k * rows);
  target.to.minus_output = static_cast<std::uint32_t>(base);
  return target;
}

bool LogitBoosting::moves(const RowVectors& hypothesis) const {
  const auto moved = [&](std::size_t row) {
    const float* h = hypothesis.of(row);
    return std::any_of(h, h + hypothesis.width, [](float value) { return value != 0; });
  };
  std::size_t row = 0;
  while (row < problem_.rows() && !moved(row)) ++row;
  return problem_.space.any(row < problem_.rows());
}

Step LogitBoosting::step(const RowVectors& hypothesis) {
  const auto classes = static_cast<double>(problem_.classes);
  Step step;
  if (moves(hypothesis))
    step.length = options_.moves == LogitMoves::kClass ? (classes - 1) / classes : 1;
  if (watched_ && hypothesis.width == 1) {
    step.length = falling_length(hypothesis, step.length);
  } else if (keeps_log_sums() && step.length > 0) {
    step.length = guarded(hypothesis, step.length);
    move_log_sums(hypothesis, step.length * options_.learning_rate);
  }
  if (!compares()) return step;
  try_step(hypothesis, step.length * options_.learning_rate);
  if (tried_steps_ < group()) return step;
  risk_.set_scores(tried_.data());
  step.risk = risk_.risk().log();
  return step;
}

// The log of the sum of e^F over the classes of each row.
void LogitBoosting::set_log_sums(const float* scores) {
  const std::size_t classes = problem_.classes;
  log_sums_.resize(problem_.rows());
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span row(scores + i * classes, classes);
      log_sums_[i] = log_sum_of<float>(row);
    }
  });
}

// Moving F_k by t, and that of the base by -t, makes of the sum of e^F, in units of itself,
// 1 + p_k (e^t - 1) [+ p_b (e^-t - 1)]; where nearly nothing is left of it, or all classes move, it
// is summed anew.
double LogitBoosting::moved_log_sum(const RowVectors& hypothesis, std::size_t row, double length,
                                    const float* scores) const {
  constexpr double kLittle = 1e-6;
  const float* const h = hypothesis.of(row);
  const float* const f = scores + row * problem_.classes;
  if (hypothesis.width == 1) {
    const double t = length * h[0];
    const double log_sum = log_sums_[row];
    double change = std::exp(f[hypothesis.output] - log_sum) * std::expm1(t);
    if (based()) change += std::exp(f[hypothesis.minus_output] - log_sum) * std::expm1(-t);
    if (1 + change > kLittle) return log_sum + std::log1p(change);
  }
  std::vector<double> moved(f, f + problem_.classes);
  for (std::size_t j = 0; j < hypothesis.width; ++j) {
    moved[hypothesis.output + j] += length * h[j];
    if (based()) moved[hypothesis.minus_output + j] -= length * h[j];
  }
  return log_sum_of<double>(moved);
}

// What the score of the row's own class is moved by.
double LogitBoosting::own_move(const RowVectors& hypothesis, std::size_t row, double length) const {
  const auto own = static_cast<std::size_t>(problem_.labels.codes[row]);
  const float* const h = hypothesis.of(row);
  if (based() && own == hypothesis.minus_output) return -length * h[0];
  const bool moves = own >= hypothesis.output && own < hypothesis.output + hypothesis.width;
  return moves ? length * h[own - hypothesis.output] : 0;
}

double LogitBoosting::loss_change(const RowVectors& hypothesis, double length) const {
  const float* scores = live_scores();
  return problem_.space.sum(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    double change = 0;
    for (std::size_t i = begin; i < end; ++i)
      change += problem_.weights[i] * (moved_log_sum(hypothesis, i, length, scores) - log_sums_[i] -
                                       own_move(hypothesis, i, length));
    return change;
  });
}

// Halves a step that goes far, or any where all are watched, until the loss, with the steps of the
// round so far, does not rise by it. Guarding all steps would cost progress: those of a round are
// fitted to the same pulls, and the first ones make the others look too long. But where the rows' z
// are bounded, rows far on the wrong side pull no more, and no step would make good what the ones
// before it spoilt.
double LogitBoosting::guarded(const RowVectors& hypothesis, double length) const {
  const auto size_of = [&](std::size_t begin, std::size_t end) {
    float size = 0;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < hypothesis.width; ++j)
        size = std::max(size, std::abs(hypothesis.of(i)[j]));
    return static_cast<double>(size);
  };
  const double farthest = problem_.space.maximum(kLogitRowBlock, size_of, 0);
  if (farthest <= kMostZ && !options_.bounded && !watched_) return length;
  constexpr double kLeast = 1e-9;
  const double tried = watched_ ? options_.learning_rate * length : length;
  double part = 1;
  while (part > kLeast && !(loss_change(hypothesis, tried * part) <= 0)) part /= 2;
  return length * part;
}

// Along it, of the loss: the first derivative and the second.
std::array<double, 2> LogitBoosting::slope_and_bend(const RowVectors& hypothesis) {
  const float* const scores = live_scores();
  class_share_.resize(problem_.rows());
  base_share_.resize(problem_.rows());
  moved_log_sums_.resize(problem_.rows());
  const auto add = [&](std::size_t begin, std::size_t end, double* sums) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* const f = scores + i * problem_.classes;
      const double share = std::exp(f[hypothesis.output] - log_sums_[i]);
      const double base = based() ? std::exp(f[hypothesis.minus_output] - log_sums_[i]) : 0;
      const double h = hypothesis.of(i)[0];
      const double rise = share - base;
      class_share_[i] = share;
      base_share_[i] = base;
      sums[0] += problem_.weights[i] * (h * rise - own_move(hypothesis, i, 1));
      sums[1] += problem_.weights[i] * h * h * (share + base - rise * rise);
    }
  };
  const std::vector<double> sums = problem_.space.sums(kLogitRowBlock, 2, add);
  return {sums[0], sums[1]};
}

// loss_change() by the shares that are known.
double LogitBoosting::change_of_class(const RowVectors& hypothesis, double length) {
  constexpr double kLittle = 1e-6;
  const float* const scores = live_scores();
  return problem_.space.sum(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    double change = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double up = std::expm1(length * hypothesis.of(i)[0]);
      const double of_sum = class_share_[i] * up - base_share_[i] * up / (1 + up);
      moved_log_sums_[i] = 1 + of_sum > kLittle ? log_sums_[i] + std::log1p(of_sum)
                                                : moved_log_sum(hypothesis, i, length, scores);
      change += problem_.weights[i] *
                (moved_log_sums_[i] - log_sums_[i] - own_move(hypothesis, i, length));
    }
    return change;
  });
}

// At most the whole step, at most a Newton step from where the others have led, and halved while
// the loss rises.
double LogitBoosting::falling_length(const RowVectors& hypothesis, double length) {
  constexpr double kLeast = 1e-9;
  const double whole = options_.learning_rate * length;
  if (!(whole > 0)) return 0;
  const auto [slope, bend] = slope_and_bend(hypothesis);
  if (!(slope < 0)) return 0;
  double part = bend * whole > -slope ? -slope / (bend * whole) : 1;
  while (part > kLeast && !(change_of_class(hypothesis, whole * part) <= 0)) part /= 2;
  if (!(part > kLeast)) return 0;
  std::swap(log_sums_, moved_log_sums_);
  return length * part;
}

void LogitBoosting::move_log_sums(const RowVectors& hypothesis, double length) {
  const float* scores = live_scores();
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      log_sums_[i] = moved_log_sum(hypothesis, i, length, scores);
  });
}

void LogitBoosting::try_step(const RowVectors& hypothesis, double length) {
  const std::size_t classes = problem_.classes;
  problem_.space.for_blocks(kLogitRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto moved = static_cast<float>(length * hypothesis.of(i)[0]);
      tried_[i * classes + hypothesis.output] += moved;
      tried_[i * classes + hypothesis.minus_output] -= moved;
    }
  });
  ++tried_steps_;
}

void LogitBoosting::resume(const Past& past) {
  round_ = past.rounds;
  if (based() && past.rounds > 0) base_ = past.count("base", past.rounds - 1, problem_.classes - 1);
  for (std::size_t r = 0; r < past.rounds; ++r) watch(past.figure("loss_before", r));
}

std::vector<RoundMetric> LogitBoosting::metrics() const {
  std::vector<RoundMetric> metrics{{"loss_before", mean_loss()}};
  if (based()) metrics.push_back({"base", static_cast<double>(base_)});
  return metrics;
}

}  // namespace simplexboost
