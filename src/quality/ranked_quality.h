// Cross-fitting by several ranks. It asks for the probabilities of all rows and classes again and
// again, so each rank has all rows, and the trainings are dealt out: a fold to each rank in turn.
// The model is that of one rank, since trainings know nothing of each other.
#pragma once

#include <cstdint>

#include "base/communicator.h"
#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"
#include "simplexboost/quality.h"

namespace simplexboost {

// The values of features (of sparse columns those that are stored) and the probabilities of one
// member, which each rank has then; and the most that are cross-fitted without being asked, by any
// number of ranks, and by several of them at all.
struct CrossFitSize {
  std::int64_t values = 0;
  std::int64_t most = 0;
  bool too_large() const { return values > most; }
};

// Of the rows of all ranks, which call it together, as what follows. SIMPLEXBOOST_CROSS_FIT_VALUES
// in the environment is another limit; the least of any rank holds.
CrossFitSize cross_fit_size(const Dataset& share, Communicator& ranks);

// What training is where nothing is said of rounds, algorithms or rows for validation.
enum class PlainTraining {
  kFast,         // as the parameters say: several labels a row, or few rows
  kCrossFitted,  // Quality::kDefault
  kLarge,        // one, for data beyond CrossFitSize (large_training() in portfolio.h)
};
PlainTraining plain_training(const Dataset& share, Communicator& ranks);

// All ranks' rows, in their order and with codes that mean the same, on each of them. What a share
// says of its source stays.
Dataset gather_all_rows(const Dataset& share, Communicator& ranks);

// As the public one, of rows that all ranks have; so have all ranks the result.
QualityResult train_quality(const Dataset& data, const Parameters& parameters,
                            const QualityOptions& options, Communicator& ranks);

}  // namespace simplexboost
