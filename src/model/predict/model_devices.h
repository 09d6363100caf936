// Prediction by the device of a model (on_device.h), where it has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/predict/predictor.h"
#include "simplexboost/model.h"

namespace simplexboost {

class DeviceForest;

// What is asked of rows: numbers of single precision but for the last two.
enum class Prediction : std::uint8_t { kOutputs, kScores, kProba, kDoubleProba, kClasses };

// The device that shall predict these rows; null: none, or so few rows that it is not worth while.
DeviceForest* device_for(const Model& model, const Dataset& data);

// Throws unless the model can predict these rows, and has so many rounds; returns how many are
// meant, all of them by 0.
std::size_t check_predicted(const Model& model, const Dataset& data, std::size_t rounds);

// What the device tells of rows after so many rounds, row by row; nothing: the processor's turn.
template <class Number>
std::optional<std::vector<Number>> predict_by_device(const Model& model, const Dataset& data,
                                                     std::size_t rounds, int threads,
                                                     Prediction what);

// What stays in the memory of the device, rows x columns.
struct PredictedThere {
  std::shared_ptr<std::byte> memory;
  std::size_t rows;
  std::size_t columns;
  std::string place;  // "cuda:0"
};
// Of all rounds; nothing where the model has no device, or that one does not tell it by itself.
std::optional<PredictedThere> predict_to_device(const Model& model, const Dataset& data,
                                                int threads, Prediction what);

// Predictor::score_blocks(), by the device or here.
void score_blocks(const Model& model, const Dataset& data, std::size_t rounds, int threads,
                  const Predictor::BlockUse& use);

}  // namespace simplexboost
