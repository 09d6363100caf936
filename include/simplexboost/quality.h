// Training that decides for itself: how many rounds, which settings, how sure to be, and what error
// to expect on new rows, by cross-fitting. docs/quality.md tells how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "simplexboost/checkpoint.h"
#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

enum class Quality : std::uint8_t {
  kFast,     // one training, as the parameters say
  kDefault,  // boosting, a forest and lines, cross-fitted: rounds, weights and sureness come from
             // the data
  kBest,     // a portfolio of unlike settings, cross-fitted, weighted by what they are worth
};

// "fast", "default" or "best"; throws ParameterError with the nearest names.
SIMPLEXBOOST_API Quality find_quality(std::string_view name);
SIMPLEXBOOST_API std::string_view quality_name(Quality quality);

// Whether plain training is cross-fitted (kDefault), where nothing is said of rounds, algorithms or
// rows for validation: one label a row, rows enough, and no more than a hundred million values of
// features and probabilities.
SIMPLEXBOOST_API bool cross_fits_by_itself(const Dataset& data);

struct QualityOptions {
  Quality quality = Quality::kBest;
  int folds = 0;  // 0: as the number of rows suggests
  // A number a row, rows of the same number in the same fold (a patient, a writer); empty: each row
  // for itself.
  std::vector<std::uint32_t> groups = {};
  // Settings that join those of the portfolio, before them: the winner of a search, say.
  std::vector<Parameters> members = {};
  // Seconds after which no further member is begun, and the rounds of the one at hand end. What
  // comes of it depends on the machine then; 0: no limit, and the model depends on data, parameters
  // and seed alone.
  double budget = 0;
  // In the place of the ensemble, one model that is trained on its probabilities: much smaller and
  // faster, and not quite as good. For one label a row.
  bool distil = false;
  Progress* progress = nullptr;
  // Keeps the rounds of all trainings so far, as TrainOptions::checkpoint does.
  CheckpointOptions checkpoint = {};
};

// What QualityOptions::distil costs: figures of rows that neither had seen, the size of model files
// and the seconds that a thousand rows take one thread, in this order of the ensemble and of the
// model.
struct DistilCost {
  double error[2] = {};
  double log_loss[2] = {};
  std::size_t bytes[2] = {};
  double seconds[2] = {};
};

struct QualityResult {
  Model model;
  // Of the training rows, rows x classes, each by models that had not seen its fold: class scores,
  // and the probabilities that the estimate of the model is made from. Empty for kFast.
  Matrix oof_scores = {};
  Matrix oof_proba = {};
  std::optional<DistilCost> distilled = {};  // where `model` is
  // The share of the training rows that equal another in every feature, where it is a fifth or more
  // and there are no groups: if those are the same case, the estimate is too good.
  double repeats = 0;
};

// The parameters are those of every member, but for what a member is made of (docs/quality.md): a
// learning rate, leaves, an l2 and so on that are given stay. `rounds` is the most that one may
// have where it is above the default, 100. Throws as train() does.
SIMPLEXBOOST_API QualityResult train_quality(const Dataset& data, const Parameters& parameters,
                                             const QualityOptions& options);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
