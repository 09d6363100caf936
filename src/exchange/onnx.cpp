#include <fmt/format.h>

#include "base/text/json.h"
#include "exchange/limits.h"
#include "exchange/model_parts.h"
#include "exchange/onnx_parts.h"
#include "model/model_access.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::string_view kInput = "features";

void require_size(std::size_t bytes, const ExportLimits& limits) {
  if (bytes > limits.onnx_bytes)
    throw ModelError(fmt::format(
        "the model takes {:.1f} GiB as ONNX, whose files end at 2 GiB (protocol buffers); train "
        "with fewer rounds or leaves",
        static_cast<double>(bytes) / 0x1p30));
}

// What the tables of leaves alone take, before memory is spent on them.
void require_small_tables(const Ensemble& ensemble, const ExportLimits& limits) {
  std::size_t numbers = ensemble.codewords.size();
  for (const TreeSpan& tree : ensemble.forest.trees)
    numbers += std::size_t{tree.leaves} * tree.width;
  require_size(numbers * sizeof(float), limits);
}

// Class names that are numbers come out as numbers.
void write_label(OnnxGraph& graph, const Ensemble& ensemble, const std::string& scores) {
  const std::vector<std::string>& classes = ensemble.schema.classes;
  if (ensemble.schema.multi_label) {
    const std::string above =
        graph.node("Greater", {scores, graph.cast(graph.number(0), OnnxType::kFloat)});
    graph.named("label", "Cast", {above},
                OnnxAttributes().integer("to", static_cast<std::int64_t>(OnnxType::kInt64)));
    graph.output("label", OnnxType::kInt64, {-1, static_cast<std::int64_t>(classes.size())});
    return;
  }
  const std::string best =
      graph.node("ArgMax", {scores}, OnnxAttributes().integer("axis", 1).integer("keepdims", 0));
  const std::vector<std::int64_t> numbers = class_numbers(classes);
  graph.named("label", "Gather",
              {numbers.empty() ? graph.strings(classes) : graph.integers(numbers), best});
  graph.output("label", numbers.empty() ? OnnxType::kString : OnnxType::kInt64, {-1});
}

// For those who must make the input: names, and what the codes of categories mean.
std::string schema_json(const Schema& schema) {
  Json features = Json::array();
  for (const FeatureSchema& feature : schema.features) {
    Json one = {{"name", feature.name}};
    if (feature.type == FeatureType::kCategorical) one["categories"] = feature.categories;
    features.push_back(std::move(one));
  }
  return features.dump();
}

ProtoMessage pair_message(std::string_view key, std::string_view value) {
  ProtoMessage message;
  message.bytes(1, key);
  message.bytes(2, value);
  return message;
}

ProtoMessage opset(std::string_view domain, std::int64_t version) {
  ProtoMessage message;
  message.bytes(1, domain);
  message.number(2, version);
  return message;
}

std::string model_bytes(const Ensemble& ensemble, const OnnxGraph& graph, bool classic,
                        const ExportLimits& limits) {
  ProtoMessage model;
  model.number(1, classic ? 8 : 10);  // the versions of the format that know these operators
  model.bytes(2, "simplexboost");
  model.bytes(3, SIMPLEXBOOST_VERSION);
  model.message(7, graph.message("simplexboost"));
  model.message(8, opset("", 17));
  model.message(8, opset(kOnnxTrees, classic ? 3 : 5));
  model.message(14, pair_message("algorithm", ensemble.algorithm));
  model.message(14, pair_message("features", schema_json(ensemble.schema)));
  model.message(14, pair_message("classes", Json(ensemble.schema.classes).dump()));
  require_size(model.text().size(), limits);
  return model.take();
}

}  // namespace

std::string onnx_bytes(const Model& model, const OnnxOptions& options, const ExportLimits& limits) {
  const Ensemble& ensemble = ensemble_of(model);
  require_no_filters(ensemble, "ONNX");
  require_utf8_names(ensemble.schema, "ONNX");
  require_small_tables(ensemble, limits);
  if (ensemble.schema.features.empty())
    throw ModelError("the model has no features; ONNX has no trees without them");
  const auto classes = static_cast<std::int64_t>(ensemble.classes());
  OnnxGraph graph;
  const std::string input(kInput);
  graph.input(kInput, options.single ? OnnxType::kFloat : OnnxType::kDouble,
              {-1, static_cast<std::int64_t>(ensemble.schema.features.size())});
  const std::string features = onnx_features(graph, ensemble, input, options);
  const std::string outputs = onnx_outputs(graph, ensemble, features, options);
  require_size(graph.bytes(), limits);
  const std::string scores = onnx_scores(graph, ensemble, outputs);
  write_label(graph, ensemble, scores);
  const auto to_float = OnnxAttributes().integer("to", static_cast<std::int64_t>(OnnxType::kFloat));
  if (model.has_proba()) {
    graph.named("probabilities", "Cast", {onnx_probabilities(graph, ensemble, scores)}, to_float);
    graph.output("probabilities", OnnxType::kFloat, {-1, classes});
  }
  graph.named("scores", "Identity", {scores});
  graph.output("scores", OnnxType::kFloat, {-1, classes});
  return model_bytes(ensemble, graph, options.classic, limits);
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::string to_onnx(const Model& model, const OnnxOptions& options) {
  return onnx_bytes(model, options, {});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
