// Scores of the rows of a data set while training goes on, and how well they do: figures are those
// of the rows of all ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned_vector.h"
#include "base/byte_stream.h"
#include "base/row_space.h"
#include "base/row_weights.h"
#include "codeword/codebook.h"
#include "loss/loss.h"
#include "metric/tally.h"
#include "model/ensemble.h"
#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

class DeviceScores;

class ScoreBoard {
 public:
  // `codebook`: turns scores into class scores; null: they are class scores. All must outlive the
  // board.
  // `there`: has the scores in the place of this process, where it is given.
  ScoreBoard(const Labels& labels, const RowWeights& weights, const RowSpace& space,
             const Codebook* codebook, std::size_t classes, DeviceScores* there = nullptr);

  // Null where a device has them.
  const float* scores() const { return there_ ? nullptr : scores_.data(); }
  // Adds what the model's trees will add: values times factor, rounded once, and then to the
  // precision of the leaves.
  void add(const RowVectors& hypothesis, double factor, LeafPrecision precision);
  // Gives all rows the same scores.
  void fill(const std::vector<float>& scores);
  // Takes over the scores of a model, rows x outputs.
  void set(const std::vector<float>& scores);
  // The scores of all ranks' rows.
  void save(ByteWriter& out) const;

  // Share of the weight whose class has not the highest score (ties: the lower class counts, as in
  // prediction); for multi-label data the Hamming loss of the labels that are known, a score above
  // 0 meaning yes.
  double error() const;
  // Mean of -log p of the true class (LogLoss), by the link of an ensemble; single-label data only.
  double log_loss(const Ensemble& ensemble) const;
  // Mean loss of the rows whose class is known, the codebook being that of the scores; costs as
  // those of Problem.
  double risk(const Loss& loss, const Codebook& codebook, const std::vector<float>& costs) const;
  // Of the rows that are here, rows x classes.
  Matrix class_scores() const;
  // What any metric takes (metric/metric_table.h), by the link of an ensemble.
  Evaluation evaluate(const Ensemble& ensemble, unsigned parts) const;
  // Of the rows that are here, for one label a row (loss/margin.h).
  std::vector<float> margins() const;

 private:
  // Adds value(v) for each number v of the rows' vectors.
  template <class Value>
  void add_rows(const RowVectors& vectors, LeafPrecision precision, const Value& value);
  // The scores in this process's memory.
  const float* scores_here() const;
  double row_loss(std::size_t row, const float* class_scores) const;
  // The class scores of rows [begin, end): the scores themselves, or what is put into `mapped`.
  const float* class_scores(std::size_t begin, std::size_t end, std::vector<float>& mapped) const;
  // The weighted mean over the rows of loss(row, its class scores).
  template <class Loss>
  double mean(const Loss& loss) const;

  const Labels& labels_;
  RowWeights weights_;
  RowSpace space_;
  const Codebook* codebook_;
  std::size_t classes_;
  std::size_t outputs_;
  DeviceScores* there_;
  double total_;  // weight of the rows, as error() and log_loss() count it
  // Rows x outputs; where a device has them, as they were when somebody asked for them here.
  mutable UntouchedVector<float> scores_;
  mutable bool brought_ = false;
};

}  // namespace simplexboost
