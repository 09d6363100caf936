// An ONNX graph as it is built: nodes in their order, each naming what it takes; constants. Field
// numbers are those of onnx.proto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/protobuf.h"

namespace simplexboost {

// TensorProto.DataType.
enum class OnnxType : std::int64_t {
  kFloat = 1,
  kUint8 = 2,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kDouble = 11
};

using Dims = std::vector<std::int64_t>;

// Attributes of a node.
class OnnxAttributes {
 public:
  OnnxAttributes& integer(std::string_view name, std::int64_t value);
  OnnxAttributes& integers(std::string_view name, std::span<const std::int64_t> values);
  OnnxAttributes& strings(std::string_view name, std::span<const std::string_view> values);
  OnnxAttributes& tensor(std::string_view name, const ProtoMessage& value);

  std::span<const ProtoMessage> all() const { return all_; }

 private:
  std::vector<ProtoMessage> all_;
};

// Tensors as messages.
ProtoMessage onnx_tensor(OnnxType type, const Dims& dims, std::string_view raw);
ProtoMessage onnx_numbers(std::span<const double> values, OnnxType type, const Dims& dims);

inline constexpr std::string_view kOnnxTrees = "ai.onnx.ml";

class OnnxGraph {
 public:
  using Inputs = std::vector<std::string>;

  // Appends a node and returns the name of its output.
  std::string node(std::string_view op, const Inputs& inputs, const OnnxAttributes& attributes = {},
                   std::string_view domain = "");
  // The same with an output that has this name.
  void named(std::string_view name, std::string_view op, const Inputs& inputs,
             const OnnxAttributes& attributes = {}, std::string_view domain = "");

  // Constants.
  std::string floats(std::span<const float> values, const Dims& dims);
  std::string doubles(std::span<const double> values, const Dims& dims);
  std::string integers(std::span<const std::int64_t> values, const Dims& dims);
  std::string integers(std::span<const std::int64_t> values) {
    return integers(values, {static_cast<std::int64_t>(values.size())});
  }
  std::string strings(std::span<const std::string> values);
  std::string flags(std::span<const bool> values, const Dims& dims);
  std::string number(double value) { return doubles({&value, 1}, {}); }

  std::string cast(const std::string& input, OnnxType type);
  // Columns (or what the axis says) of a constant list.
  std::string pick(const std::string& input, std::span<const std::int64_t> places,
                   std::int64_t axis);
  std::string reshape(const std::string& input, const Dims& dims);

  // What the model takes and gives; a dimension of -1 is the number of rows.
  void input(std::string_view name, OnnxType type, const Dims& dims);
  void output(std::string_view name, OnnxType type, const Dims& dims);

  // The bytes so far, to see when a file grows too large.
  std::size_t bytes() const { return bytes_; }
  ProtoMessage message(std::string_view name) const;

 private:
  std::string constant(ProtoMessage tensor);
  std::string new_name() { return "t" + std::to_string(names_++); }
  static ProtoMessage value_info(std::string_view name, OnnxType type, const Dims& dims);

  std::size_t names_ = 0;
  std::size_t bytes_ = 0;
  std::vector<ProtoMessage> nodes_;
  std::vector<ProtoMessage> constants_;
  std::vector<ProtoMessage> inputs_;
  std::vector<ProtoMessage> outputs_;
};

}  // namespace simplexboost
