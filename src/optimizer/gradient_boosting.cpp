#include "optimizer/gradient_boosting.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simplexboost {

GradientBoosting::GradientBoosting(const Problem& problem, Codebook codebook,
                                   std::shared_ptr<const Loss> loss, PullSpace space,
                                   GradientRows* rows)
    : problem_(problem),
      codebook_(std::move(codebook)),
      loss_(std::move(loss)),
      rows_(rows),
      risk_(problem, codebook_, *loss_, true, rows),
      space_(space),
      // Such a loss, simplex codewords, codeword-valued learners: notes in closed_form_step.
      closed_form_(space == PullSpace::kClasses && loss_->facts().closed_form_step &&
                   codebook_.kind() == CodebookKind::kSimplex) {
  if (rows) return;
  class_pulls_.resize(problem.rows() * problem.classes);
  if (space == PullSpace::kOutputs) pulls_.resize(problem.rows() * codebook_.dimension());
}

double GradientBoosting::fill_pulls(const float* scores) {
  if (rows_) return fill_in_range([&](double log_scale) { return rows_->fill_pulls(log_scale); });
  risk_.set_scores(scores);
  const double log_scale = risk_.class_pulls(class_pulls_.data(), nullptr);
  if (space_ == PullSpace::kClasses) {
    risk_.weigh(class_pulls_.data(), problem_.classes);
  } else {
    risk_.pull_back(class_pulls_.data(), pulls_.data());
    risk_.weigh(pulls_.data(), codebook_.dimension());
  }
  return log_scale;
}

RoundTarget GradientBoosting::target(const float* scores) {
  log_scale_ = fill_pulls(scores);
  log_risk_ = risk_.risk().log();
  const bool by_class = space_ == PullSpace::kClasses;
  return {{problem_.rows(), by_class ? problem_.classes : codebook_.dimension(),
           present(by_class ? class_pulls_ : pulls_), present(risk_.row_weights()), nullptr}};
}

// A hypothesis without any error would go on for ever, and what comes after it could no more
// outvote it: on the wrong side it counts half a row (Schapire and Singer 1999, 4.2, smooth
// likewise), the lightest one, so that a weight of 2 is the row twice in any unit.
double GradientBoosting::least_wrong() const {
  return 0.5 * risk_.lightest_weight() / problem_.weights.sum(problem_.space);
}

std::array<double, 2> GradientBoosting::named_pulls() const {
  const std::size_t classes = problem_.classes;
  const auto named = [&](std::size_t row) {
    const float* h = risk_.direction(row);
    return static_cast<std::size_t>(std::max_element(h, h + classes) - h);
  };
  if (rows_) {
    std::vector<std::uint32_t> named_by_leaf(risk_.directions());
    for (std::size_t leaf = 0; leaf < named_by_leaf.size(); ++leaf)
      named_by_leaf[leaf] = static_cast<std::uint32_t>(named(leaf));
    return rows_->named_pulls(named_by_leaf);
  }
  const std::vector<double> sums = problem_.space.sums(
      RowSpace::kBlock, 2, [&](std::size_t begin, std::size_t end, double* parts) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t k = named(i);
          const bool is_right = static_cast<std::int32_t>(k) == problem_.labels.codes[i];
          parts[is_right ? 0 : 1] += class_pulls_[i * classes + k];
        }
      });
  return {sums[0], sums[1]};
}

// The risk along h is P e^-a + Q e^a + const with a = step K / (2 (K - 1)), P the weight of the
// rows where h is right and Q that of the class it names where it is wrong: a = ln(P / Q) / 2.
double GradientBoosting::closed_form_step() const {
  const std::array<double, 2> sums = named_pulls();
  const double right = sums[0];
  const double wrong = std::max(-sums[1], right * least_wrong());
  const auto count = static_cast<double>(problem_.classes);
  const double most = MarginRisk::kMostChange / risk_.direction_size();
  return std::min(most, (count - 1) / count * std::log(right / wrong));
}

Step GradientBoosting::step(const RowVectors& hypothesis) {
  risk_.set_direction(hypothesis);
  double length = 0;
  if (closed_form_) {
    edge_ = risk_.edge(log_scale_);
    if (edge_ > 0) length = closed_form_step();
  } else {
    const ExactStep found = risk_.exact_step(length_, log_scale_, std::sqrt(least_wrong()));
    edge_ = found.edge;
    length = found.length;
  }
  if (!(length > 0))
    return {0, "no weak hypothesis has a positive edge on the pulls (jmlr2019 (72))"};
  length_ = length;
  return {length, {}};
}

// The last step is where the next line search begins.
void GradientBoosting::resume(const Past& past) {
  if (past.rounds > 0) length_ = past.figure("step", past.rounds - 1);
}

std::vector<RoundMetric> GradientBoosting::metrics() const {
  std::vector<RoundMetric> metrics = risk_.metrics(log_risk_);
  metrics.push_back({"edge", edge_ * std::exp(log_scale_)});
  metrics.push_back({"step", length_});
  return metrics;
}

}  // namespace simplexboost
