#include "optimizer/search/margin_risk.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text/shorten.h"
#include "base/threads/thread_scratch.h"
#include "optimizer/search/line_search.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMarginRiskRowBlock = 256;
// Of the pulls, which are of single precision: what is left of sums of them that are zero.
constexpr double kRounding = 1e-6;
// Of the margins that margin_above() tells, and how well it knows them. Minus the widest stands for
// a risk that promises nothing, as that of a bounded loss may be.
constexpr double kWidestMargin = 1e6;
constexpr double kMarginDigits = 1e-5;

bool some_differ_from_one(const Problem& problem) {
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.weights[i] != 1) return true;
  return false;
}

}  // namespace

MarginRisk::MarginRisk(const Problem& problem, const Codebook& codebook, const Loss& loss,
                       bool ones, GradientRows* rows)
    : problem_(problem),
      codebook_(codebook),
      loss_(loss),
      rows_(rows),
      weighted_(ones || problem.space.any(some_differ_from_one(problem))),
      row_weights_(weighted_ ? problem.rows() : 0) {
  for (std::size_t i = 0; i < row_weights_.size(); ++i)
    row_weights_[i] = static_cast<float>(problem.weights[i]);
}

LossBlock MarginRisk::frame() const {
  LossBlock block;
  block.classes = problem_.classes;
  block.costs = problem_.costs.empty() ? nullptr : problem_.costs.data();
  return block;
}

LossBlock MarginRisk::all() const {
  LossBlock block = frame();
  block.rows = problem_.rows();
  block.scores = class_scores_.data();
  block.labels = problem_.labels.codes.data();
  block.weights = weighted_ ? row_weights_.data() : nullptr;
  return block;
}

void MarginRisk::set_scores(const float* scores) {
  if (rows_) return;
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  class_scores_.resize(problem_.rows() * classes);
  problem_.space.for_blocks(kMarginRiskRowBlock, [&](std::size_t begin, std::size_t end) {
    codebook_.class_scores({scores + begin * d, (end - begin) * d},
                           {class_scores_.data() + begin * classes, (end - begin) * classes});
  });
}

double MarginRisk::class_pulls(float* pulls, float* curvature) const {
  LossBlock rows = all();
  rows.weights = nullptr;
  return simplexboost::class_pulls(loss_, rows, problem_.space, pulls, curvature);
}

void MarginRisk::weigh(float* values, std::size_t width) const {
  problem_.space.for_blocks(kMarginRiskRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        float& value = values[i * width + j];
        value = (weighted_ ? row_weights_[i] : 1.0F) * shorten(value);
      }
  });
}

ScaledSum MarginRisk::risk() const {
  return rows_ ? rows_->risk() : total_risk(loss_, all(), problem_.space);
}

double MarginRisk::lightest_weight() const {
  return -problem_.space.maximum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double most = -problem_.weights[begin];
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, -problem_.weights[i]);
    return most;
  });
}

// (92): the row of the smallest margin M has a rival at that distance, so that the risk is at least
// gamma(phi(M)) times the weight of the row. Of two classes there is no other rival: the loss
// itself tells gamma(phi(v)), which falls with v.
double MarginRisk::margin_above(double log_risk) const {
  const double log_most = log_risk - std::log(lightest_weight());
  const auto log_loss = [&](double margin) {
    const std::int32_t label = 0;
    const float scores[] = {static_cast<float>(margin), 0};
    LossBlock row;
    row.rows = 1;
    row.classes = 2;
    row.labels = &label;
    row.scores = scores;
    return loss_.risk(row).log();
  };
  double low = -kWidestMargin;
  double high = kWidestMargin;
  while (high - low > kMarginDigits * std::max(1.0, std::abs(low))) {
    const double middle = (low + high) / 2;
    (log_loss(middle) > log_most ? low : high) = middle;
  }
  return low;
}

std::vector<RoundMetric> MarginRisk::metrics(double log_risk) const {
  std::vector<RoundMetric> metrics;
  const LossFacts& facts = loss_.facts();
  if (!facts.knows_risk) return metrics;
  metrics.push_back({"log_risk", log_risk});
  if (facts.of_margins && facts.falls_with_margin && problem_.costs.empty())
    metrics.push_back({"margin_above", margin_above(log_risk)});
  return metrics;
}

void MarginRisk::pull_back(const float* class_pulls, float* pulls) const {
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  problem_.space.for_blocks(kMarginRiskRowBlock, [&](std::size_t begin, std::size_t end) {
    codebook_.pulls({class_pulls + begin * classes, (end - begin) * classes},
                    {pulls + begin * d, (end - begin) * d});
  });
}

void MarginRisk::set_direction(const RowVectors& hypothesis) {
  const std::size_t d = codebook_.dimension();
  std::size_t count = rows_ ? hypothesis.elsewhere : problem_.rows();
  index_ = hypothesis.index;
  if (index_ && count > 0) count = problem_.space.largest_index(index_) + std::size_t{1};
  // Vectors of a part of the outputs (a coordinate) are zero in the others.
  std::vector<float> whole;
  const float* vectors = hypothesis.values;
  if (hypothesis.width < d) {
    whole.resize(count * d);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(vectors + i * hypothesis.width, hypothesis.width,
                  whole.data() + i * d + hypothesis.output);
    vectors = whole.data();
  }
  direction_.resize(count * problem_.classes);
  codebook_.class_scores({vectors, count * d}, direction_);
  direction_size_ = 0;
  for (const float value : direction_)
    direction_size_ = std::max(direction_size_, std::fabs(static_cast<double>(value)));
  direction_size_ = problem_.space.largest(direction_size_);
  if (rows_) rows_->set_direction(direction_);
}

