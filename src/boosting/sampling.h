// What a round lets the weak learner see: a share of the rows and features, rows drawn again by
// their weights, and weights kept from vanishing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simplexboost/parameters.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

class Random;

// How often each item comes up in `draws` draws with replacement, item i with a chance in
// proportion to weights[i] (finite, 0 or more, not all 0).
std::vector<std::uint32_t> draw_by_weight(const std::vector<double>& weights, std::size_t draws,
                                          Random& random);

class Sampler {
 public:
  // `parameters` must outlive it.
  Sampler(const Parameters& parameters, std::size_t rows, std::size_t features);

  struct Round {
    FitTarget target;
    Sample sample;
  };
  // Depends on the seed, the round, the target and its index in the round only: all targets of a
  // round see the same share of the rows, each its own share of the features. Valid until the next
  // call.
  //
  // weight-floor: a row of less than this share of all the weight counts as one of that share; rows
  // of weight 0 stay out (jmlr2005 floors the weights at 1e-10).
  // resample: as many rows as there are (times row-fraction) are drawn by their weights and count
  // the same; a row that comes up twice counts double (jmlr2005, "resampling").
  Round draw(const FitTarget& target, std::size_t round, std::size_t index = 0);

 private:
  void lift(double floor);
  void resample(Random& random);
  // Makes row i count `factors_[i]` times what it does.
  void scale_rows();

  const Parameters& parameters_;
  std::size_t row_count_;
  std::size_t feature_count_;
  FitTarget target_;
  std::vector<double> factors_;
  std::vector<float> pulls_;
  std::vector<float> weights_;
  std::vector<float> curvature_;
  std::vector<float> value_weights_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> features_;
};

}  // namespace simplexboost
