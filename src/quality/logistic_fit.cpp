#include "quality/logistic_fit.h"

#include <algorithm>
#include <cmath>

#include "base/lbfgs.h"
#include "base/simd/lane_math.h"

namespace simplexboost {
namespace {

void add_times(float factor, const float* values, std::size_t count, float* sums) {
  for (std::size_t k = 0; k < count; ++k) sums[k] += factor * values[k];
}

// exp of the scores less the greatest of them, which is returned, in their place; `sum`: of these.
float to_exponentials(std::span<float> scores, float& sum) {
  const float top = *std::max_element(scores.begin(), scores.end());
  sum = 0;
  for (float& score : scores) {
    score = plain::exp_of(score - top);
    sum += score;
  }
  return top;
}

// The loss and its gradient. Rows are summed in blocks, in float, and the blocks in double.
class LogisticLoss {
 public:
  LogisticLoss(const LogisticRows& all, std::span<const std::uint32_t> rows, double penalty)
      : all_(all), rows_(rows), penalty_(penalty), classes_(all.labels.classes.size()) {
    for (const std::uint32_t row : rows) total_ += weight(row);
  }

  double operator()(std::span<const double> x, std::span<double> gradient) {
    constexpr std::size_t kBlock = 256;
    coefficients_.assign(x.begin(), x.end());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double loss = 0;
    for (std::size_t begin = 0; begin < rows_.size(); begin += kBlock) {
      sums_.assign(x.size(), 0);
      for (const std::uint32_t row : rows_.subspan(begin, std::min(kBlock, rows_.size() - begin)))
        loss += add_row(row);
      for (std::size_t i = 0; i < sums_.size(); ++i) gradient[i] += static_cast<double>(sums_[i]);
    }
    return loss / total_ + shrink(x, gradient);
  }

 private:
  double weight(std::uint32_t row) const {
    if (all_.labels.codes[row] < 0) return 0;
    return all_.weights.empty() ? 1 : all_.weights[row];
  }

  double add_row(std::uint32_t row) {
    const double counts = weight(row);
    if (!(counts > 0)) return 0;
    const auto entries = all_.inputs.row(row);
    scores_.assign(coefficients_.begin(),
                   coefficients_.begin() + static_cast<std::ptrdiff_t>(classes_));
    for (const LinearInputs::Entry& entry : entries)
      add_times(entry.value, place(coefficients_, entry.input), classes_, scores_.data());
    const auto truth = static_cast<std::size_t>(all_.labels.codes[row]);
    const float own = scores_[truth];
    float sum = 0;
    const float top = to_exponentials(scores_, sum);
    // The pull on the scores: p - y.
    const auto scaled = static_cast<float>(counts);
    for (float& score : scores_) score *= scaled / sum;
    scores_[truth] -= scaled;
    add_times(1, scores_.data(), classes_, sums_.data());
    for (const LinearInputs::Entry& entry : entries)
      add_times(entry.value, scores_.data(), classes_, place(sums_, entry.input));
    return counts * (std::log(static_cast<double>(sum)) + static_cast<double>(top) -
                     static_cast<double>(own));
  }

  float* place(std::vector<float>& all, std::uint32_t input) const {
    return all.data() + (std::size_t{input} + 1) * classes_;
  }

  // Intercepts hardly, only so that those of classes without rows have an end.
  double shrink(std::span<const double> x, std::span<double> gradient) const {
    constexpr double kIntercepts = 0.01;
    const double of_row = penalty_ / static_cast<double>(rows_.size());
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double strength = i < classes_ ? kIntercepts * of_row : of_row;
      sum += strength * x[i] * x[i] / 2;
      gradient[i] = gradient[i] / total_ + strength * x[i];
    }
    return sum;
  }

  const LogisticRows& all_;
  std::span<const std::uint32_t> rows_;
  double penalty_;
  std::size_t classes_;
  double total_ = 0;
  std::vector<float> coefficients_;
  std::vector<float> sums_;
  std::vector<float> scores_;
};

}  // namespace

void fit_logistic(const LogisticRows& all, std::span<const std::uint32_t> rows, double penalty,
                  std::size_t evaluations, LogisticCoefficients& coefficients) {
  constexpr double kTolerance = 3e-5;  // of the log loss
  coefficients.resize((all.inputs.count() + 1) * all.labels.classes.size());
  LogisticLoss loss(all, rows, penalty);
  minimise([&](std::span<const double> x, std::span<double> gradient) { return loss(x, gradient); },
           coefficients, {evaluations, kTolerance, 1});
}

void predict_logistic(const LogisticRows& all, std::span<const std::uint32_t> rows,
                      const LogisticCoefficients& coefficients, Matrix& proba) {
  const std::size_t classes = proba.columns;
  const std::vector<float> own(coefficients.begin(), coefficients.end());
  for (const std::uint32_t row : rows) {
    float* to = proba.row(row);
    std::copy_n(own.begin(), classes, to);
    for (const LinearInputs::Entry& entry : all.inputs.row(row))
      add_times(entry.value, own.data() + (std::size_t{entry.input} + 1) * classes, classes, to);
    float sum = 0;
    to_exponentials({to, classes}, sum);
    for (std::size_t k = 0; k < classes; ++k) to[k] /= sum;
  }
}

}  // namespace simplexboost
