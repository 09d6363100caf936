// How sure a model is, and what follows: sets of classes that hold the true one, the likeliest
// classes, decisions of least cost, other shares of the classes than in training, calibration on
// new rows, and rows whose label is likely wrong. docs/certainty.md tells when to use which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// The likeliest classes of each row, most likely first.
struct TopClasses {
  std::size_t rows = 0;
  std::size_t columns = 0;  // classes a row
  std::vector<std::int32_t> classes;
  std::vector<float> probabilities;
};

// `count` is at most the number of classes. Memory follows rows x count, not rows x classes.
SIMPLEXBOOST_API TopClasses predict_top(const Model& model, const Dataset& data, std::size_t count,
                                        const PredictOptions& options = {});

struct SetOptions {
  double coverage = 0.9;     // the probability that the set holds the true class; above 0, below 1
  bool per_class = false;    // that of the rows of each class, not of all together
  bool never_empty = false;  // the likeliest class where the set would be empty; more coverage then
};

// A set of classes for each row, most likely first.
struct ClassSets {
  std::vector<std::size_t> offsets;  // of row i: [offsets[i], offsets[i + 1])
  std::vector<std::int32_t> classes;
};

// Whether it knows how sure it is on rows that it had not seen (has_sets()): trained by
// train_quality(), a forest, or calibrated. Else ModelError.
SIMPLEXBOOST_API ClassSets predict_sets(const Model& model, const Dataset& data,
                                        const SetOptions& set_options,
                                        const PredictOptions& options = {});
SIMPLEXBOOST_API bool has_sets(const Model& model);

struct CostlyDecision {
  std::vector<std::int32_t> classes;  // -1: none, since the best would cost too much
  std::vector<float> costs;           // expected, of the best class
};

// For each row the class of least expected cost. `costs`: classes x classes, row-major,
// [true class][taken for], not negative. Decisions above `abstain_above` are left open.
SIMPLEXBOOST_API CostlyDecision predict_least_cost(const Model& model, const Dataset& data,
                                                   std::span<const float> costs,
                                                   std::optional<double> abstain_above = {},
                                                   const PredictOptions& options = {});
// The text of train's --costs: rows of numbers between semicolons, or a CSV file.
SIMPLEXBOOST_API std::vector<float> parse_costs(const std::string& text,
                                                const std::vector<std::string>& classes);

// The shares of the classes that it was trained with, by weight; ModelError where an old file does
// not tell.
SIMPLEXBOOST_API std::vector<double> class_shares(const Model& model);
// The shares among rows without labels, by expectation maximisation (Saerens, Latinne and
// Decaestecker 2002): those with which the model's probabilities explain the rows best.
SIMPLEXBOOST_API std::vector<double> estimate_priors(const Model& model, const Dataset& data,
                                                     const PredictOptions& options = {});
// The same from probabilities of a model for the shares `then`, rows x classes.
SIMPLEXBOOST_API std::vector<double> estimate_priors(const Matrix& probabilities,
                                                     std::span<const double> then);
// The same model for rows of other shares; they are made to sum to 1. Empty: those of training.
SIMPLEXBOOST_API Model with_priors(const Model& model, std::vector<double> priors);

struct CalibrateOptions {
  std::string method = "auto";  // or "temperature", "vector", "isotonic"
  int folds = 5;
  std::uint64_t seed = 0;
  int threads = 0;
};

struct CalibrationTrial {
  std::string method;   // "none": as it is
  double log_loss = 0;  // of rows that the map had not seen
};

struct CalibrationResult {
  Model model;
  std::string method;
  std::vector<CalibrationTrial> trials;
};

// Fits how probabilities are told to rows that the model did not see, and keeps what
// cross-validation on them finds best; a simpler way stays unless a richer one is clearly better.
// What the model was calibrated by before is forgotten. The model then tells an estimate and sets
// from these rows.
SIMPLEXBOOST_API CalibrationResult calibrate(const Model& model, const Dataset& data,
                                             const CalibrateOptions& options = {});
// The same model as it was trained, without calibration or priors.
SIMPLEXBOOST_API Model uncalibrated(const Model& model);
// How it is calibrated: "temperature", "vector", "isotonic", or empty.
SIMPLEXBOOST_API std::string calibration_of(const Model& model);

// A row whose label may be wrong.
struct Suspect {
  std::size_t row = 0;
  std::int32_t label = 0;
  std::int32_t likelier = 0;  // the class that fits best
  double probability = 0;     // of the label
  double likelier_probability = 0;
  double wrong = 0;  // the chance that the label is wrong
};

// All rows of one label each, the most suspect first. `probabilities`: of models that had not seen
// the row (QualityResult::oof_proba).
SIMPLEXBOOST_API std::vector<Suspect> rank_suspects(const Matrix& probabilities,
                                                    const Labels& labels, int threads = 0);

// Trains on rows that count as much as `trust` says (none at first: all alike), on other folds in
// every turn (0, 1, 2), and gives the probabilities as above; no rows: it was stopped.
using LabelJudge = std::function<Matrix(const std::vector<double>& trust, int turn)>;

// The same by three turns of a judge: those after the first train on rows that count as much as
// their labels are trusted by the turns before, and the suspects are those of the mean of these.
// None where a turn was stopped.
SIMPLEXBOOST_API std::vector<Suspect> find_suspects(const Labels& labels, const LabelJudge& judge,
                                                    int threads = 0);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
