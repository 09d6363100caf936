// How well sets of labels are predicted: a label is predicted where its score is above 0. Counts of
// what is true, predicted and both, and the losses and F1 figures that follow from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/confusion.h"
#include "metric/log_loss.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

class MultiLabelCounts {
 public:
  explicit MultiLabelCounts(std::size_t labels) : per_label_(labels) {}

  // `truth`: the row's labels, ascending, each once. `scores`: one a label.
  void add(std::span<const std::int32_t> truth, std::span<const float> scores, double weight = 1);

  std::size_t labels() const { return per_label_.size(); }
  double total() const { return total_; }  // weight of all rows
  const std::vector<ClassSummary>& per_label() const { return per_label_; }

  // All of these are NaN where there is nothing to divide by.
  double hamming_loss() const;       // share of the (row, label) pairs that are wrong
  double exact_match_error() const;  // share of the rows with at least one label wrong
  double error(std::size_t label) const;
  double micro_f1() const;  // of all pairs together
  // The mean of the labels' F1, those aside that are neither true nor predicted anywhere.
  double macro_f1() const;

 private:
  double wrong(const ClassSummary& one) const {
    return one.truth + one.predicted - 2 * one.correct;
  }

  std::vector<ClassSummary> per_label_;
  double total_ = 0;
  double wrong_rows_ = 0;
};

struct MultiLabelEvaluation {
  std::size_t rows = 0;
  MultiLabelCounts counts{0};  // weighted, as the data is
  LogLoss log_loss;            // mean over the (row, label) pairs
};

// `data` must be read with the model's schema and be multi-label; DataError otherwise.
MultiLabelEvaluation evaluate_labels(const Model& model, const Dataset& data,
                                     const PredictOptions& options = {});

}  // namespace simplexboost
