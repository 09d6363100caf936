// A trained ensemble: predicts, saves, loads. Immutable once made; every const member may be
// called from many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/estimate.h"
#include "simplexboost/export.h"
#include "simplexboost/forest.h"
#include "simplexboost/loss.h"
#include "simplexboost/training_log.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

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

// How much a feature matters to a model.
struct FeatureImportance {
  std::size_t feature = 0;
  std::uint64_t splits = 0;  // and linear terms
  double gain = 0;           // sum over these; 0 where the model does not record it
};

class SIMPLEXBOOST_API Model {
 public:
  // Reads a model file; throws ModelError on anything that is not a whole, sound model.
  static Model load(const std::string& path);
  // Writes to a temporary file beside `path`, syncs and renames: the old file or the new one.
  void save(const std::string& path) const;

  // The bytes of such a file, in memory.
  static Model from_bytes(std::span<const std::byte> bytes);
  std::vector<std::byte> to_bytes() const;

  // What the model was trained on, and how.
  const Schema& schema() const;
  const std::string& algorithm() const;
  const std::map<std::string, std::string>& parameters() const;  // as used, by name; no `threads`
  const TrainingLog& log() const;
  // What to expect of it; nothing where training left no rows to judge by.
  const std::optional<Estimate>& estimate() const;
  // The members of an ensemble; empty for other models.
  std::vector<MemberWeight> members() const;

  // What it consists of: scores begin with `bias`, and each tree adds to some of the outputs.
  std::size_t rounds() const;
  const Forest& forest() const;
  const std::vector<float>& bias() const;
  // Classes x outputs, row-major: class scores are half the products of outputs and codewords.
  // Empty where outputs are the class scores themselves.
  std::vector<float> codewords() const;

  // All features, most important first: by gain where it is recorded, else by splits; ties in the
  // order of the features.
  std::vector<FeatureImportance> importance() const;
  // Features x classes, row-major: the gain of each split (or 1, if not `gain`) divided among the
  // classes by the squares of what it changes in their scores, what all classes share taken off.
  std::vector<double> class_importance(bool gain = true) const;
  // What a node asks: "x <= 2.5", "colour in {blue, red} or missing".
  std::string test_text(const Node& node) const;
  // A tree for people, a line a node; ModelError where the model has not so many.
  std::string tree_text(std::size_t tree) const;

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
  // Class scores of one row to probabilities, in place, or in double precision; the scores are not
  // kept then. Does not allocate.
  void scores_to_proba(std::span<float> scores) const;
  void scores_to_proba(std::span<float> scores, std::span<double> proba) const;

  struct Access;  // the library's own way in

 private:
  struct State;
  explicit Model(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

// Class scores after more and more rounds, when asked for: each step costs the trees of its rounds
// only. Columns without an owner must live as long.
class SIMPLEXBOOST_API StagedScores {
 public:
  StagedScores(Model model, const Dataset& data, int threads = 0);

  // Rows x classes, after the first `rounds` rounds, which must not fall from call to call.
  Matrix after(std::size_t rounds);

 private:
  Model model_;
  Dataset features_;  // without labels
  int threads_;
  Matrix outputs_;
  std::size_t done_ = 0;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
