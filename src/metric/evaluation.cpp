#include "metric/evaluation.h"

#include <algorithm>
#include <utility>

#include "data/rows/row_split.h"
#include "data/weight_scale.h"
#include "model/model_access.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void check_labels(const Model& model, const Dataset& data) {
  const bool sets = model.schema().multi_label;
  if (sets && (!data.labels.multi_label() || data.labels.offsets.size() != data.rows + 1))
    throw DataError({data.source}, "one label a row, or none; this model predicts sets of labels");
  if (!sets && data.labels.multi_label())
    throw DataError({data.source}, "several labels a row; this model predicts one label a row");
  if (!sets && data.labels.codes.size() != data.rows)
    throw DataError({data.source}, "no labels; evaluation needs the true class of every row");
  const std::vector<float>& weights = data.labels.weights;
  if (!weights.empty() && weights.size() != data.rows * model.schema().classes.size())
    throw DataError({data.source}, "the weights of labels must be one for each row and class");
}

}  // namespace

std::size_t rows_per_block(std::size_t classes) {
  constexpr std::size_t kValues = std::size_t{1} << 25;  // 128 MB of scores
  constexpr std::size_t kFewestRows = 1024;  // fewer would make blocks themselves costly
  return std::max(kFewestRows, kValues / std::max<std::size_t>(1, classes));
}

Evaluation tally_model(const Model& model, const Dataset& data, const PredictOptions& options,
                       unsigned parts, Communicator& ranks) {
  check_labels(model, data);
  // The rows of a block are predicted where they are judged, on one thread: many are under way.
  PredictOptions one_thread = options;
  one_thread.threads = 1;
  const auto scores = [&](std::size_t begin, std::size_t end, std::vector<float>& room) {
    room = std::move(model.predict_scores(slice_features(data, begin, end), one_thread).values);
    return static_cast<const float*>(room.data());
  };
  std::function<void(std::span<float>)> to_proba;
  if (model.has_proba()) to_proba = [&](std::span<float> row) { model.scores_to_proba(row); };
  const RowSpace space(data.rows, resolve_threads(options.threads), ranks);
  const std::vector<double> weights = summable_weights(data.weights, space);
  return tally_rows({data.labels, weights, space, model.schema().classes.size(),
                     ensemble_of(model).signed_scores(), scores, to_proba},
                    parts);
}

}  // namespace simplexboost