void MarginRisk::move(std::size_t begin, std::size_t end, double step, float* out) const {
  const std::size_t classes = problem_.classes;
  const auto factor = static_cast<float>(step);
  for (std::size_t i = begin; i < end; ++i) {
    const float* h = direction(i);
    const float* u = class_scores_.data() + i * classes;
    for (std::size_t k = 0; k < classes; ++k) *out++ = u[k] + factor * h[k];
  }
}

template <class Part, class Use>
std::vector<Part> MarginRisk::moved_blocks(double step, const Use& use) const {
  return problem_.space.block_values<Part>(
      kMarginRiskRowBlock, [&](std::size_t begin, std::size_t end) {
        auto& moved = thread_scratch<struct MovedScores, std::vector<float>>();
        moved.resize(kMarginRiskRowBlock * problem_.classes);
        move(begin, end, step, moved.data());
        LossBlock block = all().part(begin, end);
        block.scores = moved.data();
        return use(block, begin);
      });
}

LossBlock MarginRisk::all_moved(double step, std::vector<float>& scores) const {
  scores.resize(problem_.rows() * problem_.classes);
  problem_.space.for_blocks(kMarginRiskRowBlock, [&](std::size_t begin, std::size_t end) {
    move(begin, end, step, scores.data() + begin * problem_.classes);
  });
  LossBlock block = all();
  block.scores = scores.data();
  return block;
}

Descent MarginRisk::descent_of(std::size_t begin, std::size_t end, const float* pulls) const {
  Descent part;
  for (std::size_t i = begin; i < end; ++i) {
    const float* h = direction(i);
    float row = 0;
    for (std::size_t k = 0; k < problem_.classes; ++k) row += *pulls++ * h[k];
    // Weighted in double precision, so that a row of weight 2 is that row twice.
    const double weighted = problem_.weights[i] * static_cast<double>(row);
    part.sum += weighted;
    part.size += std::fabs(weighted);
  }
  return part;
}

std::vector<Descent> MarginRisk::descents(double step, double log_scale) const {
  if (rows_) return rows_->descents(step, log_scale);
  const std::size_t classes = problem_.classes;
  if (loss_.facts().takes_parts)
    return moved_blocks<Descent>(step, [&](LossBlock block, std::size_t first) {
      auto& pulls = thread_scratch<struct MovedPulls, std::vector<float>>();
      pulls.resize(kMarginRiskRowBlock * classes);
      block.weights = nullptr;
      loss_.pulls(block, log_scale, pulls.data(), nullptr);
      return descent_of(first, first + block.rows, pulls.data());
    });
  std::vector<float> scores;
  LossBlock rows = all_moved(step, scores);
  rows.weights = nullptr;
  std::vector<float> pulls(scores.size());
  loss_.pulls(rows, log_scale, pulls.data(), nullptr);
  return problem_.space.block_values<Descent>(1, [&](std::size_t begin, std::size_t end) {
    return descent_of(begin, end, pulls.data() + begin * classes);
  });
}

Descent MarginRisk::descent(double step, double log_scale) const {
  Descent total;
  for (const Descent& part : descents(step, log_scale)) {
    total.sum += part.sum;
    total.size += part.size;
  }
  return total;
}

double MarginRisk::descent_at(double step, double log_scale) const {
  return descent(step, log_scale).sum;
}

double MarginRisk::edge(double log_scale) const {
  const Descent start = descent(0, log_scale);
  return start.sum > kRounding * start.size ? start.sum : 0;
}

ExactStep MarginRisk::exact_step(double guess, double log_scale, double endless_share) const {
  ExactStep found;
  found.edge = edge(log_scale);
  if (!(found.edge > 0) || !(direction_size_ > 0)) return found;
  const double most = kMostChange / direction_size_;
  found.length = find_step([&](double a) { return descent_at(a, log_scale); }, found.edge,
                           std::min(guess, most), most);
  if (endless_share > 0 && found.length >= most)
    found.length =
        find_step([&](double a) { return descent_at(a, log_scale) - endless_share * found.edge; },
                  (1 - endless_share) * found.edge, std::min(guess, most), most);
  return found;
}

ScaledSum MarginRisk::risk_at(double step, double log_scale) const {
  const auto scaled_risk = [&](const LossBlock& block) {
    const ScaledSum risk = loss_.risk(block);
    return risk.value * std::exp(risk.log_scale - log_scale);
  };
  if (!loss_.facts().takes_parts) {
    std::vector<float> scores;
    return {scaled_risk(all_moved(step, scores)), log_scale};
  }
  ScaledSum total{0, log_scale};
  for (const double part : moved_blocks<double>(
           step, [&](const LossBlock&block, std::size_t) { return scaled_risk(block); }))
    total.value += part;
  return total;
}

}  // namespace simplexboost
