#include "quality/linear/logistic_fit.h"

#include <algorithm>
#include <cmath>

#include "base/lbfgs.h"
#include "base/simd/isa.h"
#include "base/simd/lane_math.h"
#include "quality/linear/logistic_kernels.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(LogisticKernels, kLogistic)

namespace {

void add_times(float factor, const float* values, std::size_t count, float* sums) {
  for (std::size_t k = 0; k < count; ++k) sums[k] += factor * values[k];
}

// From scores to probabilities.
void to_shares(std::span<float> scores) {
  const float top = *std::max_element(scores.begin(), scores.end());
  float sum = 0;
  for (float& score : scores) {
    score = plain::exp_of(score - top);
    sum += score;
  }
  for (float& score : scores) score /= sum;
}

const LogisticKernels& logistic_kernels() {
  static const LogisticKernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kLogistic);
  return chosen;
}

// The loss and its gradient. Rows are summed in blocks, in float, and the blocks in double.
class LogisticLoss {
 public:
  LogisticLoss(const LogisticRows& all, std::span<const std::uint32_t> rows, double penalty)
      : rows_(rows),
        penalty_(penalty),
        classes_(all.labels.classes.size()),
        width_(padded_classes(classes_)),
        coefficients_((all.inputs.count() + 1) * width_),
        slope_(coefficients_.size()),
        scores_(width_ * kRowsTogether) {
    args_.entries = all.inputs.all_entries().data();
    args_.ends = all.inputs.ends().data();
    args_.truths = all.labels.codes.data();
    if (!all.weights.empty()) args_.weights = all.weights.data();
    args_.inputs = all.inputs.count();
    args_.width = width_;
    args_.coefficients = coefficients_.data();
    args_.scores = scores_.data();
    args_.slope = slope_.data();
    constexpr float kNoChance = -1e30F;
    std::fill_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(classes_), width_ - classes_,
                kNoChance);
    for (const std::uint32_t row : rows)
      if (all.labels.codes[row] >= 0) total_ += all.weights.empty() ? 1 : all.weights[row];
  }

  double operator()(std::span<const double> x, std::span<double> gradient) {
    constexpr std::size_t kBlock = 256;
    const std::size_t lines = x.size() / classes_;
    for (std::size_t i = 0; i < lines; ++i)
      std::transform(x.begin() + static_cast<std::ptrdiff_t>(i * classes_),
                     x.begin() + static_cast<std::ptrdiff_t>((i + 1) * classes_),
                     coefficients_.begin() + static_cast<std::ptrdiff_t>(i * width_),
                     [](double value) { return static_cast<float>(value); });
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double loss = 0;
    for (std::size_t begin = 0; begin < rows_.size(); begin += kBlock) {
      std::fill(slope_.begin(), slope_.end(), 0.0F);
      args_.rows = rows_.data() + begin;
      args_.count = std::min(kBlock, rows_.size() - begin);
      loss += logistic_kernels().add_rows(args_);
      for (std::size_t i = 0; i < lines; ++i)
        for (std::size_t k = 0; k < classes_; ++k)
          gradient[i * classes_ + k] += static_cast<double>(slope_[i * width_ + k]);
    }
    return loss / total_ + shrink(x, gradient);
  }

 private:
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

  std::span<const std::uint32_t> rows_;
  double penalty_;
  std::size_t classes_;
  std::size_t width_;
  double total_ = 0;
  std::vector<float> coefficients_;
  std::vector<float> slope_;
  std::vector<float> scores_;
  LogisticArgs args_;
};

}  // namespace

void fit_logistic(const LogisticRows& all, std::span<const std::uint32_t> rows, double penalty,
                  std::size_t evaluations, LogisticCoefficients& coefficients) {
  constexpr double kTolerance = 3e-5;  // of the log loss
  constexpr std::size_t kMemory = 10;
  coefficients.resize((all.inputs.count() + 1) * all.labels.classes.size());
  LogisticLoss loss(all, rows, penalty);
  minimise([&](std::span<const double> x, std::span<double> gradient) { return loss(x, gradient); },
           coefficients, {evaluations, kTolerance, 1, kMemory});
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
    to_shares({to, classes});
  }
}

}  // namespace simplexboost
