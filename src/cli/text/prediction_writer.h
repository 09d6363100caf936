// Predictions as CSV, written while rows come in; those that say how sure the model is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/text/output.h"
#include "simplexboost/certainty.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {

// Writes a header, and then a line a row.
class PredictionWriter {
 public:
  virtual ~PredictionWriter() = default;
  virtual void begin(TextOutput& out) = 0;
  virtual void write(const Dataset& data, TextOutput& out) = 0;
};

// class_1,probability_1,class_2,...: the likeliest classes.
std::unique_ptr<PredictionWriter> top_writer(const Model& model, std::size_t count,
                                             const PredictOptions& options);

// size,set: how many classes, and their names between bars; bars and backslashes within a name
// have a backslash before them.
std::unique_ptr<PredictionWriter> set_writer(const Model& model, const SetOptions& sets,
                                             const PredictOptions& options);

// prediction,cost: the class of least expected cost, nothing where that is above `abstain_above`.
std::unique_ptr<PredictionWriter> cost_writer(const Model& model, std::vector<float> costs,
                                              std::optional<double> abstain_above,
                                              const PredictOptions& options);

}  // namespace simplexboost::cli
