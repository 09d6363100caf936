#include "bindings/model.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/threads/parallel.h"
#include "bindings/arrays.h"
#include "bindings/custom_loss.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "model/predict/model_devices.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"
#include "simplexboost/model.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

// Calls a prediction without Python's lock.
template <auto kPredict>
auto predict(const Model& model, const Table& table, std::size_t rounds, int threads) {
  return to_array(unlocked([&] {
    return (model.*kPredict)(table.data(), PredictOptions{threads, rounds});
  }));
}

nb::ndarray<nb::numpy, float> predict_pair_proba(const Model& model, const Table& table,
                                                 const nb::object& pair, int threads) {
  const std::shared_ptr<const GammaPhi> functions = make_pair(pair);
  return to_array(unlocked([&] {
    return model.predict_proba(table.data(), *functions, PredictOptions{threads, 0});
  }));
}

nb::ndarray<nb::numpy, std::uint32_t> predict_leaves(const Model& model, const Table& table,
                                                     std::size_t rounds, int threads) {
  std::vector<std::uint32_t> leaves = unlocked([&] {
    return model.predict_leaves(table.data(), PredictOptions{threads, rounds});
  });
  const std::size_t rows = table.data().rows;
  const std::size_t trees = model.forest().trees_of(rounds == 0 ? model.rounds() : rounds);
  return to_array<std::uint32_t, 2>(std::move(leaves), {rows, trees});
}

nb::ndarray<nb::numpy, float> staged_scores(StagedScores& self, std::size_t rounds) {
  return to_array(unlocked([&] { return self.after(rounds); }));
}

// In double precision: users sum and compare probabilities. Rounded they are the command's.
nb::ndarray<nb::numpy, double> to_proba(const Model& model, Matrix scores, int threads) {
  std::vector<double> result = unlocked([&] {
    constexpr std::size_t kRowBlock = 1024;
    std::vector<double> proba(scores.values.size());
    parallel_blocks(resolve_threads(threads), scores.rows, kRowBlock,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i)
                        model.scores_to_proba({scores.row(i), scores.columns},
                                              {proba.data() + i * scores.columns, scores.columns});
                    });
    return proba;
  });
  return to_array<double, 2>(std::move(result), {scores.rows, scores.columns});
}

nb::ndarray<nb::numpy, double> predict_proba(const Model& model, const Table& table, int threads) {
  if (model.has_proba()) {
    auto told = unlocked([&] {
      return predict_by_device<double>(model, table.data(), check_predicted(model, table.data(), 0),
                                       threads, Prediction::kDoubleProba);
    });
    if (told)
      return to_array<double, 2>(std::move(*told),
                                 {table.data().rows, model.schema().classes.size()});
  }
  return to_proba(model, unlocked([&] {
                    return model.predict_scores(table.data(), PredictOptions{threads, 0});
                  }),
                  threads);
}

nb::ndarray<nb::numpy, double> scores_to_proba(const Model& model, const MatrixView32& scores) {
  Matrix copy{scores.shape(0), scores.shape(1), {}};
  if (copy.columns != model.schema().classes.size())
    throw ModelError("there must be a score for each class");
  copy.values.assign(scores.data(), scores.data() + scores.size());
  return to_proba(model, std::move(copy), 1);
}

nb::bytes to_bytes(const Model& model) {
  const std::vector<std::byte> bytes = model.to_bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

Model from_bytes(const nb::bytes& bytes) {
  return Model::from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()});
}

