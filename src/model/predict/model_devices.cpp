#include "model/predict/model_devices.h"

#include <algorithm>
#include <cstring>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/device_memory.h"
#include "model/model_access.h"
#include "model/predict/device_forest.h"
#include "simplexboost/on_device.h"

namespace simplexboost {
namespace {

// Fewer take longer to get there and back than to be predicted here.
constexpr std::size_t kFewestRows = 64;
constexpr std::size_t kRowsOfTask = 1024;

}  // namespace

DeviceForest* device_for(const Model& model, const Dataset& data) {
  const bool elsewhere = !data.columns.empty() && memory_of(data.columns[0]);
  if (data.rows < kFewestRows && !elsewhere) return nullptr;
  return Model::Access::state(model).device.get();
}

template <class Number>
std::optional<std::vector<Number>> predict_by_device(const Model& model, const Dataset& data,
                                                     std::size_t rounds, int threads,
                                                     Prediction what) {
  DeviceForest* const device = device_for(model, data);
  if (!device || !device->tells(what)) return std::nullopt;
  const std::size_t columns = device->columns(what);
  require_memory("predictions", data.rows, columns, sizeof(Number));
  std::vector<Number> result(data.rows * columns);
  device->predict(data, rounds, threads, what,
                  [&](std::size_t first, std::size_t rows, const std::byte* values) {
                    std::memcpy(result.data() + first * columns, values,
                                rows * columns * sizeof(Number));
                  });
  return result;
}

template std::optional<std::vector<float>> predict_by_device(const Model&, const Dataset&,
                                                             std::size_t, int, Prediction);
template std::optional<std::vector<double>> predict_by_device(const Model&, const Dataset&,
                                                              std::size_t, int, Prediction);
template std::optional<std::vector<std::int32_t>> predict_by_device(const Model&, const Dataset&,
                                                                    std::size_t, int, Prediction);

std::optional<PredictedThere> predict_to_device(const Model& model, const Dataset& data,
                                                int threads, Prediction what) {
  const std::size_t rounds = check_predicted(model, data, 0);
  DeviceForest* const forest = device_for(model, data);
  if (!forest || !forest->tells(what)) return std::nullopt;
  const std::shared_ptr<Device> device = forest->device();
  const std::size_t columns = forest->columns(what);
  const std::size_t bytes = data.rows * columns * DeviceForest::number_size(what);
  const std::shared_ptr<std::byte> memory(
      static_cast<std::byte*>(device->allocate(bytes, "predictions")),
      [device](std::byte* p) { device->release(p); });
  forest->predict_there(data, rounds, threads, what, memory.get());
  return PredictedThere{memory, data.rows, columns, device->place()};
}

void score_blocks(const Model& model, const Dataset& data, std::size_t rounds, int threads,
                  const Predictor::BlockUse& use) {
  const Predictor& predictor = predictor_of(model);
  DeviceForest* const device = device_for(model, data);
  if (!device) return predictor.score_blocks(data, rounds, threads, use);
  // What it does not tell by itself is made here of what it does.
  const Prediction what =
      device->tells(Prediction::kScores) ? Prediction::kScores : Prediction::kOutputs;
  const std::size_t columns = device->columns(what);
  device->predict(data, rounds, threads, what,
                  [&](std::size_t first, std::size_t rows, const std::byte* values) {
                    const auto* const numbers = reinterpret_cast<const float*>(values);
                    parallel_blocks(resolve_threads(threads), rows, kRowsOfTask,
                                    [&](std::size_t begin, std::size_t end) {
                                      Matrix some{end - begin, columns, {}};
                                      some.values.assign(numbers + begin * columns,
                                                         numbers + end * columns);
                                      if (what == Prediction::kOutputs)
                                        some = predictor.class_scores(std::move(some), 1);
                                      use(first + begin, some);
                                    });
                  });
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Model on_device(const Model& model, const std::string& device) {
  const auto& state = Model::Access::state(model);
  auto moved = std::make_shared<Model::Access::State>(state.ensemble);
  const Forest& forest = state.ensemble->forest;
  if (names_device(device)) {
    // A mirror does not follow addresses within the device's memory, which columns hold.
    const std::shared_ptr<Device> opened = open_device(device == "checked" ? "cuda" : device);
    if (forest.filters.empty() && forest.linear_features.empty())
      moved->device = std::make_shared<DeviceForest>(opened, *moved->ensemble, moved->predictor);
  }
  return Model::Access::make(std::move(moved));
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
