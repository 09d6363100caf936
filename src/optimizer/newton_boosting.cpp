#include "optimizer/newton_boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/threads/thread_scratch.h"
#include "loss/loss_kernels.h"
#include "optimizer/target/leaf_step.h"
#include "optimizer/target/projection.h"

namespace simplexboost {
namespace {

// Numbers in a block of rows x classes: the few blocks of a thread stay in the second cache.
constexpr std::size_t kBlockNumbers = 16'384;
constexpr std::size_t kMostRows = 256;
// Pulls of all rows are kept up to so many numbers (256 MB, or 8 where they are wide). Computing
// them twice took a third more time for a million rows of 10 classes, where rows are scattered
// over memory, and next to none with 300, where pulls are as much as all else.
constexpr std::size_t kMostKept = 64'000'000;
constexpr std::size_t kMostKeptWide = 2'000'000;
constexpr std::size_t kWide = 64;

bool keeps_pulls(std::size_t rows, std::size_t outputs) {
  return rows * outputs <= (outputs < kWide ? kMostKept : kMostKeptWide);
}

std::size_t block_rows(std::size_t classes) {
  return std::clamp<std::size_t>(kBlockNumbers / classes, 8, kMostRows);
}

// In eight parts, which the compiler can add together.
float sum_of(const float* values, std::size_t count) {
  float parts[8] = {};
  std::size_t j = 0;
  for (; j + 8 <= count; j += 8)
    for (std::size_t i = 0; i < 8; ++i) parts[i] += values[j + i];
  for (; j < count; ++j) parts[j % 8] += values[j];
  return std::accumulate(parts, parts + 8, 0.0F);
}

}  // namespace

std::size_t NewtonBoosting::floats_of_row(std::size_t rows, std::size_t outputs,
                                          std::size_t sketch) {
  // Without a sketch the pulls are kept in any case: they shape the tree.
  return outputs + sketch + (sketch == 0 || keeps_pulls(rows, outputs) ? outputs : 0);
}

NewtonBoosting::NewtonBoosting(const Problem& problem, Codebook codebook,
                               std::shared_ptr<const Loss> loss, const NewtonOptions& options)
    : problem_(problem),
      codebook_(std::move(codebook)),
      loss_(std::move(loss)),
      risk_(problem, codebook_, *loss_, false),
      options_(options),
      sketch_(options.sketch < codebook_.dimension() ? options.sketch : 0),
      canonical_(codebook_.kind() == CodebookKind::kCanonical),
      from_pulls_(canonical_ && loss_->facts().takes_parts && loss_->facts().curvature_from_pulls),
      bounded_(canonical_ && loss_->facts().bounded_newton_step),
      weights_(problem.rows()) {
  const std::size_t size = problem.rows() * codebook_.dimension();
  if (options_.rows) return;
  kept_ = problem.space.every(keeps_pulls(problem.rows(), codebook_.dimension()));
  if (kept_) value_pulls_.resize(size);
  if (kept_ && !from_pulls_) value_curvature_.resize(size);
  if (sketch_ > 0) structure_.resize(problem.rows() * sketch_);
  if (sketch_ == 0 && (!kept_ || risk_.weighted())) structure_.resize(size);
}

std::vector<float> NewtonBoosting::start() const {
  constexpr double kSmoothing = 0.5;  // rows of each class besides those that there are
  if (!bounded_) return {};
  const std::vector<double> weights = problem_.space.sums(
      RowSpace::kBlock, problem_.classes, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i)
          sums[problem_.labels.codes[i]] += problem_.weights[i];
      });
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto classes = static_cast<double>(problem_.classes);
  std::vector<float> scores;
  scores.reserve(weights.size());
  for (const double weight : weights)
    scores.push_back(static_cast<float>(
        std::log((weight + kSmoothing) * classes / (all + kSmoothing * classes))));
  return scores;
}

double NewtonBoosting::pulls_of(std::span<const std::uint32_t> rows, double log_scale, float* pulls,
                                float* curvature) const {
  auto& scratch = thread_scratch<struct PullsOfRows, Scratch>();
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  const std::size_t count = rows.size();
  scratch.class_pulls.resize(canonical_ ? 0 : count * classes);
  scratch.class_curvature.resize(canonical_ ? 0 : count * classes);
  float* const class_pulls = canonical_ ? pulls : scratch.class_pulls.data();
  float* const class_curvature = canonical_ ? curvature : scratch.class_curvature.data();
  double most = 0;
  if (loss_->facts().takes_parts) {
    most = loss_->pulls(gather(rows, scratch), log_scale, class_pulls, class_curvature);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(class_pulls_.data() + rows[i] * classes, classes, class_pulls + i * classes);
      std::copy_n(class_curvature_.data() + rows[i] * classes, classes,
                  class_curvature + i * classes);
    }
  }
  // u_k = <y_k, f> / 2, so the curvature in f_j is sum_k H_k (y_kj / 2)^2, the mixed terms of the
  // Hessian left out.
  if (canonical_) {
    for (std::size_t j = 0; j < count * d; ++j) pulls[j] *= 0.5F;
    if (!curvature) return most;
    for (std::size_t j = 0; j < count * d; ++j) curvature[j] *= 0.25F;
    return most;
  }
  codebook_.pulls({class_pulls, count * classes}, {pulls, count * d});
  codebook_.curvatures({class_curvature, count * classes}, {curvature, count * d});
  return most;
}

