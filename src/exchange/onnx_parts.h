// The parts of an ONNX graph that is a model: trees, sums of what their leaves say, class scores
// and probabilities. Each appends its nodes and returns the name of what comes out, rows x
// something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/onnx_graph.h"
#include "model/ensemble.h"
#include "simplexboost/exchange.h"

namespace simplexboost {

// The features as the trees want them: codes of categories whole, and NaN where they are negative.
std::string onnx_features(OnnxGraph& graph, const Ensemble& ensemble, const std::string& input,
                          const OnnxOptions& options);

// A column for each tree, rows x trees: the number of the leaf that a row falls into or, where
// `by_value` says so, the only number that the leaf holds. Vector leaves want the former: a leaf of
// TreeEnsemble speaks of one target.
std::string onnx_trees(OnnxGraph& graph, const Ensemble& ensemble, const std::string& features,
                       const std::vector<bool>& by_value, const OnnxOptions& options);

// The outputs f of the forest in single precision, rows x outputs.
std::string onnx_outputs(OnnxGraph& graph, const Ensemble& ensemble, const std::string& features,
                         const OnnxOptions& options);

// The class scores u in single precision, rows x classes.
std::string onnx_scores(OnnxGraph& graph, const Ensemble& ensemble, const std::string& outputs);

// The probabilities in double precision, rows x classes.
std::string onnx_probabilities(OnnxGraph& graph, const Ensemble& ensemble,
                               const std::string& scores);

// start + the first of `terms` + the second ..., rows x width, added one by one as our predictor
// does; `start` is rows x 1 x width, each of `terms` rows x some x width.
class OnnxSum {
 public:
  OnnxSum(OnnxGraph& graph, std::string start) : graph_(graph), state_(std::move(start)) {}
  void add(const std::string& terms, std::int64_t count);
  // rows x width
  std::string result(std::int64_t width);

 private:
  OnnxGraph& graph_;
  std::string state_;
};

// How many terms of this width are added at a time: what a runtime keeps of a row stays bounded.
std::size_t onnx_group(std::size_t width);

// Constants as rows x 1 x width.
std::string onnx_rows(OnnxGraph& graph, const std::string& like, std::span<const float> values);

}  // namespace simplexboost
