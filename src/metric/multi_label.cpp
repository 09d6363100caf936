#include "metric/multi_label.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "data/row_split.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"

namespace simplexboost {

void MultiLabelCounts::add(std::span<const std::int32_t> truth, std::span<const float> scores,
                           double weight) {
  assert(scores.size() == labels());
  total_ += weight;
  bool wrong = false;
  std::size_t next = 0;
  for (std::size_t l = 0; l < scores.size(); ++l) {
    const bool is = next < truth.size() && static_cast<std::size_t>(truth[next]) == l;
    const bool said = scores[l] > 0;
    if (is) ++next;
    if (is) per_label_[l].truth += weight;
    if (said) per_label_[l].predicted += weight;
    if (is && said) per_label_[l].correct += weight;
    wrong = wrong || is != said;
  }
  if (wrong) wrong_rows_ += weight;
}

double MultiLabelCounts::hamming_loss() const {
  double sum = 0;
  for (const ClassSummary& one : per_label_) sum += wrong(one);
  return sum / (total_ * static_cast<double>(labels()));
}

double MultiLabelCounts::exact_match_error() const { return wrong_rows_ / total_; }

double MultiLabelCounts::error(std::size_t label) const {
  return wrong(per_label_[label]) / total_;
}

double MultiLabelCounts::micro_f1() const {
  ClassSummary all;
  for (const ClassSummary& one : per_label_) {
    all.truth += one.truth;
    all.predicted += one.predicted;
    all.correct += one.correct;
  }
  return all.f1();
}

double MultiLabelCounts::macro_f1() const {
  double sum = 0;
  double count = 0;
  for (const ClassSummary& one : per_label_) {
    if (std::isnan(one.f1())) continue;
    sum += one.f1();
    count += 1;
  }
  return sum / count;
}

MultiLabelEvaluation evaluate_labels(const Model& model, const Dataset& data,
                                     const PredictOptions& options) {
  const Labels& labels = data.labels;
  if (!labels.multi_label() || labels.offsets.size() != data.rows + 1)
    throw DataError({data.source}, "one label a row, or none; this model predicts sets of labels");
  const std::size_t count = model.schema().classes.size();
  const std::size_t block = rows_per_block(count);
  MultiLabelEvaluation result;
  result.rows = data.rows;
  result.counts = MultiLabelCounts(count);
  for (std::size_t begin = 0; begin < data.rows; begin += block) {
    const std::size_t end = std::min(begin + block, data.rows);
    Matrix scores = model.predict_scores(slice_features(data, begin, end), options);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<float> row(scores.row(i - begin), count);
      const std::span<const std::int32_t> truth(labels.codes.data() + labels.offsets[i],
                                                labels.offsets[i + 1] - labels.offsets[i]);
      const double weight = data.weights.empty() ? 1 : data.weights[i];
      result.counts.add(truth, row, weight);
      // 1 - p(u) = p(-u), without the rounding: probabilities of what is true.
      std::size_t next = 0;
      for (std::size_t l = 0; l < count; ++l) {
        const bool is = next < truth.size() && static_cast<std::size_t>(truth[next]) == l;
        if (is) ++next;
        if (!is) row[l] = -row[l];
      }
      model.scores_to_proba(row);
      for (const float p : row) result.log_loss.add(static_cast<double>(p), weight);
    }
  }
  return result;
}

}  // namespace simplexboost
