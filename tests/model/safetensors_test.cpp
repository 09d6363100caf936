#include "model/file/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// A file of the given header and data, without a checksum.
std::string file_of(const std::string& header, std::size_t data = 0) {
  const std::uint64_t length = header.size();
  std::string bytes(kSafetensorsPrefix, '\0');
  std::memcpy(bytes.data(), &length, kSafetensorsPrefix);
  return bytes + header + std::string(data, '\0');
}

TensorFile parse(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes)));
}

std::string refusal(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

#define EXPECT_REFUSED(bytes, why) \
  EXPECT_NE(refusal(bytes).find(why), std::string::npos) << refusal(bytes)

TEST(Safetensors, RoundTripKeepsArraysAndMetadata) {
  const std::vector<std::uint8_t> small = {1, 2, 3};
  const std::vector<double> wide = {0.5, -1e300, 3, 4};
  TensorFile file;
  file.metadata = {{"who", "\u00fcmlaut \" \\"}, {"empty", ""}};
  file.tensors["a small"] = {Dtype::kU8, {3}, std::as_bytes(std::span(small))};
  file.tensors["b wide"] = {Dtype::kF64, {2, 2}, std::as_bytes(std::span(wide))};
  file.tensors["none"] = {Dtype::kF32, {0, 5}, {}};
  const std::string bytes = write_safetensors(file);
  const TensorFile back = parse(bytes);
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), 3U);
  for (const auto& [name, tensor] : file.tensors) {
    const Tensor& read = back.tensors.at(name);
    EXPECT_EQ(read.dtype, tensor.dtype);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_TRUE(
        std::equal(read.bytes.begin(), read.bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
    EXPECT_EQ(static_cast<std::size_t>(read.bytes.data() - std::as_bytes(std::span(bytes)).data()) %
                  dtype_size(read.dtype),
              0U);
  }
}

TEST(Safetensors, AcceptsWhatOthersWrite) {
  EXPECT_EQ(parse(file_of("{}")).tensors.size(), 0U);
  const auto file = parse(file_of(
      R"({"x":{"shape":[],"data_offsets":[0,2],"dtype":"BF16"}, "__metadata__":{"a":"b"}}   )", 2));
  EXPECT_EQ(file.tensors.at("x").shape.size(), 0U);
  EXPECT_EQ(file.metadata.at("a"), "b");
}

TEST(Safetensors, RefusesLengthsThatDoNotFit) {
  EXPECT_REFUSED("", "shorter than 8 bytes");
  EXPECT_REFUSED("{}", "shorter than 8 bytes");
  EXPECT_REFUSED(std::string(8, '\0'), "not a JSON object");
  EXPECT_REFUSED(std::string(20, '\xff'), "does not begin with the length of a header");
  EXPECT_REFUSED(file_of("{}").substr(0, 9), "ends within its header");
  EXPECT_REFUSED(file_of("{}", 3), "3 bytes follow the last array");
}

TEST(Safetensors, RefusesHeadersOfAnotherShape) {
  EXPECT_REFUSED(file_of("[]"), "not a JSON object");
  EXPECT_REFUSED(file_of("{"), "not valid JSON at byte");
  EXPECT_REFUSED(file_of("{} {}"), "not valid JSON at byte");
  EXPECT_REFUSED(file_of("{\"\xff\":{}}"), "not valid JSON at byte");
  EXPECT_REFUSED(file_of(R"({"x":1})"), "a number where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":null})"), "null where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":"y"})"), "a string where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":[1]})"), "a list where none belongs");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":1}})"), "a number where none belongs");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":{}}})"), "an object where none belongs");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":["b"]}})"), "a list where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{}})"), "lacks its dtype, shape or data_offsets");
  EXPECT_REFUSED(file_of(R"({"x":{"colour":"red"}})"), "a field that the format does not know");
  EXPECT_REFUSED(file_of(R"({"x":{"dtype":"F31"}})"), "unknown dtype");
  EXPECT_REFUSED(file_of(R"({"x":{"dtype":["U8"]}})"), "a list where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":"U8"}})"), "a string where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":[-1]}})"), "a negative number where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":[1.5]}})"), "a fraction where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":[[1]]}})"), "a list where none belongs");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":[true]}})"), "a truth value where none belongs");
}

TEST(Safetensors, RefusesWhatAppearsTwice) {
  const std::string x = R"("x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_REFUSED(file_of("{" + x + "," + x + "}"), "array 'x' appears twice");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{},"__metadata__":{}})"), "two __metadata__");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":"","a":""}})"), "metadata 'a' appears twice");
  EXPECT_REFUSED(file_of(R"({"x":{"dtype":"U8","dtype":"U8"}})"), "has two of dtype");
  EXPECT_REFUSED(file_of(R"({"x":{"shape":[],"shape":[]}})"), "has two of shape");
}

TEST(Safetensors, RefusesArraysThatDoNotFitTheData) {
  const auto array = [](const char* shape, const char* offsets) {
    return std::string(R"({"dtype":"F32","shape":)") + shape + R"(,"data_offsets":)" + offsets +
           "}";
  };
  EXPECT_REFUSED(file_of("{\"x\":" + array("[1]", "[0,4,8]") + "}", 8), "two data_offsets");
  EXPECT_REFUSED(file_of("{\"x\":" + array("[1]", "[4,0]") + "}", 4), "outside the file");
  EXPECT_REFUSED(file_of("{\"x\":" + array("[2]", "[0,8]") + "}", 4), "outside the file");
  EXPECT_REFUSED(file_of("{\"x\":" + array("[2]", "[0,4]") + "}", 4), "do not fit its shape");
  EXPECT_REFUSED(file_of("{\"x\":" + array("[4611686018427387904]", "[0,0]") + "}"),
                 "do not fit its shape");
  EXPECT_REFUSED(file_of("{\"x\":" + array("[4294967296,4294967297]", "[0,4]") + "}", 4),
                 "do not fit its shape");
  EXPECT_REFUSED(
      file_of("{\"x\":" + array("[1]", "[0,4]") + ",\"y\":" + array("[1]", "[0,4]") + "}", 4),
      "overlap or leave gaps");
  EXPECT_REFUSED(
      file_of("{\"x\":" + array("[1]", "[0,4]") + ",\"y\":" + array("[1]", "[8,12]") + "}", 12),
      "overlap or leave gaps");
}

TEST(Safetensors, DeepNestingIsRefusedWithoutDescending) {
  const std::size_t depth = 1'000'000;
  std::string lists = R"({"x":{"shape":)" + std::string(depth, '[');
  std::string objects = "{";
  for (std::size_t i = 0; i < depth; ++i) objects += R"("x":{)";
  EXPECT_REFUSED(file_of(lists), "where none belongs");
  EXPECT_REFUSED(file_of(objects), "");
  EXPECT_NE(refusal(file_of(objects)), "accepted");
}

TEST(Safetensors, ChangedDataFailsTheChecksum) {
  const std::vector<float> values = {1, 2, 3};
  TensorFile file;
  file.tensors["x"] = {Dtype::kF32, {3}, std::as_bytes(std::span(values))};
  std::string bytes = write_safetensors(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_REFUSED(bytes, "does not match its checksum");
}

}  // namespace
}  // namespace simplexboost
