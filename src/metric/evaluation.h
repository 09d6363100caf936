// Predicts labelled data and gathers what the metrics need.
#pragma once

#include <cstddef>

#include "base/communicator.h"
#include "metric/tally.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// So many rows make blocks of scores of moderate size, whatever the number of classes.
std::size_t rows_per_block(std::size_t classes);

// What an evaluation gathers unless told otherwise.
inline constexpr unsigned kUsualParts = kTallyProbabilities | kTallyConfusion;

// `data` must be read with the model's schema and have the model's kind of labels, one a row or
// sets of them; DataError otherwise. With several ranks it is a rank's share of the rows, fitted to
// those of the others (data/rows/row_shares.h), and all get what there is to say of all rows.
Evaluation tally_model(const Model& model, const Dataset& data, const PredictOptions& options = {},
                       unsigned parts = kUsualParts, Communicator& ranks = no_others());

}  // namespace simplexboost
