// Numbers in the memory of a device get the bins that they would get here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "cuda/device_columns.h"
#include "cuda/test_device.h"
#include "data/binned_dataset.h"

namespace simplexboost {
namespace {

using testing::test_device;

// A matrix of numbers, row by row, here and on the device.
class TwoPlaces {
 public:
  TwoPlaces(std::size_t rows, std::size_t columns, std::uint64_t seed)
      : device_(open_device(test_device() == "checked" ? "cuda" : test_device())),
        there_(*device_, "rows"),
        values_(rows * columns) {
    Random random(seed);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::size_t j = i % columns;
      values_[i] = static_cast<float>(random.normal());
      if (j % 3 == 1) values_[i] = std::round(4 * values_[i]) / 4;  // few values, -0 among them
      if (j % 2 == 1 && random.below(9) == 0) values_[i] = std::numeric_limits<float>::quiet_NaN();
    }
    there_.upload(values_);
    device_->wait();
    const auto memory = device_memory(device_);
    for (Dataset* data : {&here, &there}) {
      data->rows = rows;
      for (std::size_t j = 0; j < columns; ++j) {
        Column column;
        column.schema.name = "x" + std::to_string(j);
        column.scalar = Scalar::kFloat32;
        column.stride = static_cast<std::ptrdiff_t>(columns * sizeof(float));
        const float* const first = (data == &here ? values_.data() : there_.data()) + j;
        column.data = reinterpret_cast<const std::byte*>(first);
        if (data == &there) column.owner = device_owner(first, {memory, nullptr});
        data->columns.push_back(column);
      }
    }
  }

  Dataset here;
  Dataset there;

 private:
  std::shared_ptr<Device> device_;
  DeviceArray<float> there_;
  std::vector<float> values_;
};

void expect_same_bins(const TwoPlaces& places, int max_bins) {
  const std::vector<FeatureBins> wanted = choose_bins(places.here, {max_bins, 1});
  const std::vector<FeatureBins> bins = choose_bins(places.there, {max_bins, 2});
  for (std::size_t f = 0; f < wanted.size(); ++f) {
    EXPECT_EQ(bins[f].thresholds, wanted[f].thresholds) << f;
    EXPECT_EQ(bins[f].has_missing, wanted[f].has_missing) << f;
  }
  const BinnedDataset here(places.here, wanted, 1);
  // Even where they might share bytes.
  const BinnedDataset there(places.there, bins, 1, {}, ByteUse::kShared);
  ASSERT_EQ(here.wide(), there.wide());
  here.visit([&]<class Bin>(const Bin*) {
    for (std::size_t f = 0; f < here.features(); ++f)
      for (std::size_t i = 0; i < here.rows(); ++i)
        ASSERT_EQ(here.values<Bin>(f)[i], there.values<Bin>(f)[i]) << f << ", " << i;
  });
}

TEST(DeviceBinning, OfFewRows) {
  const TwoPlaces places(3000, 7, 1);
  for (const int max_bins : {2, 17, 256, 5000}) expect_same_bins(places, max_bins);
}

TEST(DeviceBinning, OfWeightedRows) {
  TwoPlaces places(2000, 4, 2);
  Random random(3);
  for (std::size_t i = 0; i < places.here.rows; ++i)
    places.here.weights.push_back(random.below(3) == 0 ? 0 : random.uniform());
  places.there.weights = places.here.weights;
  expect_same_bins(places, 64);
}

TEST(DeviceBinning, OfRowsThatAreSampled) {
  TwoPlaces places(2 * kBinningSample + 4321, 2, 4);
  expect_same_bins(places, 256);
  places.here.weights.assign(places.here.rows, 1);
  for (std::size_t i = 0; i < places.here.rows; i += 7) places.here.weights[i] = 0;
  places.there.weights = places.here.weights;
  expect_same_bins(places, 100);
}

// More rows than come here as a whole: distinct values are looked for there.
TEST(DeviceBinning, OfColumnsThatStayThere) {
  TwoPlaces places(20'011, 4, 7);
  for (const int max_bins : {2, 20, 256, 3000}) expect_same_bins(places, max_bins);
  places.here.weights.assign(places.here.rows, 1);
  for (std::size_t i = 0; i < places.here.rows; ++i)
    if (i % 64 != 3) places.here.weights[i] = 0;
  places.there.weights = places.here.weights;
  expect_same_bins(places, 400);
}

// As many passes as there may be: the first part has other values in each of its rows, and none of
// the other parts has any of these.
TEST(DeviceBinning, FindsEveryValueInFewPasses) {
  constexpr std::size_t kRows = std::size_t{64} * 300;
  const std::shared_ptr<Device> device =
      open_device(test_device() == "checked" ? "cuda" : test_device());
  std::vector<double> values(kRows, -1);
  for (std::size_t i = 0; i < kRows; i += kRows / 64) values[i] = static_cast<double>(i) - 500;
  DeviceArray<double> there(*device, "rows");
  there.upload(values);
  device->wait();
  Column column;
  column.scalar = Scalar::kFloat64;
  column.stride = sizeof(double);
  column.data = reinterpret_cast<const std::byte*>(there.data());
  const auto memory = device_memory(device);
  std::vector<double> known;
  std::size_t passes = 0;
  for (;; ++passes) {
    ASSERT_LE(passes, 64U);
    const UnseenValues found = memory->unseen(column, kRows, {}, known);
    EXPECT_FALSE(found.missing);
    if (found.values.empty()) break;
    known.insert(known.end(), found.values.begin(), found.values.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
  }
  EXPECT_EQ(passes, 64U);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  EXPECT_EQ(known, values);
}

TEST(DeviceBinning, CopiesComeHere) {
  const TwoPlaces places(500, 3, 5);
  const Dataset some = select_rows(places.there, {4, 400, 4, 17});
  const Dataset wanted = select_rows(places.here, {4, 400, 4, 17});
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_FALSE(memory_of(some.columns[j]));
    std::vector<double> a(4);
    std::vector<double> b(4);
    some.columns[j].copy(0, 4, a.data());
    wanted.columns[j].copy(0, 4, b.data());
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
  }
}

TEST(DeviceBinning, FindsInfinity) {
  TwoPlaces places(500, 2, 6);
  const Column& column = places.there.columns[1];
  EXPECT_FALSE(memory_of(column)->holds_infinity(column, 500));
}

}  // namespace
}  // namespace simplexboost
