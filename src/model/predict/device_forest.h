// The trees of an ensemble in the memory of a device, and prediction of many rows there: the
// numbers of Predictor and of the link, to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "cuda/device.h"
#include "cuda/device_rows.h"
#include "model/ensemble.h"
#include "model/predict/model_devices.h"
#include "model/predict/packed_forest.h"
#include "model/predict/predictor.h"

namespace simplexboost {

class DeviceForest {
 public:
  // The ensemble and its predictor must outlive it. Its trees have neither filters of images nor
  // linear parts.
  DeviceForest(std::shared_ptr<Device> device, const Ensemble& ensemble,
               const Predictor& predictor);

  // Whether the device tells that by itself; it always tells outputs, of which Predictor and the
  // link make the rest.
  bool tells(Prediction what) const;
  std::size_t columns(Prediction what) const;
  static std::size_t number_size(Prediction what);  // in bytes

  // After the first `rounds` rounds, some rows at a time: as many as the device has room for. The
  // values, rows x columns, are there until `use` returns.
  using Use = std::function<void(std::size_t first, std::size_t rows, const std::byte* values)>;
  void predict(const Dataset& data, std::size_t rounds, int threads, Prediction what,
               const Use& use);
  // The same to the memory of the device.
  void predict_there(const Dataset& data, std::size_t rounds, int threads, Prediction what,
                     std::byte* out);

  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  std::size_t rows_at_once(const Dataset& data, Prediction what) const;
  // Calls done(first, rows, values there) for blocks of rows.
  template <class Done>
  void for_blocks(const Dataset& data, std::size_t rounds, int threads, Prediction what,
                  std::byte* out, const Done& done);
  void tell(const Dataset& data, std::size_t begin, std::size_t end, std::size_t trees, int threads,
            Prediction what, std::byte* out);
  void add_trees(const DeviceColumn* columns, std::size_t rows, std::size_t trees, float* out);

  std::shared_ptr<Device> device_;
  const Ensemble& ensemble_;
  const Predictor& predictor_;
  std::mutex mutex_;  // one prediction at a time
  DeviceRows rows_;
  DeviceArray<PackedNode> nodes_;
  DeviceArray<PackedTree> trees_;
  DeviceArray<std::uint32_t> set_words_;
  DeviceArray<float> values_;
  DeviceArray<std::uint64_t> entry_ends_;
  DeviceArray<std::uint32_t> entry_outputs_;
  DeviceArray<float> entry_values_;
  DeviceArray<float> bias_;
  DeviceArray<float> codewords_;
  DeviceArray<double> half_diagonal_;
  DeviceArray<double> half_below_;
  DeviceArray<float> outputs_;
  DeviceArray<float> scores_;
  DeviceArray<std::byte> told_;
};

}  // namespace simplexboost
