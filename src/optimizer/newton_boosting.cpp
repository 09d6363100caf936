#include "optimizer/newton_boosting.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "optimizer/projection.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 512;

}  // namespace

NewtonBoosting::NewtonBoosting(const Problem& problem, Codebook codebook,
                               std::shared_ptr<const Loss> loss, std::size_t sketch,
                               std::uint64_t seed)
    : problem_(problem),
      codebook_(std::move(codebook)),
      loss_(std::move(loss)),
      risk_(problem, codebook_, *loss_),
      sketch_(sketch < codebook_.dimension() ? sketch : 0),
      seed_(seed),
      class_pulls_(problem.rows * problem.classes),
      class_curvature_(problem.rows * problem.classes),
      pulls_(problem.rows * codebook_.dimension()),
      curvature_(problem.rows * codebook_.dimension()),
      sketched_(problem.rows * sketch_),
      weights_(problem.rows) {}

FitTarget NewtonBoosting::target(const float* scores) {
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  risk_.set_scores(scores);
  risk_.class_pulls(class_pulls_.data(), class_curvature_.data());
  risk_.pull_back(class_pulls_.data(), pulls_.data());
  const bool canonical = codebook_.kind() == CodebookKind::kCanonical;
  const std::vector<float> matrix = canonical ? std::vector<float>{} : codebook_.matrix();
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      // u_k = <y_k, f> / 2, so the curvature in f_j is sum_k H_k (y_kj / 2)^2, the
                      // mixed terms of the Hessian left out.
                      const float* h = class_curvature_.data() + i * classes;
                      float* out = curvature_.data() + i * d;
                      if (canonical) {
                        for (std::size_t j = 0; j < d; ++j) out[j] = 0.25F * h[j];
                      } else {
                        std::fill(out, out + d, 0.0F);
                        for (std::size_t k = 0; k < classes; ++k)
                          for (std::size_t j = 0; j < d; ++j)
                            out[j] += 0.25F * h[k] * matrix[k * d + j] * matrix[k * d + j];
                      }
                      float sum = 0;
                      for (std::size_t j = 0; j < d; ++j) sum += out[j];
                      weights_[i] = sum;
                    }
                  });
  ++round_;
  FitTarget target{problem_.rows, d, pulls_.data(), weights_.data(), nullptr};
  if (sketch_ > 0) {
    project();
    target.width = sketch_;
    target.pulls = sketched_.data();
  }
  target.value_width = d;
  target.value_pulls = pulls_.data();
  target.value_curvature = curvature_.data();
  // The scores of one row may be shifted together without changing anything, so a step in one of
  // them moves the others by -1/(K-1) of it; the diagonal alone would go too far (K/(K-1)).
  if (loss_->of_margins())
    target.value_damping = static_cast<float>(classes) / static_cast<float>(classes - 1);
  return target;
}

// A Gaussian projection keeps inner products in expectation: the gains of the sketch are unbiased
// estimates of those of all outputs, and drawn anew each round.
void NewtonBoosting::project() {
  const std::size_t d = codebook_.dimension();
  const std::size_t stride = (sketch_ + 7) / 8 * 8;
  std::vector<float> matrix(d * stride);
  Random random(seed_, 2 * round_);
  const double scale = 1 / std::sqrt(static_cast<double>(sketch_));
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t s = 0; s < sketch_; ++s)
      matrix[j * stride + s] = static_cast<float>(random.normal() * scale);
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    project_rows({pulls_.data() + begin * d, end - begin, d, matrix.data(), stride,
                                  sketched_.data() + begin * sketch_, sketch_});
                  });
}

Step NewtonBoosting::step(const RowVectors& hypothesis) {
  risk_.set_direction(hypothesis);
  if (!(risk_.direction_size() > 0)) return {0, "no split gains anything"};
  length_ = 1;
  if (loss_->name() == "logistic" || !loss_->knows_risk()) return {length_, {}};
  const ScaledSum before = risk_.risk();
  while (risk_.risk_at(length_, before.log_scale).value > before.value) {
    length_ /= 2;
    if (length_ < 1e-6) return {0, "no step along the tree lowers the risk"};
  }
  return {length_, {}};
}

std::vector<RoundMetric> NewtonBoosting::metrics() const { return {{"step", length_}}; }

}  // namespace simplexboost
