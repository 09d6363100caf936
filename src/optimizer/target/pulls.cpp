#include "optimizer/target/pulls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/shorten.h"

namespace simplexboost {
namespace {

constexpr std::size_t kPullsRowBlock = RowSpace::kBlock;

}  // namespace

bool label_holds(const Labels& labels, std::size_t row, std::size_t label) {
  const auto code = static_cast<std::int32_t>(label);
  if (!labels.multi_label()) return labels.codes[row] == code;
  const auto first = labels.codes.begin();
  return std::binary_search(first + static_cast<std::ptrdiff_t>(labels.offsets[row]),
                            first + static_cast<std::ptrdiff_t>(labels.offsets[row + 1]), code);
}

void row_signs(const Labels& labels, std::size_t row, std::size_t classes, float* signs) {
  std::fill(signs, signs + classes, -1.0F);
  const bool several = labels.multi_label();
  const std::size_t first = several ? labels.offsets[row] : row;
  const std::size_t last = several ? labels.offsets[row + 1] : row + 1;
  for (std::size_t k = first; k < last; ++k) signs[labels.codes[k]] = 1;
  if (const float* weights = labels.row_weights(row))
    for (std::size_t l = 0; l < classes; ++l)
      if (weights[l] == 0) signs[l] = 0;
}

std::vector<float> label_logs(const Labels& labels) {
  std::vector<float> logs(labels.weights.size());
  std::transform(labels.weights.begin(), labels.weights.end(), logs.begin(), [](float weight) {
    return static_cast<float>(std::log(static_cast<double>(weight)));
  });
  return logs;
}

bool makes_no_error(const Problem& problem, const RowVectors& votes) {
  std::vector<float> signs(problem.classes);
  const auto right = [&](std::size_t row) {
    row_signs(problem.labels, row, problem.classes, signs.data());
    for (std::size_t l = 0; l < problem.classes; ++l)
      if (signs[l] != 0 && (votes.of(row)[l] > 0) != (signs[l] > 0)) return false;
    return true;
  };
  std::size_t row = 0;
  while (row < problem.rows() && right(row)) ++row;
  return problem.space.every(row == problem.rows());
}

double edge_lack(const Problem& problem, const float* pulls, const RowVectors& hypothesis,
                 double lowest) {
  const std::size_t width = hypothesis.width;
  const auto least = static_cast<float>(lowest);
  return problem.space.sum(kPullsRowBlock, [&](std::size_t begin, std::size_t end) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float* h = hypothesis.of(i);
      const float* pull = pulls + i * width;
      float row = 0;
      for (std::size_t l = 0; l < width; ++l)
        row += pull[l] * ((pull[l] > 0 ? 1.0F : least) - h[l]);
      total += row;
    }
    return total;
  });
}

LogWeights::LogWeights(const Problem& problem)
    : space_(problem.space),
      given_(problem.weights),
      logs_(problem.rows()),
      weights_(problem.rows()) {
  for (std::size_t i = 0; i < logs_.size(); ++i) logs_[i] = std::log(given_[i]);
  const double sum = normalise();
  for (double& log : logs_) log -= sum;
}

double LogWeights::normalise() {
  const double largest = space_.maximum(kPullsRowBlock, [&](std::size_t begin, std::size_t end) {
    return *std::max_element(logs_.data() + begin, logs_.data() + end);
  });
  if (largest == -std::numeric_limits<double>::infinity()) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    return largest;
  }
  const double sum = space_.sum(kPullsRowBlock, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) part += weights_[i] = std::exp(logs_[i] - largest);
    return part;
  });
  for (double& weight : weights_) weight /= sum;
  return largest + std::log(sum);
}

float LogWeights::single(std::size_t row) const {
  constexpr float kTiny = std::numeric_limits<float>::min();
  const float alone = shorten(static_cast<float>(weights_[row] / given_[row]));
  return std::max(static_cast<float>(given_[row] * static_cast<double>(alone)), kTiny);
}

OwnClassPulls::OwnClassPulls(const Problem& problem, VoteRows* rows)
    : problem_(problem),
      rows_(rows),
      pulls_(rows ? 0 : problem.rows() * problem.classes),
      row_weights_(problem.rows()) {}

RoundTarget OwnClassPulls::target(const LogWeights& weights) {
  const std::size_t classes = problem_.classes;
  problem_.space.for_blocks(kPullsRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      row_weights_[i] = weights.single(i);
      if (rows_) continue;
      const auto c = static_cast<std::size_t>(problem_.labels.codes[i]);
      pulls_[i * classes + c] = row_weights_[i];
    }
  });
  if (rows_) rows_->set_own_pulls(row_weights_);
  return {{problem_.rows(), classes, present(pulls_), present(row_weights_), nullptr}};
}

}  // namespace simplexboost
