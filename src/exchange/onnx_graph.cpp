#include "exchange/onnx_graph.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace simplexboost {
namespace {

static_assert(std::endian::native == std::endian::little, "raw tensors are little-endian");

template <class Number>
std::string_view raw_bytes(std::span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// AttributeProto.AttributeType.
constexpr std::int64_t kInteger = 2;
constexpr std::int64_t kTensor = 4;
constexpr std::int64_t kIntegers = 7;
constexpr std::int64_t kStrings = 8;

ProtoMessage attribute(std::string_view name, std::int64_t type) {
  ProtoMessage message;
  message.bytes(1, name);
  message.number(20, type);
  return message;
}

ProtoMessage tensor_head(OnnxType type, const Dims& dims) {
  ProtoMessage message;
  message.numbers(1, dims);
  message.number(2, static_cast<std::int64_t>(type));
  return message;
}

}  // namespace

OnnxAttributes& OnnxAttributes::integer(std::string_view name, std::int64_t value) {
  all_.push_back(attribute(name, kInteger));
  all_.back().number(3, value);
  return *this;
}

OnnxAttributes& OnnxAttributes::integers(std::string_view name,
                                         std::span<const std::int64_t> values) {
  all_.push_back(attribute(name, kIntegers));
  all_.back().numbers(8, values);
  return *this;
}

OnnxAttributes& OnnxAttributes::strings(std::string_view name,
                                        std::span<const std::string_view> values) {
  all_.push_back(attribute(name, kStrings));
  for (const std::string_view value : values) all_.back().bytes(9, value);
  return *this;
}

OnnxAttributes& OnnxAttributes::tensor(std::string_view name, const ProtoMessage& value) {
  all_.push_back(attribute(name, kTensor));
  all_.back().message(5, value);
  return *this;
}

ProtoMessage onnx_tensor(OnnxType type, const Dims& dims, std::string_view raw) {
  ProtoMessage message = tensor_head(type, dims);
  message.bytes(9, raw);
  return message;
}

ProtoMessage onnx_numbers(std::span<const double> values, OnnxType type, const Dims& dims) {
  if (type == OnnxType::kDouble) return onnx_tensor(type, dims, raw_bytes(values));
  std::vector<float> singles(values.size());
  std::transform(values.begin(), values.end(), singles.begin(),
                 [](double value) { return static_cast<float>(value); });
  return onnx_tensor(OnnxType::kFloat, dims, raw_bytes(std::span<const float>(singles)));
}

void OnnxGraph::named(std::string_view name, std::string_view op, const Inputs& inputs,
                      const OnnxAttributes& attributes, std::string_view domain) {
  ProtoMessage message;
  for (const std::string& input : inputs) message.bytes(1, input);
  message.bytes(2, name);
  message.bytes(3, std::string(op) + "_" + std::string(name));
  message.bytes(4, op);
  for (const ProtoMessage& one : attributes.all()) message.message(5, one);
  if (!domain.empty()) message.bytes(7, domain);
  bytes_ += message.text().size();
  nodes_.push_back(std::move(message));
}

std::string OnnxGraph::node(std::string_view op, const Inputs& inputs,
                            const OnnxAttributes& attributes, std::string_view domain) {
  std::string name = new_name();
  named(name, op, inputs, attributes, domain);
  return name;
}

std::string OnnxGraph::constant(ProtoMessage tensor) {
  std::string name = new_name();
  tensor.bytes(8, name);
  bytes_ += tensor.text().size();
  constants_.push_back(std::move(tensor));
  return name;
}

std::string OnnxGraph::floats(std::span<const float> values, const Dims& dims) {
  return constant(onnx_tensor(OnnxType::kFloat, dims, raw_bytes(values)));
}

std::string OnnxGraph::doubles(std::span<const double> values, const Dims& dims) {
  return constant(onnx_tensor(OnnxType::kDouble, dims, raw_bytes(values)));
}

std::string OnnxGraph::integers(std::span<const std::int64_t> values, const Dims& dims) {
  return constant(onnx_tensor(OnnxType::kInt64, dims, raw_bytes(values)));
}

std::string OnnxGraph::flags(std::span<const bool> values, const Dims& dims) {
  return constant(onnx_tensor(OnnxType::kBool, dims, raw_bytes(values)));
}

std::string OnnxGraph::strings(std::span<const std::string> values) {
  ProtoMessage tensor = tensor_head(OnnxType::kString, {static_cast<std::int64_t>(values.size())});
  for (const std::string& value : values) tensor.bytes(6, value);
  return constant(std::move(tensor));
}

std::string OnnxGraph::cast(const std::string& input, OnnxType type) {
  return node("Cast", {input}, OnnxAttributes().integer("to", static_cast<std::int64_t>(type)));
}

std::string OnnxGraph::pick(const std::string& input, std::span<const std::int64_t> places,
                            std::int64_t axis) {
  return node("Gather", {input, integers(places)}, OnnxAttributes().integer("axis", axis));
}

std::string OnnxGraph::reshape(const std::string& input, const Dims& dims) {
  return node("Reshape", {input, integers(dims)});
}

ProtoMessage OnnxGraph::value_info(std::string_view name, OnnxType type, const Dims& dims) {
  ProtoMessage shape;
  for (const std::int64_t dim : dims) {
    ProtoMessage one;
    if (dim < 0)
      one.bytes(2, "rows");
    else
      one.number(1, dim);
    shape.message(1, one);
  }
  ProtoMessage tensor;
  tensor.number(1, static_cast<std::int64_t>(type));
  tensor.message(2, shape);
  ProtoMessage kind;
  kind.message(1, tensor);
  ProtoMessage info;
  info.bytes(1, name);
  info.message(2, kind);
  return info;
}

void OnnxGraph::input(std::string_view name, OnnxType type, const Dims& dims) {
  inputs_.push_back(value_info(name, type, dims));
}

void OnnxGraph::output(std::string_view name, OnnxType type, const Dims& dims) {
  outputs_.push_back(value_info(name, type, dims));
}

ProtoMessage OnnxGraph::message(std::string_view name) const {
  ProtoMessage graph;
  for (const ProtoMessage& one : nodes_) graph.message(1, one);
  graph.bytes(2, name);
  for (const ProtoMessage& one : constants_) graph.message(5, one);
  for (const ProtoMessage& one : inputs_) graph.message(11, one);
  for (const ProtoMessage& one : outputs_) graph.message(12, one);
  return graph;
}

}  // namespace simplexboost
