// A trained ensemble: predicts, saves, loads. Immutable once made; every const member may be
// called from many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost {

struct Ensemble;  // src/model/ensemble.h

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

class Model {
 public:
  explicit Model(std::shared_ptr<const Ensemble> ensemble);

  // Reads a model file; throws ModelError on anything that is not a whole, sound model.
  static Model load(const std::string& path);
  // Writes to a temporary file beside `path`, syncs and renames: the old file or the new one.
  void save(const std::string& path) const;

  const Schema& schema() const;
  std::size_t rounds() const;

  // `data` must carry the model's features in the model's order (read it with `schema()`).
  std::vector<std::int32_t> predict(const Dataset& data, const PredictOptions& = {}) const;
  Matrix predict_proba(const Dataset& data, const PredictOptions& = {}) const;   // rows x classes
  Matrix predict_scores(const Dataset& data, const PredictOptions& = {}) const;  // rows x classes

  const Ensemble& ensemble() const { return *ensemble_; }

 private:
  std::shared_ptr<const Ensemble> ensemble_;
};

}  // namespace simplexboost