// For other programs.
nb::bytes onnx_bytes(const Model& model, bool classic, bool single) {
  const std::string bytes = unlocked([&] { return to_onnx(model, {classic, single}); });
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes treelite_bytes(const Model& model, bool raw, bool linear_aside) {
  const std::string bytes = unlocked([&] { return to_treelite(model, {raw, linear_aside}); });
  return nb::bytes(bytes.data(), bytes.size());
}

nb::dict training_log(const Model& model) {
  nb::dict result;
  for (const std::string& name : model.log().columns)
    result[name.c_str()] = to_array(model.log().column(name));
  return result;
}

nb::object codewords(const Model& model) {
  std::vector<float> matrix = model.codewords();
  if (matrix.empty()) return nb::none();
  return nb::cast(to_array<float, 2>(std::move(matrix),
                                     {model.schema().classes.size(), model.forest().outputs}));
}

// features x 2: gains and splits.
nb::ndarray<nb::numpy, double> importance(const Model& model) {
  std::vector<double> result(2 * model.schema().features.size());
  for (const FeatureImportance& one : model.importance()) {
    result[2 * one.feature] = one.gain;
    result[2 * one.feature + 1] = static_cast<double>(one.splits);
  }
  return to_array<double, 2>(std::move(result), {model.schema().features.size(), 2});
}

nb::ndarray<nb::numpy, double> class_importances(const Model& model, bool gain) {
  return to_array<double, 2>(model.class_importance(gain),
                             {model.schema().features.size(), model.schema().classes.size()});
}

nb::dict tree(const Model& model, std::size_t number) {
  const Forest& forest = model.forest();
  if (number >= forest.trees.size()) throw nb::index_error("the model has not so many trees");
  const TreeSpan& span = forest.trees[number];
  std::vector<std::int32_t> left, right;
  std::vector<std::uint32_t> feature;
  std::vector<double> threshold;
  std::vector<float> gain;
  std::vector<bool> categorical, missing_left;
  nb::list tests;
  for (std::uint32_t i = span.node_begin; i < span.node_end; ++i) {
    const Node& node = forest.nodes[i];
    left.push_back(node.left);
    right.push_back(node.right);
    feature.push_back(node.feature);
    threshold.push_back(node.threshold);
    missing_left.push_back(node.missing_left);
    categorical.push_back(node.categorical);
    if (!forest.node_gain.empty()) gain.push_back(forest.node_gain[i]);
    tests.append(model.test_text(node));
  }
  nb::dict result;
  result["left"] = to_array(std::move(left));
  result["right"] = to_array(std::move(right));
  result["feature"] = to_array(std::move(feature));
  result["threshold"] = to_array(std::move(threshold));
  result["gain"] = to_array(std::move(gain));
  result["categorical"] = nb::cast(categorical);
  result["missing_left"] = nb::cast(missing_left);
  result["test"] = tests;
  result["output"] = span.output;
  std::vector<float> values;
  for (std::size_t leaf = 0; leaf < span.leaves; ++leaf) {
    const std::vector<float> one = leaf_vector(forest, span, leaf);
    values.insert(values.end(), one.begin(), one.end());
  }
  result["values"] = to_array<float, 2>(std::move(values), {span.leaves, span.width});
  return result;
}

// {"method", "rows", figure: (value, low, high), "classes": {class: {figure: ...}}}, or None.
nb::object estimate(const Model& model) {
  if (!model.estimate()) return nb::none();
  nb::dict result;
  nb::dict classes;
  result["method"] = model.estimate()->method;
  result["rows"] = model.estimate()->rows;
  for (const EstimateFigure& figure : model.estimate()->figures) {
    std::string name = figure.name;
    std::replace(name.begin(), name.end(), '-', '_');
    const nb::tuple values = nb::make_tuple(figure.value, figure.low, figure.high);
    if (figure.label < 0) {
      result[name.c_str()] = values;
      continue;
    }
    const nb::bytes label(model.schema().classes[static_cast<std::size_t>(figure.label)].data(),
                          model.schema().classes[static_cast<std::size_t>(figure.label)].size());
    const nb::object key = label.attr("decode")("utf-8", "surrogateescape");
    if (!classes.contains(key)) classes[key] = nb::dict();
    nb::cast<nb::dict>(classes[key])[name.c_str()] = values;
  }
  result["classes"] = classes;
  return result;
}

nb::list members(const Model& model) {
  nb::list result;
  for (const MemberWeight& member : model.members())
    result.append(nb::make_tuple(member.name, member.weight));
  return result;
}

// Files and bytes, ours and of other programs.
void bind_files(nb::class_<Model>& model) {
  model.def_static("load", &Model::load, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Model::save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("from_bytes", &from_bytes, "data"_a)
      .def_static(
          "import_bytes",
          [](const nb::bytes& bytes) {
            return import_model({bytes.c_str(), bytes.size()});
          },
          "data"_a)
      .def_static("import_file", &import_model_file, "path"_a,
                  nb::call_guard<nb::gil_scoped_release>())
      .def("to_bytes", &to_bytes)
      .def("to_onnx", &onnx_bytes, "classic"_a = false, "single"_a = false)
      .def("to_header", &to_header, "name"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("to_treelite", &treelite_bytes, "raw"_a = false, "linear_aside"_a = false)
      .def("to_json", &to_json, nb::call_guard<nb::gil_scoped_release>());
}

// What it says of rows.
void bind_predictions(nb::class_<Model>& model) {
  model.def("predict", &predict<&Model::predict>, "table"_a, "rounds"_a = 0, "threads"_a = 0)
      .def("predict_proba", &predict_proba, "table"_a, "threads"_a = 0)
      .def("predict_pair_proba", &predict_pair_proba, "table"_a, "pair"_a, "threads"_a = 0)
      .def_prop_ro("has_proba", &Model::has_proba)
      .def("predict_scores", &predict<&Model::predict_scores>, "table"_a, "rounds"_a = 0,
           "threads"_a = 0)
      .def("predict_outputs", &predict<&Model::predict_outputs>, "table"_a, "rounds"_a = 0,
           "threads"_a = 0)
      .def("predict_margins", &predict<&Model::predict_margins>, "table"_a, "rounds"_a = 0,
           "threads"_a = 0)
      .def("predict_leaves", &predict_leaves, "table"_a, "rounds"_a = 0, "threads"_a = 0)
      .def("scores_to_proba", &scores_to_proba, "scores"_a);
}

// What it is.
void bind_facts(nb::class_<Model>& model) {
  model.def_prop_ro("rounds", &Model::rounds)
      .def_prop_ro("estimate", &estimate, "Expected figures on new rows, or None.")
      .def_prop_ro("members", &members, "Names and weights of pooled members.")
      .def_prop_ro("trees", [](const Model& self) { return self.forest().trees.size(); })
      .def_prop_ro("outputs", [](const Model& self) { return self.forest().outputs; })
      .def_prop_ro("classes", [](const Model& self) { return self.schema().classes; })
      .def_prop_ro("multi_label", [](const Model& self) { return self.schema().multi_label; })
      .def_prop_ro("named", [](const Model& self) { return self.schema().named; })
      .def_prop_ro("label_columns", [](const Model& self) { return self.schema().label_columns; })
      .def_prop_ro("feature_names",
                   [](const Model& self) {
                     Names names;
                     for (const FeatureSchema& feature : self.schema().features)
                       names.push_back(feature.name);
                     return names;
                   })
      .def_prop_ro("categories",
                   [](const Model& self) {
                     nb::list result;  // of each feature, None where it is numeric
                     for (const FeatureSchema& feature : self.schema().features)
                       result.append(feature.type == FeatureType::kCategorical
                                         ? nb::cast(feature.categories)
                                         : nb::none());
                     return result;
                   })
      .def_prop_ro("algorithm", [](const Model& self) { return self.algorithm(); })
      .def_prop_ro("parameters", [](const Model& self) { return self.parameters(); })
      .def_prop_ro("log", &training_log)
      .def_prop_ro("stop_reason", [](const Model& self) { return self.log().stop_reason; })
      .def_prop_ro("codewords", &codewords)
      .def("importance", &importance)
      .def("class_importance", &class_importances, "gain"_a);
}

}  // namespace

void bind_model(nb::module_& module) {
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        write_file(path, {content.c_str(), content.size()});
      },
      "path"_a, "content"_a);
  nb::class_<Model> bound(module, "Model", "A trained ensemble; never changes.");
  bind_files(bound);
  bind_predictions(bound);
  bind_facts(bound);
  bound
      .def(
          "__init__",
          [](Model* self, const nb::bytes& content) { new (self) Model(from_bytes(content)); },
          "content"_a, "From the bytes of a model file.")
      // A call of the constructor, which is all that readers need trust that run no code (skops).
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(),
                                   nb::make_tuple(to_bytes(nb::cast<const Model&>(self))));
           })
      .def("__setstate__",  // pickles of 0.1
           [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes)); })
      .def("tree", &tree, "number"_a)
      .def("tree_text", [](const Model& self, std::size_t number) {
        if (number >= self.forest().trees.size())
          throw nb::index_error("the model has not so many trees");
        return self.tree_text(number);
      });
  nb::class_<StagedScores>(module, "Stages", "Class scores after more and more rounds.")
      .def(
          "__init__",
          [](StagedScores* self, const Model& model, const Table& table, int threads) {
            new (self) StagedScores(model, table.data(), threads);
          },
          "model"_a, "table"_a, "threads"_a = 0)
      .def("scores", &staged_scores, "rounds"_a);
}

}  // namespace simplexboost::python
