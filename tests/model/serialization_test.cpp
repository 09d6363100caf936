#include "model/serialization.h"

#include <gtest/gtest.h>

#include "model/random_ensemble.h"
#include "model/safetensors.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Serialization, RoundTripGivesTheSameModelAndTheSameBytes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Ensemble ensemble = random_ensemble({6, 4, seed % 2 == 0 ? 4UL : 3UL, 4, 2, 9}, seed);
    const std::string bytes = serialize(ensemble);
    const Ensemble back = deserialize(bytes_of(bytes));
    EXPECT_TRUE(back == ensemble);
    EXPECT_EQ(serialize(back), bytes);
  }
}

TEST(Serialization, ModelWithoutRoundsSurvives) {
  const Ensemble ensemble = random_ensemble({0, 2, 2, 0, 0, 0}, 1);
  EXPECT_TRUE(deserialize(bytes_of(serialize(ensemble))) == ensemble);
}

TEST(Serialization, NewerFormatAsksForAnUpgrade) {
  std::string bytes = serialize(random_ensemble({}, 2));
  const std::string key = "\"format_version\":\"";
  bytes[bytes.find(key) + key.size()] = '5';
  try {
    deserialize(bytes_of(bytes));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("upgrade simplexboost"), std::string::npos);
  }
}

TEST(Serialization, VersionOneHoldsWhatItCan) {
  Ensemble ensemble = random_ensemble({}, 4);
  const auto version = [](const Ensemble& of) {
    return parse_safetensors(bytes_of(serialize(of))).metadata.at("format_version");
  };
  EXPECT_EQ(version(ensemble), "2");
  for (TreeSpan& tree : ensemble.forest.trees) tree.counter = kNoOutput;
  EXPECT_EQ(version(ensemble), "1");
  EXPECT_TRUE(deserialize(bytes_of(serialize(ensemble))) == ensemble);
  ensemble.link = Link::kLogistic;
  ensemble.link_shift = 0.5;
  EXPECT_EQ(version(ensemble), "3");
  EXPECT_TRUE(deserialize(bytes_of(serialize(ensemble))) == ensemble);
  LeafValues half(LeafPrecision::kBfloat16);
  half.append(ensemble.forest.leaf_values.copy(0, ensemble.forest.leaf_values.size()));
  ensemble.forest.leaf_values = half;
  EXPECT_EQ(version(ensemble), "4");
  EXPECT_TRUE(deserialize(bytes_of(serialize(ensemble))) == ensemble);
}

TEST(Serialization, OtherSafetensorsFilesAreRefused) {
  EXPECT_THROW(deserialize(bytes_of(write_safetensors({}))), ModelError);
}

TEST(Serialization, ArraysOfTheWrongTypeOrSizeAreRefusedByName) {
  const std::string bytes = serialize(random_ensemble({}, 3));
  const std::vector<float> wrong(3);
  for (const auto& [name, tensor] : parse_safetensors(bytes_of(bytes)).tensors) {
    TensorFile file = parse_safetensors(bytes_of(bytes));
    file.tensors.erase(name);
    EXPECT_THROW(deserialize(bytes_of(write_safetensors(file))), ModelError) << name;
    file.tensors[name] = Tensor{Dtype::kF32, {3}, std::as_bytes(std::span(wrong))};
    EXPECT_THROW(deserialize(bytes_of(write_safetensors(file))), ModelError) << name;
  }
}

TEST(KeepRounds, LeavesASoundModelOfTheFirstRounds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Ensemble ensemble = random_ensemble({}, seed);
    keep_rounds(ensemble.forest, seed % 6);
    EXPECT_NO_THROW(check_ensemble(ensemble));
    EXPECT_EQ(ensemble.forest.rounds(), seed % 6);
    EXPECT_EQ(ensemble.forest.trees.size(), 2 * (seed % 6));
  }
}

}  // namespace
}  // namespace simplexboost