LossBlock NewtonBoosting::gather(std::span<const std::uint32_t> rows, Scratch& scratch) const {
  const std::size_t d = codebook_.dimension();
  const std::size_t count = rows.size();
  scratch.class_scores.resize(count * problem_.classes);
  scratch.labels.resize(count);
  for (std::size_t i = 0; i < count; ++i) scratch.labels[i] = problem_.labels.codes[rows[i]];
  if (canonical_) {
    for (std::size_t i = 0; i < count; ++i) {
      const float* from = scores_ + rows[i] * d;
      float* to = scratch.class_scores.data() + i * d;
      for (std::size_t j = 0; j < d; ++j) to[j] = 0.5F * from[j];
    }
  } else {
    scratch.scores.resize(count * d);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(scores_ + rows[i] * d, d, scratch.scores.data() + i * d);
    codebook_.class_scores(scratch.scores, scratch.class_scores);
  }
  LossBlock block = risk_.frame();
  block.rows = count;
  block.scores = scratch.class_scores.data();
  block.labels = scratch.labels.data();
  block.weights = nullptr;
  return block;
}

void NewtonBoosting::fill_classes() {
  class_pulls_.resize(problem_.rows() * problem_.classes);
  class_curvature_.resize(class_pulls_.size());
  risk_.set_scores(scores_);
  risk_.class_pulls(class_pulls_.data(), class_curvature_.data());
}

double NewtonBoosting::fill_structure(double log_scale) {
  if (options_.rows) return options_.rows->fill({log_scale, sketch_, projection_});
  const std::size_t d = codebook_.dimension();
  const std::size_t block = block_rows(problem_.classes);
  return problem_.space.maximum(block, [&](std::size_t begin, std::size_t end) {
    auto& rows = thread_scratch<struct StructureRows, std::vector<std::uint32_t>>();
    auto& scratch = thread_scratch<struct StructurePulls, AlignedVector<float>>();
    const std::size_t count = end - begin;
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
    scratch.resize(kept_ ? 0 : (from_pulls_ ? 1U : 2U) * count * d);
    float* const pulls = kept_ ? value_pulls_.data() + begin * d : scratch.data();
    double most = 0;
    if (from_pulls_) {
      auto& room = thread_scratch<struct PullsRoom, Scratch>();
      most = loss_->pulls(gather(rows, room), log_scale, pulls, nullptr);
      halve_pulls(pulls, count, d, static_cast<float>(std::exp(log_scale)),
                  weights_.data() + begin);
    } else {
      float* const curvature =
          kept_ ? value_curvature_.data() + begin * d : scratch.data() + count * d;
      most = pulls_of(rows, log_scale, pulls, curvature);
      for (std::size_t i = 0; i < count; ++i) weights_[begin + i] = sum_of(curvature + i * d, d);
    }
    if (sketch_ > 0) {
      project_rows({pulls, count, d, projection_.data(), projection_.size() / d,
                    structure_.data() + begin * sketch_, sketch_});
    } else if (!structure_.empty()) {
      std::copy_n(pulls, count * d, structure_.data() + begin * d);
    }
    if (risk_.weighted()) weigh(begin, end);
    return most;
  });
}

void NewtonBoosting::weigh(std::size_t begin, std::size_t end) {
  const std::vector<float>& weights = risk_.row_weights();
  const std::size_t width = structure_.size() / problem_.rows();
  for (std::size_t i = begin; i < end; ++i) {
    weights_[i] *= weights[i];
    for (std::size_t j = i * width; j < (i + 1) * width; ++j) structure_[j] *= weights[i];
  }
}

std::vector<double> NewtonBoosting::pull_squares() const {
  const std::size_t d = codebook_.dimension();
  const std::size_t step = block_rows(problem_.classes);
  return problem_.space.sums(
      RowSpace::kBlock, d, [&](std::size_t first, std::size_t last, double* sums) {
        auto& rows = thread_scratch<struct SquareRows, std::vector<std::uint32_t>>();
        auto& scratch = thread_scratch<struct SquarePulls, AlignedVector<float>>();
        scratch.resize(2 * step * d);
        for (std::size_t begin = first; begin < last; begin += step) {
          rows.resize(std::min(step, last - begin));
          std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
          pulls_of(rows, 0, scratch.data(), from_pulls_ ? nullptr : scratch.data() + step * d);
          for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < d; ++j) {
              const auto pull = static_cast<double>(scratch[i * d + j]);
              sums[j] += problem_.weights[begin + i] * pull * pull;
            }
        }
      });
}

