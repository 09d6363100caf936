#include "cuda/device_columns.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "cuda/cuda_backend.h"
#include "cuda/kernels/binning_kernels.h"

namespace simplexboost {
namespace {

DeviceColumn column_there(const Column& column) {
  return {column.data, column.stride, column.scalar, false};
}

// Sums of those before each.
std::vector<std::uint64_t> sums_before(const std::vector<std::uint32_t>& counts) {
  std::vector<std::uint64_t> before(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), before.begin(), std::uint64_t{0});
  return before;
}

// One call at a time: a device has one queue, and its arrays are used again.
class MemoryOfDevice final : public DeviceMemory {
 public:
  explicit MemoryOfDevice(std::shared_ptr<Device> device)
      : device_(std::move(device)),
        counted_(*device_, "weights"),
        numbers_(*device_, "numbers"),
        found_(*device_, "numbers"),
        before_(*device_, "numbers"),
        place_(*device_, "numbers"),
        rows_(*device_, "a sample"),
        values_(*device_, "a sample"),
        known_(*device_, "a sample"),
        seen_(*device_, "a sample"),
        bins_(*device_, "bins") {}

  std::string place() const override { return device_->place(); }
  void fetch(void* to, const void* from, std::size_t size, std::ptrdiff_t stride,
             std::size_t count) const override {
    const std::lock_guard lock(mutex_);
    device_->fetch(to, from, size, stride, count);
  }
  std::uint64_t count_values(const Column& column, std::size_t rows,
                             const std::vector<double>& weights) const override {
    const std::lock_guard lock(mutex_);
    const std::vector<std::uint32_t> found = count_parts(column, rows, bring(weights), nullptr, {});
    return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
  }
  std::vector<SampledValue> sample(const Column& column, std::size_t rows,
                                   const std::vector<double>& weights,
                                   const Sampling& sampling) const override;
  UnseenValues unseen(const Column& column, std::size_t rows, const std::vector<double>& weights,
                      const std::vector<double>& known) const override;
  bool holds_infinity(const Column& column, std::size_t rows) const override {
    const std::lock_guard lock(mutex_);
    numbers_.resize(2);
    numbers_.clear();
    device_->run(FindInfinity{column_there(column), rows, numbers_.data()},
                 blocks_for(rows, FindInfinity::kThreads));
    return numbers_.download()[0] != 0;
  }
  std::vector<std::uint16_t> bins(const Column& column, std::size_t rows,
                                  const std::vector<double>& thresholds,
                                  std::uint32_t missing_bin) const override {
    const std::lock_guard lock(mutex_);
    values_.upload(thresholds);
    bins_.resize(rows);
    device_->run(FindBins{column_there(column), rows, values_.data(),
                          static_cast<std::uint32_t>(thresholds.size()), missing_bin, bins_.data()},
                 blocks_for(rows, FindBins::kThreads));
    return bins_.download();
  }

 private:
  // Which rows have weight; null: all.
  const std::uint8_t* bring(const std::vector<double>& weights) const {
    if (weights.empty()) return nullptr;
    std::vector<std::uint8_t> counted(weights.size());
    std::transform(weights.begin(), weights.end(), counted.begin(),
                   [](double weight) { return counts(0, weight) ? 1 : 0; });
    counted_.upload(counted);
    return counted_.data();
  }
  std::vector<std::uint32_t> count_parts(const Column& column, std::size_t rows,
                                         const std::uint8_t* counted, const std::uint64_t* before,
                                         const Sampling& sampling) const {
    const std::size_t parts = blocks_for(rows, kRowsOfPart);
    found_.resize(parts);
    device_->run(CountValues{column_there(column), rows, counted, before, sampling, found_.data()},
                 blocks_for(parts, CountValues::kThreads));
    return found_.download();
  }

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;
  mutable DeviceArray<std::uint8_t> counted_;
  mutable DeviceArray<std::int32_t> numbers_;
  mutable DeviceArray<std::uint32_t> found_;
  mutable DeviceArray<std::uint64_t> before_;
  mutable DeviceArray<std::uint64_t> place_;
  mutable DeviceArray<std::uint32_t> rows_;
  mutable DeviceArray<double> values_;
  mutable DeviceArray<double> known_;
  mutable DeviceArray<std::uint8_t> seen_;
  mutable DeviceArray<std::uint16_t> bins_;
};

std::vector<SampledValue> MemoryOfDevice::sample(const Column& column, std::size_t rows,
                                                 const std::vector<double>& weights,
                                                 const Sampling& sampling) const {
  const std::lock_guard lock(mutex_);
  const std::uint8_t* const counted = bring(weights);
  std::vector<std::uint64_t> before = sums_before(count_parts(column, rows, counted, nullptr, {}));
  for (std::uint64_t& number : before) number += sampling.first;
  before_.upload(before);
  const std::vector<std::uint32_t> taken =
      count_parts(column, rows, counted, before_.data(), sampling);
  const std::vector<std::uint64_t> places = sums_before(taken);
  place_.upload(places);
  const std::size_t all = taken.empty() ? 0 : places.back() + taken.back();
  rows_.resize(all);
  values_.resize(all);
  device_->run(TakeSample{column_there(column), rows, counted, before_.data(), place_.data(),
                          sampling, rows_.data(), values_.data()},
               blocks_for(taken.size(), TakeSample::kThreads));
  const std::vector<std::uint32_t> taken_rows = rows_.download();
  const std::vector<double> taken_values = values_.download();
  std::vector<SampledValue> result(all);
  for (std::size_t i = 0; i < all; ++i) result[i] = {taken_rows[i], taken_values[i]};
  return result;
}

UnseenValues MemoryOfDevice::unseen(const Column& column, std::size_t rows,
                                    const std::vector<double>& weights,
                                    const std::vector<double>& known) const {
  const std::lock_guard lock(mutex_);
  const std::size_t parts = blocks_for(rows, kRowsOfPart);
  known_.upload(known);
  values_.resize(parts);
  seen_.resize(parts);
  device_->run(FindUnseen{column_there(column), rows, parts, bring(weights), known_.data(),
                          static_cast<std::uint32_t>(known.size()), values_.data(), seen_.data()},
               blocks_for(parts, FindUnseen::kThreads));
  const std::vector<double> values = values_.download();
  const std::vector<std::uint8_t> seen = seen_.download();
  UnseenValues result;
  for (std::size_t i = 0; i < parts; ++i) {
    if ((seen[i] & FindUnseen::kUnseen) != 0) result.values.push_back(values[i]);
    result.missing = result.missing || (seen[i] & FindUnseen::kMissing) != 0;
  }
  return result;
}

}  // namespace

std::string place_of_memory(const std::string& name, const void* data) {
  if (name.starts_with("emulated")) return "emulated";
#if defined(SIMPLEXBOOST_CUDA)
  return "cuda:" + std::to_string(cuda_device_of(data));
#else
  static_cast<void>(data);
  throw ParameterError(
      "an array is in the memory of a GPU, and this build has no CUDA; copy it to the host first, "
      "or build with cmake --preset cuda (docs/gpu.md)");
#endif
}

std::shared_ptr<const DeviceMemory> device_memory(std::shared_ptr<Device> device) {
  return std::make_shared<const MemoryOfDevice>(std::move(device));
}

}  // namespace simplexboost
