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

// The values of features and the probabilities of one member that a rank has then, at most.
inline constexpr std::int64_t kMostGatheredNumbers = 100'000'000;

// How many these are, of the rows of all ranks. All ranks call it together, as what follows.
std::int64_t count_gathered_numbers(const Dataset& share, Communicator& ranks);

// All ranks' rows, in their order and with codes that mean the same, on each of them. What a share
// says of its source stays.
Dataset gather_all_rows(const Dataset& share, Communicator& ranks);

// As the public ones: of shares of the rows, and of rows that all ranks have; so have all ranks
// the result.
bool cross_fits_by_itself(const Dataset& share, Communicator& ranks);
QualityResult train_quality(const Dataset& data, const Parameters& parameters,
                            const QualityOptions& options, Communicator& ranks);

}  // namespace simplexboost