// Anew each round, so that what one sketch does not see another does.
void NewtonBoosting::draw_sketch() {
  const std::size_t stride = (sketch_ + 7) / 8 * 8;
  Random random(options_.seed, 2 * round_);
  std::vector<double> squares;
  if (options_.sketch_kind != SketchKind::kProjection) squares = pull_squares();
  projection_ =
      sketch_matrix(options_.sketch_kind, codebook_.dimension(), sketch_, stride, squares, random);
}

RoundTarget NewtonBoosting::target(const float* scores) {
  const std::size_t d = codebook_.dimension();
  scores_ = scores;
  ++round_;
  if (!loss_->facts().takes_parts) fill_classes();
  if (sketch_ > 0) draw_sketch();
  // As class_pulls() of loss.h: a common factor, where the pulls would leave the range of float.
  const double most = fill_structure(0);
  const bool plain = std::abs(most) < kPlainLogs || std::isinf(most);
  log_scale_ = plain ? 0 : most;
  if (!plain) fill_structure(log_scale_);
  RoundTarget target{{problem_.rows(), sketch_ > 0 ? sketch_ : d,
                      present(structure_.empty() ? value_pulls_ : structure_), present(weights_),
                      nullptr}};
  set_leaf_target();
  target.leaves = leaf_target_.get();
  if (risk_.weighted()) target.leaf_weights = present(risk_.row_weights());
  target.l2_factor = std::exp(-log_scale_);
  return target;
}

// Kept pulls, or those computed again for the rows in question; and steps that the loss bounds.
class NewtonBoosting::NewtonLeafTarget final : public KeptLeafTarget {
 public:
  NewtonLeafTarget(const NewtonBoosting& newton, float damping, float curvature_factor)
      : KeptLeafTarget(newton.codebook_.dimension(), present(newton.value_pulls_),
                       newton.from_pulls_ ? nullptr : present(newton.value_curvature_), damping,
                       curvature_factor),
        newton_(newton) {}

  void set_values(const LeafTotals& leaf, double l2, float* values) const override {
    KeptLeafTarget::set_values(leaf, l2, values);
    if (newton_.bounded_)
      bound_leaf_step(leaf.pulls, leaf.curvature, newton_.options_.learning_rate, {values, width_});
  }

  LeafNumbers numbers(std::span<const std::uint32_t> rows,
                      AlignedVector<float>& scratch) const override {
    if (newton_.kept_) return KeptLeafTarget::numbers(rows, scratch);
    const std::size_t size = rows.size() * width();
    scratch.resize((newton_.from_pulls_ ? 1 : 2) * size);
    float* const curvature = newton_.from_pulls_ ? nullptr : scratch.data() + size;
    newton_.pulls_of(rows, newton_.log_scale_, scratch.data(), curvature);
    return {scratch.data(), curvature, false};
  }
  std::size_t most_rows() const override {
    if (newton_.kept_) return KeptLeafTarget::most_rows();
    return std::clamp<std::size_t>(kBlockNumbers / width(), 8, 1024);
  }

 private:
  const NewtonBoosting& newton_;
};

void NewtonBoosting::set_leaf_target() {
  // The scores of one row may be shifted together without changing anything, so a step in one of
  // them moves the others by -1/(K-1) of it; the diagonal alone would go too far (K/(K-1)).
  const auto classes = static_cast<float>(problem_.classes);
  const float damping = loss_->facts().of_margins ? classes / (classes - 1) : 1;
  const auto factor = static_cast<float>(std::exp(log_scale_));
  leaf_target_ = std::make_unique<NewtonLeafTarget>(*this, damping, factor);
}

double NewtonBoosting::set_direction(const RowVectors& hypothesis) {
  if (!options_.rows) {
    risk_.set_direction(hypothesis);
    return risk_.direction_size();
  }
  double most = 0;
  for (std::size_t i = 0; i < hypothesis.elsewhere * hypothesis.width; ++i)
    most = std::max(most, std::fabs(static_cast<double>(hypothesis.values[i] / 2)));
  return most;
}

ScaledSum NewtonBoosting::risk() {
  if (options_.rows) return options_.rows->risk();
  risk_.set_scores(scores_);
  return risk_.risk();
}

ScaledSum NewtonBoosting::risk_at(const RowVectors& hypothesis, double log_scale) {
  if (!options_.rows) return risk_.risk_at(length_, log_scale);
  return options_.rows->risk_at({hypothesis.values, hypothesis.elsewhere * hypothesis.width},
                                length_, log_scale);
}

Step NewtonBoosting::step(const RowVectors& hypothesis) {
  if (!(set_direction(hypothesis) > 0)) return {0, "no split gains anything"};
  length_ = 1;
  const bool trusted = bounded_ && !options_.guarded;
  if (trusted || !loss_->facts().knows_risk) return {length_, {}};
  const ScaledSum before = risk();
  while (risk_at(hypothesis, before.log_scale).value > before.value) {
    length_ /= 2;
    if (length_ < 1e-6) return {0, "no step along the hypothesis lowers the risk"};
  }
  return {length_, {}};
}

void NewtonBoosting::resume(const Past& past) { round_ = past.rounds; }

std::vector<RoundMetric> NewtonBoosting::metrics() const { return {{"step", length_}}; }

}  // namespace simplexboost
