// One setting trained once for each fold, on the rows of the others, and judged on those of the
// fold: how many rounds it wants, what it says of rows that it has not seen, and the mean of its
// trainings as one forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "base/files/checkpoint_file.h"
#include "data/binning.h"
#include "model/ensemble.h"
#include "quality/portfolio.h"
#include "simplexboost/model.h"

namespace simplexboost {

struct CrossFit {
  Ensemble ensemble;  // trees of all folds, round by round, their values over the number of folds
  Matrix proba;       // rows x classes, each row by the training that had not seen it
  std::size_t rounds = 0;   // that all trainings have, unless one ended before
  std::size_t trained = 0;  // that the longest training had, kept or not
  double seconds = 0;
  bool whole = true;               // false: it was stopped before every fold had a round
  std::optional<Model> part = {};  // then: of the fold with the most rounds
  std::string left_out = {};       // why there is none, which is no matter; empty: there is one

  bool has_model() const { return whole && left_out.empty(); }
};

// Whether to go on: asked after every round, from several threads.
class FitWatch {
 public:
  virtual ~FitWatch() = default;
  virtual bool go_on() = 0;
  // The same of what is no round of a member: nobody counts it.
  virtual bool may_go_on() const = 0;
};

// Where the trainings of the folds keep their rounds; null: nowhere.
struct FoldKeeper {
  CheckpointFile* file = nullptr;
  std::string name = {};  // of the setting, unlike all others
};

// A training: the number of the fold that it does not see, the rows that it does, and its threads.
struct TrainedFold {
  std::size_t number;
  const std::vector<std::uint32_t>& rows;
  int threads;
};

struct CrossFitOptions {
  // Each rank has all rows, and trains those of the folds that are dealt to it; what came of a fold
  // all get to know. Other work stays with the rank that does it.
  Communicator* ranks = &no_others();
  // Of the default number, chosen from all rows; null: each fold chooses.
  const std::vector<FeatureBins>* bins = nullptr;
  bool needed = false;  // every fold has a round at least, whatever the watch says
  FoldKeeper keeper = {};
  // What is made of the rows of a training before it begins; empty: nothing. Called from several
  // threads, once for each fold.
  std::function<Dataset(Dataset train, const TrainedFold& fold)> prepare = {};
  // Trees of a forest that the model keeps, of all folds together; 0: all. Rows are judged by all.
  std::size_t kept_trees = 0;
  // How much each row counts, times its weight, where rounds are chosen; null: all alike.
  const std::vector<double>* trust = nullptr;
  // Other work, given the number of its threads, which is done beside the last folds, when threads
  // would have nothing to do.
  std::vector<std::function<void(int threads)>> beside = {};
};

// Who does a job, the folds being numbered first, then what is done beside them.
inline int rank_of_job(std::size_t job, const Communicator& ranks) {
  return static_cast<int>(job % static_cast<std::size_t>(ranks.size()));
}

// The number of rounds is that of the least mean log loss (or error, as early-stopping-metric says)
// over the rows of all folds; the rows of a fold are judged after the number that the others
// suggest, so that what is said of them owes nothing to their labels.
CrossFit cross_fit(const Dataset& data, const MemberSetting& setting,
                   std::span<const std::uint16_t> fold_of_row, int folds, FitWatch& watch,
                   const CrossFitOptions& options);

// The same of a forest, trained once on all rows: what it says of a row comes from the trees that
// did not see it.
CrossFit bag_fit(const Dataset& data, const MemberSetting& setting, FitWatch& watch,
                 const CrossFitOptions& options);

}  // namespace simplexboost
