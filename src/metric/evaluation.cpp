#include "metric/evaluation.h"

#include <algorithm>
#include <span>

#include "data/row_split.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void check_labels(const Dataset& data) {
  if (data.labels.multi_label()) {
    throw DataError({data.source}, "several labels a row; evaluation takes one label a row");
  }
  if (data.labels.codes.size() != data.rows) {
    throw DataError({data.source}, "no labels; evaluation needs the true class of every row");
  }
}

}  // namespace

std::size_t rows_per_block(std::size_t classes) {
  constexpr std::size_t kValues = std::size_t{1} << 25;  // 128 MB of scores
  constexpr std::size_t kFewestRows = 1024;  // fewer would make blocks themselves costly
  return std::max(kFewestRows, kValues / std::max<std::size_t>(1, classes));
}

Evaluation evaluate(const Model& model, const Dataset& data, const PredictOptions& options) {
  check_labels(data);
  const std::size_t classes = model.schema().classes.size();
  const std::size_t block = rows_per_block(classes);
  Evaluation result;
  result.rows = data.rows;
  result.confusion = Confusion(classes);
  for (std::size_t begin = 0; begin < data.rows; begin += block) {
    const std::size_t end = std::min(begin + block, data.rows);
    Matrix scores = model.predict_scores(slice_features(data, begin, end), options);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<float> row(scores.row(i - begin), classes);
      const auto predicted =
          static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
      const std::int32_t truth = data.labels.codes[i];
      const double weight = data.weights.empty() ? 1 : data.weights[i];
      result.confusion.add(truth, predicted, weight);
      if (truth != predicted) ++result.wrong_rows;
      if (truth < 0) ++result.unknown_rows;
      if (!model.has_proba()) continue;
      model.scores_to_proba(row);
      result.log_loss.add(truth < 0 ? 0 : static_cast<double>(row[static_cast<std::size_t>(truth)]),
                          weight);
    }
  }
  return result;
}

}  // namespace simplexboost
