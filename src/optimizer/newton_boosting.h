// Second-order boosting of vector trees on a gamma-phi loss: the default algorithm. One tree serves
// all classes; its structure may come from a narrow random sketch of the pulls, its leaf values
// always come from all of them. Where wide pulls would be many, no array of rows x classes is kept
// but the scores themselves: pulls are computed block by block, once to shape the tree and once for
// its values, which takes about as long as writing them to memory and reading them again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/newton_rows.h"
#include "optimizer/search/margin_risk.h"
#include "optimizer/target/sketch.h"

namespace simplexboost {

struct NewtonOptions {
  std::size_t sketch = 0;  // channels that shape a tree; 0: all of the outputs
  SketchKind sketch_kind = SketchKind::kProjection;
  std::uint64_t seed = 0;
  double learning_rate = 1;
  NewtonRows* rows = nullptr;  // who has them, if not this process; must outlive it
  bool guarded = false;  // nothing bounds the hypotheses: full steps along them may raise any risk
};

class NewtonBoosting : public Optimizer {
 public:
  // What is kept of each of so many rows, in floats: scores, pulls and a sketch of them.
  static std::size_t floats_of_row(std::size_t rows, std::size_t outputs, std::size_t sketch);

  NewtonBoosting(const Problem& problem, Codebook codebook, std::shared_ptr<const Loss> loss,
                 const NewtonOptions& options);

  // Those of the classes' shares, where the loss has them as its least: the rounds begin with what
  // features can tell.
  std::vector<float> start() const override;
  // Structure: pulls (or a fresh sketch of them) and the sum of the curvatures as the
  // weight. Values: all pulls, diagonal curvature.
  RoundTarget target(const float* scores) override;
  // 1, halved until the risk does not rise if guarded, or where no leaf's step is bounded by it.
  Step step(const RowVectors& hypothesis) override;
  void resume(const Past& past) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  struct Scratch {
    AlignedVector<float> scores;
    AlignedVector<float> class_scores;
    AlignedVector<float> class_pulls;
    AlignedVector<float> class_curvature;
    std::vector<std::int32_t> labels;
  };

  // What the loss asks of some rows, laid side by side.
  LossBlock gather(std::span<const std::uint32_t> rows, Scratch& scratch) const;
  // Pulls and curvatures of some rows, as if they had weight 1, rows.size() x d each, times
  // exp(-log_scale); returns what Loss::pulls() does. `curvature` may be null if from_pulls_.
  double pulls_of(std::span<const std::uint32_t> rows, double log_scale, float* pulls,
                  float* curvature) const;
  // All rows at once, for losses that do not take parts: what pulls_of() then reads.
  void fill_classes();
  // Fills the structure's pulls and weights; returns the largest of what pulls_of() returned.
  double fill_structure(double log_scale);
  // Multiplies the structure's pulls and weights of rows [begin, end) by the rows' weights.
  void weigh(std::size_t begin, std::size_t end);
  // What fills the leaves, by the pulls of the round.
  class NewtonLeafTarget;
  void set_leaf_target();
  // For each output, the sum over rows of the squares of its pulls.
  std::vector<double> pull_squares() const;
  void draw_sketch();
  // The largest change of a class score along a hypothesis, which later calls are about.
  double set_direction(const RowVectors& hypothesis);
  ScaledSum risk();
  ScaledSum risk_at(const RowVectors& hypothesis, double log_scale);

  const Problem& problem_;
  Codebook codebook_;
  std::shared_ptr<const Loss> loss_;
  MarginRisk risk_;
  NewtonOptions options_;
  std::size_t sketch_;
  std::uint64_t round_ = 0;
  bool canonical_;
  bool from_pulls_;    // pulls tell their curvature (LeafTarget::curvature_factor)
  bool bounded_;       // leaves' steps are bounded by their own loss (leaf_step.h)
  bool kept_ = false;  // pulls are computed once; else they would be large
  const float* scores_ = nullptr;
  double log_scale_ = 0;
  std::vector<float> projection_;     // d x whole vectors of the sketch (sketch_matrix)
  UntouchedVector<float> structure_;  // rows x sketch or x d; empty: value_pulls_ serve
  UntouchedVector<float> weights_;
  UntouchedVector<float> class_pulls_;  // rows x classes each; empty where the loss takes parts
  UntouchedVector<float> class_curvature_;
  UntouchedVector<float> value_pulls_;      // rows x d each; empty where they would be large
  UntouchedVector<float> value_curvature_;  // nor kept where pulls tell it
  std::unique_ptr<LeafTarget> leaf_target_;
  double length_ = 1;
};

}  // namespace simplexboost
