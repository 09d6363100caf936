// What a round lets the weak learner see: a share of the rows and features, rows drawn again by
// their weights, and weights kept from vanishing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/row_space.h"
#include "optimizer/fit_target.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

// How often each row that is here comes up in `draws` draws from all rows with replacement, each
// with a chance in proportion to its weight (0 or more). Nothing where the weights have no
// positive, finite sum.
struct DrawnRows {
  double total = 0;  // of the weights of all rows
  std::vector<std::uint32_t> counts;
};
DrawnRows draw_by_weight(const RowSpace& space, std::span<const double> weights, std::size_t draws,
                         Random random);

class Sampler {
 public:
  // `parameters` must outlive it.
  Sampler(const Parameters& parameters, const RowSpace& space, std::size_t features);

  struct Round {
    RoundTarget target;
    Sample sample;
  };
  // Depends on the seed, the round, the target and its index in the round only, not on how the rows
  // are parted: all targets of a round see the same share of the rows, each its own share of the
  // features. Valid until the next call.
  //
  // bootstrap: as many rows as there are, drawn with replacement, or all with random weights.
  // weight-floor: a row of less than this share of all the weight counts as one of that share; rows
  // of weight 0 stay out (jmlr2005 floors the weights at 1e-10).
  // resample: as many rows as there are (times row-fraction) are drawn by their weights and count
  // the same; a row that comes up twice counts double (jmlr2005, "resampling").
  Round draw(const RoundTarget& target, std::size_t round, std::size_t index = 0);

 private:
  double fade(std::size_t round) const;
  void draw_again(const Random& random);
  void weigh_at_random(std::uint64_t stream);
  void lift(double floor);
  void resample(const Random& random);
  // Makes row i count `factors_[i]` times what it does.
  void scale_rows();

  const Parameters& parameters_;
  RowSpace space_;
  std::size_t feature_count_;
  RoundTarget target_;
  bool drawn_ = false;  // the rows are some of them
  std::vector<double> factors_;
  std::vector<float> pulls_;
  std::vector<float> weights_;
  std::vector<float> curvature_;
  std::vector<float> leaf_weights_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> features_;
};

}  // namespace simplexboost
