// Prediction on a device gives the numbers of prediction on the processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "boosting/labelled_data.h"
#include "cuda/test_device.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/on_device.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::test_device;

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void expect_same(const Model& model, const Dataset& data, const std::string& device,
                 const std::string& what) {
  const Model there = on_device(model, device);
  for (const std::size_t rounds : {std::size_t{0}, model.rounds() / 2}) {
    const PredictOptions options{2, rounds};
    EXPECT_TRUE(same_bits(model.predict_scores(data, options).values,
                          there.predict_scores(data, options).values))
        << what;
    EXPECT_TRUE(same_bits(model.predict_outputs(data, options).values,
                          there.predict_outputs(data, options).values))
        << what;
    EXPECT_EQ(model.predict(data, options), there.predict(data, options)) << what;
    if (model.has_proba()) {
      EXPECT_TRUE(same_bits(model.predict_proba(data, options).values,
                            there.predict_proba(data, options).values))
          << what;
    }
  }
}

TEST(DevicePrediction, RandomEnsembles) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    EnsembleShape shape;
    shape.classes = 2 + seed % 7;
    shape.outputs = seed % 3 == 0 ? shape.classes : shape.classes - (seed % 2);
    shape.rounds = 2 + seed % 20;
    shape.max_nodes = 1 + 3 * (seed % 9);
    const Model model = make_model(random_ensemble(shape, seed));
    expect_same(model, random_data(model.schema(), 100 + 37 * seed, seed), test_device(),
                "seed " + std::to_string(seed));
  }
}

TEST(DevicePrediction, PooledEnsembles) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Model model = make_model(random_pooled_ensemble(seed));
    expect_same(model, random_data(model.schema(), 300, seed), test_device(),
                "pooled, seed " + std::to_string(seed));
  }
}

TEST(DevicePrediction, OfTrainedModels) {
  const Dataset data = labelled_data({900, 5, 6, true, 0.2}, 21);
  for (const char* algorithm : {"newton", "gd-mcboost", "adaboost-mh", "samme", "forest"}) {
    Parameters parameters;
    parameters.rounds = 5;
    parameters.algorithm = algorithm;
    expect_same(train(data, parameters), data, test_device(), algorithm);
  }
  Parameters parameters;
  parameters.rounds = 4;
  parameters.loss = "savage";
  expect_same(train(data, parameters), data, test_device(), "savage");
}

// Columns of every kind of number, sparse ones, and a choice of rows.
TEST(DevicePrediction, OfColumnsOfEveryKind) {
  EnsembleShape shape{5, 3, 3, 6, 2, 20};
  const Model model = make_model(random_ensemble(shape, 5));
  Dataset data = random_data(model.schema(), 500, 6);
  std::vector<float> single(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) single[i] = static_cast<float>(i % 17) / 8 - 1;
  Column floats = data.columns[0];
  floats.scalar = Scalar::kFloat32;
  floats.data = reinterpret_cast<const std::byte*>(single.data());
  floats.stride = sizeof(float);
  data.columns[0] = floats;
  std::vector<std::int8_t> bytes(3 * data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) bytes[3 * i] = static_cast<std::int8_t>(i % 5) - 2;
  Column strided = data.columns[1];
  strided.scalar = Scalar::kInt8;
  strided.data = reinterpret_cast<const std::byte*>(bytes.data());
  strided.stride = 3;
  data.columns[1] = strided;
  data.columns[3] = Column::sparse_numeric("x3", {3, 70, 333}, {0.5, -0.25, 1});
  expect_same(model, data, test_device(), "all rows");
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 300; ++i) rows.push_back(i * 7 % 500);
  expect_same(model, select_rows(data, rows), test_device(), "some rows");
}

// Blocks of rows where there is room for few.
TEST(DevicePrediction, DoesWithLittleMemory) {
  if (test_device() != "emulated") GTEST_SKIP() << "a GPU has the memory that it has";
  const Model model = make_model(random_ensemble({6, 9, 9, 30, 2, 15}, 3));
  const Dataset data = random_data(model.schema(), 5000, 4);
  std::size_t done = 0;
  for (std::size_t memory = 60'000; memory < 900'000; memory += 40'000) {
    try {
      expect_same(model, data, "emulated:" + std::to_string(memory), std::to_string(memory));
      ++done;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("has no room for"), std::string::npos);
      EXPECT_EQ(done, 0U) << memory;
    }
  }
  EXPECT_GT(done, 5U);
}

TEST(DevicePrediction, SaysWhatItCannot) {
  const Model model = make_model(random_ensemble({}, 1));
  EXPECT_THROW(static_cast<void>(on_device(model, "gpu")), ParameterError);
  EXPECT_THROW(static_cast<void>(on_device(model, "cuda:77")), ParameterError);
  EXPECT_EQ(on_device(model, "cpu").to_bytes(), model.to_bytes());
}

// As in training: nothing in the line speaks of that.
TEST(DevicePrediction, SaysThatTheDeviceIsLost) {
  const Dataset data = labelled_data({300, 3, 4, true, 0.1}, 21);
  Parameters parameters;
  parameters.rounds = 2;
  const Model there = on_device(train(data, parameters), "failing:1");
  try {
    for (int i = 0; i < 2; ++i) static_cast<void>(there.predict_proba(data));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(),
                 "the GPU failed in 'tell probabilities' (a failure for tests); start the program "
                 "again, or use --device cpu");
  }
}

}  // namespace
}  // namespace simplexboost
