// Least squares on the best numeric feature, or on the best few: h(x) = a + sum_j b_j x_j, with
// vectors a and b_j. Each slope is a regression on raw values, not on bins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learner/weak_learner.h"

namespace simplexboost {

struct LinearOptions {
  int features = 1;  // at most so many
  double l2 = 0;     // penalty on the squares of a and b, for x scaled to a range of length 1
};

// Fits pulls / weights with the weights of the rows: minimises sum_i w_i |h(x_i) - R_i / w_i|^2.
//
// - Features are chosen by forward selection: the one that lowers the sum of squares most, then the
//   one that does so most beside it, and so on. Ties go to the lower feature; features that the
//   chosen ones already determine are left out.
// - Slopes and intercept are then solved for together, so one feature is the exact best line.
// - A missing value counts as the weighted mean of its feature; categorical features are not used.
// - Where the target has a curvature for each channel, the rows' weights (or the mean curvature)
//   choose the features, and each channel is then solved for with its own curvature.
class LinearLearner : public WeakLearner {
 public:
  // Throws DataError if no feature is numeric. `data` is the training set.
  LinearLearner(const LearnerData& data, const LinearOptions& options);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  bool look_at_all(const RoundTarget& target, const Sample& sample) override;
  RowVectors fit_output(std::size_t index) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

  // Of the last fit: the chosen features, the intercepts, and the slopes (features x width).
  const std::vector<LinearFeature>& features() const { return chosen_; }
  const std::vector<float>& intercept() const { return intercept_; }
  const std::vector<float>& slopes() const { return slopes_; }

 private:
  // What forward selection knows of a candidate, beside the features chosen so far.
  struct Candidate {
    LinearFeature scale;       // low and high of the data; center: the weighted mean
    double square = 0;         // sum of w u^2, u the position less its part along the chosen ones
    double whole_square = 0;   // the same before anything was chosen
    std::vector<double> pull;  // sum of R_k u
    bool taken = false;

    double gain(double l2) const;
  };

  void set_rows(const RoundTarget& target, const Sample& sample);
  void find_ranges();
  void start_candidates(const Sample& sample);
  void measure(std::span<Candidate> candidates) const;
  void measure_block(std::span<const Candidate> candidates, std::size_t begin, std::size_t end,
                     double* out) const;
  RowVectors fit_candidates();
  void project(const std::vector<double>& direction);
  double weighted_product(const std::vector<double>& u, const std::vector<double>& v) const;
  void choose();
  std::vector<double> next_direction(const Candidate& candidate) const;
  template <class Weight>
  void add_equations(std::size_t begin, std::size_t end, std::size_t first, std::size_t last,
                     const Weight& weight, double* sums) const;
  void solve();
  void fill_positions(const Dataset& data, std::vector<double>& positions) const;
  void fill_values(const std::vector<double>& positions, std::vector<float>& values) const;

  const Dataset& data_;
  RowSpace space_;
  LinearOptions options_;
  double l2_ = 0;                      // in the units of the target
  std::vector<LinearFeature> ranges_;  // of the usable features
  std::size_t width_ = 0;
  std::size_t output_ = 0;  // first of the outputs that the hypothesis is for
  const float* pulls_ = nullptr;
  const float* curvature_ = nullptr;
  std::vector<float> sampled_pulls_;
  std::vector<float> sampled_curvature_;
  std::vector<double> weights_;  // of the rows; 0 for those not sampled

  // Of look_at_all(): what fit_output() begins with.
  std::vector<Candidate> seen_;
  const float* seen_pulls_ = nullptr;
  std::size_t seen_width_ = 0;
  std::size_t seen_output_ = 0;
  std::vector<float> one_pull_;

  std::vector<Candidate> candidates_;
  std::vector<LinearFeature> chosen_;
  std::vector<std::vector<double>> directions_;  // orthonormal, one for each chosen feature
  std::vector<double> positions_;                // rows x chosen
  std::vector<float> intercept_;
  std::vector<float> slopes_;
  std::vector<float> values_;
  std::vector<float> values_elsewhere_;
};

}  // namespace simplexboost
