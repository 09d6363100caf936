#include "optimizer/target/mislabel_weights.h"

#include "base/threads/thread_scratch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "loss/math/vector_math.h"

namespace simplexboost {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

MislabelWeights::MislabelWeights(const Problem& problem, double rate)
    : problem_(problem),
      rate_(static_cast<float>(rate)),
      row_weights_(problem),
      first_logs_(row_weights_.logs()),
      pulls_(problem.rows() * problem.classes),
      weights_(problem.rows()) {}

bool MislabelWeights::none() const { return log_risk_ == kNever; }

// Writes the shares of the row's weight: they sum to 1 over the labels that hold and to -1 over the
// others. Returns the log of the row's weight, which is the mean over its mislabels.
double MislabelWeights::weigh_row(std::size_t row, const float* scores, float* pulls) const {
  const std::size_t classes = problem_.classes;
  auto& signs = thread_scratch<struct RowSigns, std::vector<float>>();
  signs.resize(classes);
  row_signs(problem_.labels, row, classes, signs.data());
  const auto holding = std::count(signs.begin(), signs.end(), 1.0F);
  const auto others = std::count(signs.begin(), signs.end(), -1.0F);
  if (holding == 0 || others == 0) {
    std::fill(pulls, pulls + classes, 0.0F);
    return kNever;
  }
  // Twice a log-sum-exp: of -rate f over the labels that hold, and of rate f over the others.
  float largest[2] = {-std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()};
  for (std::size_t l = 0; l < classes; ++l) {
    pulls[l] = signs[l] == 0 ? -std::numeric_limits<float>::infinity()  // unknown: in no pair
                             : -signs[l] * rate_ * scores[l];
    float& most = largest[signs[l] > 0 ? 1 : 0];
    most = std::max(most, pulls[l]);
  }
  for (std::size_t l = 0; l < classes; ++l) pulls[l] -= largest[signs[l] > 0 ? 1 : 0];
  vector_exp(pulls, pulls, classes);
  float sums[2] = {0, 0};
  for (std::size_t l = 0; l < classes; ++l) sums[signs[l] > 0 ? 1 : 0] += pulls[l];
  for (std::size_t l = 0; l < classes; ++l) pulls[l] /= signs[l] > 0 ? sums[1] : -sums[0];
  const auto pairs = static_cast<double>(holding) * static_cast<double>(others);
  return first_logs_[row] + static_cast<double>(largest[0]) + static_cast<double>(largest[1]) +
         std::log(static_cast<double>(sums[0])) + std::log(static_cast<double>(sums[1])) -
         std::log(pairs);
}

void MislabelWeights::set_scores(const float* scores) {
  const std::size_t classes = problem_.classes;
  const auto each_row = [&](const auto& use) {
    problem_.space.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) use(i, pulls_.data() + i * classes);
    });
  };
  each_row([&](std::size_t i, float* pulls) {
    row_weights_.logs()[i] = weigh_row(i, scores + i * classes, pulls);
  });
  log_risk_ = row_weights_.normalise();
  each_row([&](std::size_t i, float* pulls) {
    weights_[i] = static_cast<float>(row_weights_.weights()[i]);
    for (std::size_t l = 0; l < classes; ++l) pulls[l] *= weights_[i];
  });
}

}  // namespace simplexboost
