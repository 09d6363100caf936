// Small random problems for the tests of tree growth: tied, constant, missing and categorical
// features, zero weights, and pulls of any width.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/binned_dataset.h"
#include "simplexboost/weak_learner.h"
#include "tree/histogram/row_stats.h"

namespace simplexboost::testing {

struct ProblemShape {
  std::size_t rows = 30;
  std::size_t features = 4;
  std::size_t width = 3;
  std::size_t numbers = 6;     // distinct values of a numeric feature
  std::size_t categories = 0;  // of every second feature; 0: all are numeric
  bool missing = true;
  bool one_hot = false;  // pulls are weight times a unit vector, as for Gini
  bool zero_weights = true;
  int max_bins = 256;
};

struct RandomProblem {
  Dataset data;
  std::vector<float> pulls;
  std::vector<float> weights;
  std::vector<float> curvature;
  std::vector<float> sizes;  // |pulls|: the weights of the labels, where pulls are weighted signs
  std::size_t width = 0;
  std::vector<FeatureBins> bins;

  BinnedDataset binned(int threads = 1, ByteUse use = ByteUse::kOneFeature) const {
    return BinnedDataset(data, bins, threads, {}, use);
  }
  FitTarget target(bool diagonal = false) const {
    return {data.rows, width, pulls.data(), weights.data(), diagonal ? curvature.data() : nullptr};
  }
};

inline std::vector<std::string> category_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("c" + std::to_string(i));
  return names;
}

inline Column random_column(const ProblemShape& shape, std::size_t feature, Random& random) {
  const bool categorical = shape.categories > 0 && feature % 2 == 1;
  // Every fifth feature has one value at most.
  const bool constant = random.below(5) == 0;
  const std::size_t values = constant ? 1 : categorical ? shape.categories : shape.numbers;
  std::vector<double> numbers(shape.rows);
  std::vector<std::int32_t> codes(shape.rows);
  const bool missing = shape.missing && random.below(2) == 0;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const std::uint64_t value = random.below(values);
    const bool gone = missing && random.below(4) == 0;
    codes[i] = gone ? -1 : static_cast<std::int32_t>(value);
    numbers[i] = gone ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value) / 4;
  }
  const std::string name = "x" + std::to_string(feature);
  return categorical ? Column::categorical(name, codes, category_names(shape.categories))
                     : Column::numeric(name, numbers);
}

inline RandomProblem random_problem(const ProblemShape& shape, Random& random) {
  RandomProblem problem;
  problem.width = shape.width;
  problem.data.rows = shape.rows;
  for (std::size_t f = 0; f < shape.features; ++f)
    problem.data.columns.push_back(random_column(shape, f, random));
  const bool tied = random.below(3) == 0;  // many equal scores
  for (std::size_t i = 0; i < shape.rows; ++i) {
    double weight = tied ? 1 : 0.05 + random.uniform();
    if (shape.zero_weights && random.below(8) == 0) weight = 0;
    problem.weights.push_back(static_cast<float>(weight));
    const std::size_t hot = random.below(shape.width);
    for (std::size_t j = 0; j < shape.width; ++j) {
      double pull = tied ? static_cast<double>(random.below(3)) - 1 : random.normal();
      if (shape.one_hot) pull = j == hot ? 1 : 0;
      problem.pulls.push_back(static_cast<float>(pull * weight));
      problem.sizes.push_back(std::fabs(problem.pulls.back()));
      problem.curvature.push_back(static_cast<float>(weight * std::exp(random.normal())));
    }
  }
  problem.bins = choose_bins(problem.data, {shape.max_bins, 1});
  return problem;
}

// Enough for several groups of features, many bins and categories.
inline RandomProblem large_problem(std::size_t rows = 20'000, int max_bins = 256) {
  Random random(3);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = 37;  // three groups, the last one not full
  shape.width = 5;
  shape.numbers = 700;
  shape.categories = 20;
  shape.max_bins = max_bins;
  return random_problem(shape, random);
}

inline RowStats stats_of(const RandomProblem& problem, const RowSpace& space,
                         bool diagonal = false) {
  RowStats stats;
  stats.assign(problem.target(diagonal), space);
  return stats;
}
inline RowStats stats_of(const RandomProblem& problem, bool diagonal = false, int threads = 1) {
  return stats_of(problem, {problem.data.rows, threads}, diagonal);
}

// As a criterion wants them.
inline RowStats stats_for(const RandomProblem& problem, CriterionKind kind, const RowSpace& space) {
  if (!diagonal(kind)) return stats_of(problem, space);
  FitTarget target = problem.target();
  target.curvature = problem.sizes.data();
  RowStats stats;
  stats.assign(target, space, true);
  return stats;
}
inline RowStats stats_for(const RandomProblem& problem, CriterionKind kind, int threads = 1) {
  return stats_for(problem, kind, {problem.data.rows, threads});
}

// Codewords as the kernels want them: outputs x padded classes, the padding a repeated column.
struct RandomCodewords {
  std::size_t classes = 0;
  std::size_t stride = 0;
  std::vector<float> transposed;

  RandomCodewords(std::size_t width, std::size_t count, Random& random)
      : classes(count), stride((count + 7) / 8 * 8), transposed(width * stride) {
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t k = 0; k < stride; ++k)
        transposed[j * stride + k] =
            k < classes ? static_cast<float>(random.normal()) : transposed[j * stride];
  }
  void give_to(CriterionSpec& criterion) const {
    criterion.codewords = transposed.data();
    criterion.codeword_stride = stride;
  }
};

// The bin of a value, whatever the width of the bins in memory.
inline std::uint32_t bin_at(const BinnedDataset& data, std::size_t feature, std::size_t row) {
  return data.bin(feature, row);
}

}  // namespace simplexboost::testing
