// Objectives and learners of a user's own where rows are parted among ranks: they see the rows of
// all of them, in their order, and the bytes are those of one rank.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/parted_training.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::expect_same_model;
using testing::labelled_data;
using testing::message_of;
using testing::shares_of;

Dataset unevenly_weighted(std::uint64_t seed, std::size_t rows = 3300) {
  Dataset data = labelled_data({.rows = rows, .classes = 4, .numbers = 3, .mixed = true}, seed);
  for (std::size_t i = 0; i < rows; ++i) data.weights.push_back(0.5 + static_cast<double>(i % 5));
  return data;
}

Parameters three_rounds_of(const std::string& algorithm) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = 3;
  return parameters;
}

// A cross entropy that pulls later rows harder, by how many rows there are and by all their scores:
// who sees other rows, or in another order, says something else.
class SeesAllRows : public Objective {
 public:
  explicit SeesAllRows(bool with_losses) : with_losses_(with_losses) {}

  std::string name() const override { return "sees-all-rows"; }
  void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
    const double mean = mean_of(rows);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < rows.classes; ++k) {
        const std::size_t at = i * rows.classes + k;
        const double p = share_of(rows, i, k);
        const double own = static_cast<std::size_t>(rows.labels[i]) == k ? 1 : 0;
        const double factor = factor_of(rows, i) + mean;
        pulls[at] = static_cast<float>(factor * (own - p));
        if (curvature) curvature[at] = static_cast<float>(factor * p * (1 - p));
      }
  }
  bool has_losses() const override { return with_losses_; }
  void losses(const ObjectiveRows& rows, double* losses) const override {
    for (std::size_t i = 0; i < rows.rows; ++i)
      losses[i] = -factor_of(rows, i) *
                  std::log(share_of(rows, i, static_cast<std::size_t>(rows.labels[i])));
  }

 private:
  static double factor_of(const ObjectiveRows& rows, std::size_t row) {
    return 0.5 + static_cast<double>(row) / static_cast<double>(rows.rows);
  }
  static double mean_of(const ObjectiveRows& rows) {
    const float* const end = rows.scores + rows.rows * rows.classes;
    return std::fabs(std::accumulate(rows.scores, end, 0.0)) / static_cast<double>(rows.rows);
  }
  static double share_of(const ObjectiveRows& rows, std::size_t row, std::size_t of) {
    const float* const scores = rows.scores + row * rows.classes;
    double sum = 0;
    for (std::size_t k = 0; k < rows.classes; ++k)
      sum += std::exp(static_cast<double>(scores[k]) - static_cast<double>(scores[of]));
    return 1 / sum;
  }

  bool with_losses_;
};

TrainOptions with_objective(bool with_losses) {
  TrainOptions options;
  options.objective = std::make_shared<SeesAllRows>(with_losses);
  return options;
}

TEST(PartedObjective, SeesTheRowsOfAllRanks) {
  const Dataset data = unevenly_weighted(61);
  const Dataset valid = unevenly_weighted(62, 2500);
  for (const std::string algorithm : {"newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"})
    for (const bool with_losses : {true, false}) {
      if (algorithm == "cd-mcboost" && !with_losses) continue;
      SCOPED_TRACE(algorithm + (with_losses ? " with losses" : ""));
      Parameters parameters = three_rounds_of(algorithm);
      parameters.early_stopping = 2;
      expect_same_model({data, &valid, nullptr, with_objective(with_losses)}, parameters);
    }
  Parameters simplex = three_rounds_of("newton");
  simplex.codewords = "simplex";
  simplex.row_fraction = 0.5;
  expect_same_model({data, nullptr, nullptr, with_objective(true)}, simplex);
}

TEST(PartedObjective, SaysWhichRowOfAllIsWrong) {
  class Wrong : public SeesAllRows {
   public:
    Wrong() : SeesAllRows(false) {}
    void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
      SeesAllRows::pulls(rows, pulls, curvature);
      pulls[3000 * rows.classes + 2] = NAN;
    }
  };
  TrainOptions options;
  options.objective = std::make_shared<Wrong>();
  const std::vector<Dataset> shares = shares_of(unevenly_weighted(63), 3);
  EXPECT_EQ(message_of<ModelError>([&] {
              testing::parted_bytes(shares, {}, three_rounds_of("newton"), nullptr, options);
            }),
            "objective 'sees-all-rows': the pull of row 3000 on class 2 is nan");
}

// A stump in the middle of all values, of which each half says what the pulls of its rows come to.
class MiddleStump : public CustomLearner {
 public:
  explicit MiddleStump(const Dataset& data) : values_(data.rows) {
    data.columns[0].copy(0, data.rows, values_.data());
  }

  Forest fit(const FitTarget& target, const Sample& sample) override {
    std::vector<std::uint32_t> rows(sample.rows.begin(), sample.rows.end());
    if (sample.all_rows()) {
      rows.resize(target.rows);
      std::iota(rows.begin(), rows.end(), 0U);
    }
    double middle = 0;
    for (const std::uint32_t row : rows) middle += number(row) / static_cast<double>(rows.size());
    std::vector<double> sums(2 * target.width);
    std::vector<double> weights(sums.size());
    for (const std::uint32_t row : rows)
      for (std::size_t j = 0; j < target.width; ++j) {
        const std::size_t side = (number(row) <= middle ? 0 : target.width) + j;
        const std::size_t at = row * target.width + j;
        sums[side] += static_cast<double>(target.pulls[at]);
        weights[side] +=
            static_cast<double>(target.curvature ? target.curvature[at] : target.weights[row]);
      }
    std::vector<float> leaves(sums.size());
    for (std::size_t j = 0; j < sums.size(); ++j)
      leaves[j] = static_cast<float>(sums[j] / (weights[j] + 1));
    Node node;
    node.threshold = middle;
    node.left = ~0;
    node.right = ~1;
    Forest forest;
    append_tree(forest, {&node, 1}, leaves, 0, target.width);
    return forest;
  }

 private:
  double number(std::size_t row) const { return std::isnan(values_[row]) ? 0 : values_[row]; }

  std::vector<double> values_;
};

TEST(PartedLearner, SeesTheRowsOfAllRanks) {
  const Dataset data = unevenly_weighted(64);
  const Dataset valid = unevenly_weighted(65, 2500);
  TrainOptions own;
  own.make_learner = [](const LearnerContext& context) {
    return std::make_unique<MiddleStump>(context.data);
  };
  for (const std::string algorithm : {"newton", "gd-mcboost"})
    for (const double fraction : {1.0, 0.3}) {
      SCOPED_TRACE(algorithm);
      Parameters parameters = three_rounds_of(algorithm);
      parameters.row_fraction = fraction;
      expect_same_model({data, &valid, nullptr, own}, parameters);
    }
}

TEST(PartedLearner, EndsAllRanksWhereItFails) {
  TrainOptions own;
  own.make_learner = [](const LearnerContext&) { return nullptr; };
  const std::vector<Dataset> shares = shares_of(unevenly_weighted(66), 3);
  EXPECT_EQ(message_of<ParameterError>([&] {
              testing::parted_bytes(shares, {}, three_rounds_of("newton"), nullptr, own);
            }),
            "make_learner: it made no learner");
}

}  // namespace
}  // namespace simplexboost
