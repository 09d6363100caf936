// Models for other programs, and models of other programs. What a format cannot hold is refused
// with a ModelError that names it; nothing is left out in silence.
#pragma once

#include <string>
#include <string_view>

#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

struct OnnxOptions {
  // The operators of ai.onnx.ml 3 (TreeEnsembleRegressor) in the place of TreeEnsemble (5), for
  // runtimes that do not know it yet.
  bool classic = false;
  // Features come in single precision. Cuts are rounded so that a row of floats goes where the
  // model sends it; in double precision (the default) every row does.
  bool single = false;
};

struct TreeliteOptions {
  // Scores in the place of probabilities, for models whose probabilities are no softmax.
  bool raw = false;
  // Scores without their linear terms, which are among the attributes for whoever runs the model to
  // add. Without it a model that has such terms is refused.
  bool linear_aside = false;
};

// The bytes of an ONNX file. Its sums are taken in the order of ours, so that scores are the same
// bits wherever a runtime adds floats as IEEE 754 says.
SIMPLEXBOOST_API std::string to_onnx(const Model& model, const OnnxOptions& options = {});

// The model as JSON for people: schema, link, and each tree as nested tests and leaves.
SIMPLEXBOOST_API std::string to_json(const Model& model);

// The model as one header of C99 and C++11 that needs nothing else, allocates nothing and keeps its
// constants with the program. Its functions begin with `name`, which must be an identifier.
SIMPLEXBOOST_API std::string to_header(const Model& model, const std::string& name = "model");

// The bytes of a Treelite checkpoint (treelite.Model.deserialize), which TL2cgen compiles, too. An
// ensemble has a target for each member; their weights are among the attributes.
SIMPLEXBOOST_API std::string to_treelite(const Model& model, const TreeliteOptions& options = {});

// A multiclass or binary model of XGBoost (JSON, UBJSON) or LightGBM (text) that predicts the same
// from the same numbers. Classes are named by their numbers. Throws ModelError where the bytes are
// no such model, with the place, or are one that ours cannot be, with what it is.
SIMPLEXBOOST_API Model import_model(std::string_view bytes);
SIMPLEXBOOST_API Model import_model_file(const std::string& path);

// Writes what one of these gave as Model::save() writes a model: the old file or the new one.
SIMPLEXBOOST_API void write_file(const std::string& path, std::string_view bytes);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
