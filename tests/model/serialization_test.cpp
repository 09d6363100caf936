#include "model/file/serialization.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "model/file/safetensors.h"
#include "model/random_ensemble.h"
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
  const std::string bytes = serialize(random_ensemble({}, 2));
  TensorFile file = parse_safetensors(bytes_of(bytes));
  file.metadata["format_version"] = "6";
  try {
    deserialize(bytes_of(write_safetensors(file)));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("upgrade simplexboost"), std::string::npos);
  }
}

TEST(Serialization, WhatIsRareIsWrittenOnlyWhereItIs) {
  Ensemble ensemble = random_ensemble({}, 4);
  const auto has = [&](const char* name) {
    const std::string bytes = serialize(ensemble);
    EXPECT_TRUE(deserialize(bytes_of(bytes)) == ensemble);
    return parse_safetensors(bytes_of(bytes)).tensors.contains(name);
  };
  EXPECT_TRUE(has("trees.counter"));
  for (TreeSpan& tree : ensemble.forest.trees) tree.minus_output = kNoOutput;
  EXPECT_FALSE(has("trees.counter"));
  EXPECT_FALSE(has("link_shift"));
  ensemble.link = Link::kLogistic;
  ensemble.link_shift = 0.5;
  EXPECT_TRUE(has("link_shift"));
  LeafValues half(LeafPrecision::kBfloat16);
  half.append(ensemble.forest.leaf_values.copy(0, ensemble.forest.leaf_values.size()));
  ensemble.forest.leaf_values = half;
  EXPECT_TRUE(has("leaf_values"));
}

TEST(Serialization, WhatTrainingDecidedIsKept) {
  Ensemble ensemble = random_ensemble({}, 4);
  EXPECT_FALSE(parse_safetensors(bytes_of(serialize(ensemble))).tensors.contains("choices.weight"));
  ensemble.records = {
      {"the pool", 0, "", "", {{"folds", "5", "by size"}}},
      {"newton", 0.75, "the default", "", {{"l2", "0.3", ""}, {"leaves", "16", "x"}}},
      {"linear", 0, "slopes", "a trial found nothing", {}}};
  const std::string bytes = serialize(ensemble);
  EXPECT_TRUE(deserialize(bytes_of(bytes)) == ensemble);
  TensorFile file = parse_safetensors(bytes_of(bytes));
  const std::vector<std::uint64_t> ends{1, 4, 3};
  file.tensors["choices.end"].bytes = std::as_bytes(std::span(ends));
  EXPECT_THROW(deserialize(bytes_of(write_safetensors(file))), ModelError);
}

// As version 0.1 wrote it: a checksum of the arrays alone, and an older number.
TEST(Serialization, OlderFilesAreRead) {
  Ensemble ensemble = random_ensemble({}, 5);
  ensemble.link = Link::kLogistic;
  ensemble.link_shift = 0.5;
  std::string bytes = serialize(ensemble);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kSafetensorsPrefix);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data()) + 8 + length;
  const std::string sum = fmt::format("{:08x}", crc32_z(0, data, bytes.size() - 8 - length));
  const std::size_t key = bytes.find("file_crc32");
  bytes.replace(key, 10, "data_crc32");
  bytes.replace(key + 13, 8, sum);
  const std::string version = R"("format_version":")";
  for (const char number : {'1', '2', '3', '4'}) {
    bytes[bytes.find(version) + version.size()] = number;
    EXPECT_TRUE(deserialize(bytes_of(bytes)) == ensemble) << number;
  }
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THROW(deserialize(bytes_of(bytes)), ModelError);
}

TEST(Serialization, AFileWithoutItsChecksumIsRefused) {
  std::string bytes = serialize(random_ensemble({}, 6));
  bytes.replace(bytes.find("file_crc32"), 10, "file_crc33");
  EXPECT_THROW(deserialize(bytes_of(bytes)), ModelError);
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
    // Without counters, no tree has one.
    if (name != "trees.counter") {
      EXPECT_THROW(deserialize(bytes_of(write_safetensors(file))), ModelError) << name;
    }
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
