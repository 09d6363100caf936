#include "cuda/device_rows.h"

#include <cstring>

#include "base/threads/parallel.h"
#include "data/device_memory.h"

namespace simplexboost {
namespace {

bool is_there(const Device& device, const Column& column) {
  return memory_of(column) && memory_of(column)->place() == device.place();
}

// Columns of zeros but for a few rows, and those of other memory, come as numbers of double
// precision.
Scalar brought_as(const Column& column) {
  return column.sparse || memory_of(column) ? Scalar::kFloat64 : column.scalar;
}

std::size_t size_of_scalar(Scalar scalar) {
  return visit_scalar(scalar, []<class T>(T) { return sizeof(T); });
}

void stage(const Column& column, std::size_t begin, std::size_t end, std::byte* to) {
  if (column.sparse || memory_of(column))
    return column.copy(begin, end, reinterpret_cast<double*>(to));
  visit_scalar(column.scalar, [&]<class T>(T) {
    for (std::size_t i = begin; i < end; ++i, to += sizeof(T))
      std::memcpy(to, column.place(i), sizeof(T));
  });
}

}  // namespace

std::size_t DeviceRows::row_bytes(const Device& device, const Dataset& data,
                                  std::span<const std::uint32_t> features) {
  std::size_t bytes = 0;
  for (const std::uint32_t f : features)
    if (!is_there(device, data.columns[f])) bytes += size_of_scalar(brought_as(data.columns[f]));
  return bytes;
}

const DeviceColumn* DeviceRows::bring(const Dataset& data, std::span<const std::uint32_t> features,
                                      std::size_t begin, std::size_t end, int threads) {
  constexpr std::size_t kAlignment = 16;
  std::vector<std::size_t> places;
  std::size_t bytes = 0;
  for (const std::uint32_t f : features) {
    places.push_back(bytes);
    if (is_there(device_, data.columns[f])) continue;
    const std::size_t size = (end - begin) * size_of_scalar(brought_as(data.columns[f]));
    bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  staged_.resize(bytes);
  parallel_for(threads, features.size(), [&](std::size_t i) {
    const Column& column = data.columns[features[i]];
    if (!is_there(device_, column)) stage(column, begin, end, staged_.data() + places[i]);
  });
  values_.upload(staged_);
  std::vector<DeviceColumn> columns;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Column& column = data.columns[features[i]];
    const bool categorical = column.schema.type == FeatureType::kCategorical;
    if (is_there(device_, column)) {
      columns.push_back({column.place(begin), column.stride, column.scalar, categorical});
    } else {
      const Scalar scalar = brought_as(column);
      columns.push_back({values_.data() + places[i],
                         static_cast<std::int64_t>(size_of_scalar(scalar)), scalar, categorical});
    }
  }
  columns_.upload(columns);
  return columns_.data();
}

}  // namespace simplexboost
