// A trained ensemble: predicts, saves, loads. Immutable once made; every const member may be
// called from many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/loss.h"

namespace simplexboost {

struct Ensemble;  // src/model/ensemble.h
class Predictor;  // src/model/predictor.h

// A dense row-major matrix of results.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;

  float* row(std::size_t i) { return values.data() + i * columns; }
  const float* row(std::size_t i) const { return values.data() + i * columns; }
};

struct PredictOptions {
  int threads = 0;         // 0: all cores
  std::size_t rounds = 0;  // use only the first so many rounds; 0: all
};

// Called with a number of rounds and the class scores (rows x classes) after these.
using StageCallback = std::function<void(std::size_t rounds, const Matrix& scores)>;

class Model {
 public:
  // Throws ModelError if the ensemble is not sound.
  explicit Model(std::shared_ptr<const Ensemble> ensemble);

  // Reads a model file; throws ModelError on anything that is not a whole, sound model.
  static Model load(const std::string& path);
  // Writes to a temporary file beside `path`, syncs and renames: the old file or the new one.
  void save(const std::string& path) const;

  const Schema& schema() const;
  std::size_t rounds() const;

  // `data` must carry the model's features in the model's order (read it with `schema()`).
  // The class of highest score, the lower one of equals.
  std::vector<std::int32_t> predict(const Dataset& data, const PredictOptions& = {}) const;
  // The labels of score above 0, for multi-label models: a set for each row, maybe empty.
  Labels predict_labels(const Dataset& data, const PredictOptions& = {}) const;
  Matrix predict_proba(const Dataset& data, const PredictOptions& = {}) const;   // rows x classes
  Matrix predict_scores(const Dataset& data, const PredictOptions& = {}) const;  // rows x classes

  // False for models trained with a loss of one's own: predict_proba() and scores_to_proba() throw
  // ModelError then, and with a gamma-phi pair this one works (jmlr2019, Theorem 7; O(classes^3) a
  // row).
  bool has_proba() const;
  Matrix predict_proba(const Dataset& data, const GammaPhi& pair, const PredictOptions& = {}) const;

  // The predictor itself, rows x outputs: where the codewords have a dimension of their own, the
  // rows' places in that space (jmlr2019, 5.4). Class scores are products with the codewords.
  Matrix predict_outputs(const Dataset& data, const PredictOptions& = {}) const;
  // The leaf that each row falls into, rows x trees, row-major.
  std::vector<std::uint32_t> predict_leaves(const Dataset& data, const PredictOptions& = {}) const;

  // By how much the score of each row's class exceeds the best of the others (jmlr2019 (9)); NaN
  // where the model does not know the class. Throws DataError unless there is a label a row.
  std::vector<float> predict_margins(const Dataset& data, const PredictOptions& = {}) const;

  // Class scores after each of the given numbers of rounds (ascending, the last at most
  // `rounds()`), for the price of one prediction. `options.rounds` is not used.
  void predict_staged(const Dataset& data, std::span<const std::size_t> rounds,
                      const StageCallback& stage, const PredictOptions& options = {}) const;

  // One row: `features` holds a number for each feature of the schema (category codes as numbers,
  // NaN = missing), `scores` receives a score for each class. Does not allocate.
  void predict_row(std::span<const double> features, std::span<float> scores) const;
  // Class scores of one row to probabilities, in place. Does not allocate.
  void scores_to_proba(std::span<float> scores) const;

  const Ensemble& ensemble() const { return *ensemble_; }

 private:
  std::shared_ptr<const Ensemble> ensemble_;
  std::shared_ptr<const Predictor> predictor_;
};

}  // namespace simplexboost
