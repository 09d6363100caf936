// How well a model does on labelled data: predicts block by block, so that memory does not follow
// rows x classes, and gathers the errors.
#pragma once

#include <cstddef>

#include "metric/confusion.h"
#include "metric/log_loss.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

struct Evaluation {
  std::size_t rows = 0;
  std::size_t wrong_rows = 0;
  std::size_t unknown_rows = 0;  // their class is none of the model's: counted as errors
  Confusion confusion{0};        // weighted, as the data is
  LogLoss log_loss;              // NaN where the model has no probabilities
};

// So many rows make blocks of scores of moderate size, whatever the number of classes.
std::size_t rows_per_block(std::size_t classes);

// `data` must be read with the model's schema and have one label a row; DataError otherwise.
Evaluation evaluate(const Model& model, const Dataset& data, const PredictOptions& options = {});

}  // namespace simplexboost
