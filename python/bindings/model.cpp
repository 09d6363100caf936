#include "bindings/model.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/parallel.h"
#include "bindings/arrays.h"
#include "bindings/custom_loss.h"
#include "bindings/table.h"
#include "model/ensemble.h"
#include "model/explain.h"
#include "model/link.h"
#include "model/predictor.h"
#include "model/serialization.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

// Calls a prediction without Python's lock.
template <auto kPredict>
auto predict(const Model& model, const Table& table, std::size_t rounds, int threads) {
  auto result = [&] {
    const nb::gil_scoped_release unlocked;
    return (model.*kPredict)(table.data(), PredictOptions{threads, rounds});
  }();
  return to_array(std::move(result));
}

nb::ndarray<nb::numpy, float> predict_pair_proba(const Model& model, const Table& table,
                                                 const nb::object& pair, int threads) {
  const std::shared_ptr<const GammaPhi> functions = make_pair(pair);
  Matrix result;
  {
    const nb::gil_scoped_release unlocked;
    result = model.predict_proba(table.data(), *functions, PredictOptions{threads, 0});
  }
  return to_array(std::move(result));
}

nb::ndarray<nb::numpy, std::uint32_t> predict_leaves(const Model& model, const Table& table,
                                                     std::size_t rounds, int threads) {
  std::vector<std::uint32_t> leaves;
  {
    const nb::gil_scoped_release unlocked;
    leaves = model.predict_leaves(table.data(), PredictOptions{threads, rounds});
  }
  const std::size_t rows = table.data().rows;
  const std::size_t trees = model.ensemble().forest.trees_of(rounds == 0 ? model.rounds() : rounds);
  return to_array<std::uint32_t, 2>(std::move(leaves), {rows, trees});
}

// Scores round by round: each step costs the trees of its rounds only.
class Stages {
 public:
  Stages(const Model& model, const Table& table, int threads)
      : model_(model), data_(table.data()), threads_(threads), predictor_(model.ensemble()) {
    // Of no rows: checks the columns.
    Dataset none;
    none.columns = data_.columns;
    none.named = data_.named;
    static_cast<void>(model.predict_outputs(none));
    outputs_ = predictor_.start(data_.rows);
  }

  // Class scores after the first `rounds` rounds, which must not fall.
  nb::ndarray<nb::numpy, float> scores(std::size_t rounds) {
    if (rounds < done_ || rounds > model_.rounds())
      throw ParameterError("the rounds of a staged prediction must ascend");
    Matrix scores;
    {
      const nb::gil_scoped_release unlocked;
      predictor_.add_rounds(data_, done_, rounds, threads_, outputs_);
      done_ = rounds;
      scores = predictor_.class_scores(outputs_, threads_);
    }
    return to_array(std::move(scores));
  }

 private:
  Model model_;
  Dataset data_;
  int threads_;
  Predictor predictor_;
  Matrix outputs_;
  std::size_t done_ = 0;
};

// In double precision: users sum and compare probabilities. Rounded they are the command's.
nb::ndarray<nb::numpy, double> to_proba(const Model& model, Matrix scores, int threads) {
  std::vector<double> result(scores.values.size());
  {
    const nb::gil_scoped_release unlocked;
    require_probabilities(model.ensemble());
    constexpr std::size_t kRowBlock = 1024;
    parallel_blocks(resolve_threads(threads), scores.rows, kRowBlock,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i)
                        to_probabilities(model.ensemble(), {scores.row(i), scores.columns},
                                         result.data() + i * scores.columns);
                    });
  }
  return to_array<double, 2>(std::move(result), {scores.rows, scores.columns});
}

nb::ndarray<nb::numpy, double> predict_proba(const Model& model, const Table& table, int threads) {
  Matrix scores;
  {
    const nb::gil_scoped_release unlocked;
    scores = model.predict_scores(table.data(), PredictOptions{threads, 0});
  }
  return to_proba(model, std::move(scores), threads);
}

nb::ndarray<nb::numpy, double> scores_to_proba(
    const Model& model,
    const nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& scores) {
  Matrix copy{scores.shape(0), scores.shape(1), {}};
  if (copy.columns != model.schema().classes.size())
    throw ModelError("there must be a score for each class");
  copy.values.assign(scores.data(), scores.data() + scores.size());
  return to_proba(model, std::move(copy), 1);
}

nb::bytes to_bytes(const Model& model) {
  const std::string bytes = serialize(model.ensemble());
  return nb::bytes(bytes.data(), bytes.size());
}

Model from_bytes(const nb::bytes& bytes) {
  const auto* data = static_cast<const std::byte*>(bytes.data());
  return Model(std::make_shared<const Ensemble>(deserialize({data, bytes.size()})));
}

nb::dict training_log(const Model& model) {
  const TrainingLog& log = model.ensemble().log;
  const std::size_t width = log.columns.size();
  nb::dict result;
  for (std::size_t j = 0; j < width; ++j) {
    std::vector<double> values;
    for (std::size_t i = j; i < log.values.size(); i += width) values.push_back(log.values[i]);
    result[log.columns[j].c_str()] = to_array(std::move(values));
  }
  return result;
}

nb::object codewords(const Model& model) {
  const Ensemble& ensemble = model.ensemble();
  std::vector<float> matrix = codeword_matrix(ensemble);
  if (matrix.empty()) return nb::none();
  return nb::cast(
      to_array<float, 2>(std::move(matrix), {ensemble.classes(), ensemble.forest.outputs}));
}

// features x 2: gains and splits.
nb::ndarray<nb::numpy, double> importance(const Model& model) {
  const Ensemble& ensemble = model.ensemble();
  std::vector<double> result(2 * ensemble.schema.features.size());
  for (const FeatureImportance& one : feature_importance(ensemble)) {
    result[2 * one.feature] = one.gain;
    result[2 * one.feature + 1] = static_cast<double>(one.splits);
  }
  return to_array<double, 2>(std::move(result), {ensemble.schema.features.size(), 2});
}

nb::ndarray<nb::numpy, double> class_importances(const Model& model, bool gain) {
  const Ensemble& ensemble = model.ensemble();
  return to_array<double, 2>(class_importance(ensemble, gain),
                             {ensemble.schema.features.size(), ensemble.classes()});
}

nb::dict tree(const Model& model, std::size_t number) {
  const Ensemble& ensemble = model.ensemble();
  const Forest& forest = ensemble.forest;
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
    tests.append(test_text(ensemble, node));
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
  result["values"] = to_array<float, 2>(
      forest.leaf_values.copy(span.value_begin, std::size_t{span.leaves} * span.width),
      {span.leaves, span.width});
  return result;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A trained ensemble; never changes.")
      .def_static("load", &Model::load, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Model::save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("from_bytes", &from_bytes, "data"_a)
      .def("to_bytes", &to_bytes)
      .def("predict", &predict<&Model::predict>, "table"_a, "rounds"_a = 0, "threads"_a = 0)
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
      .def("scores_to_proba", &scores_to_proba, "scores"_a)
      .def_prop_ro("rounds", &Model::rounds)
      .def_prop_ro("trees", [](const Model& self) { return self.ensemble().forest.trees.size(); })
      .def_prop_ro("outputs", [](const Model& self) { return self.ensemble().forest.outputs; })
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
      .def_prop_ro("algorithm", [](const Model& self) { return self.ensemble().algorithm; })
      .def_prop_ro("parameters", [](const Model& self) { return self.ensemble().parameters; })
      .def_prop_ro("log", &training_log)
      .def_prop_ro("stop_reason", [](const Model& self) { return self.ensemble().log.stop_reason; })
      .def_prop_ro("codewords", &codewords)
      .def("importance", &importance)
      .def("class_importance", &class_importances, "gain"_a)
      .def("__getstate__", &to_bytes)
      .def("__setstate__",
           [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes)); })
      .def("tree", &tree, "number"_a)
      .def("tree_text", [](const Model& self, std::size_t number) {
        if (number >= self.ensemble().forest.trees.size())
          throw nb::index_error("the model has not so many trees");
        return tree_text(self.ensemble(), number);
      });
  nb::class_<Stages>(module, "Stages", "Class scores after more and more rounds.")
      .def(nb::init<const Model&, const Table&, int>(), "model"_a, "table"_a, "threads"_a = 0)
      .def("scores", &Stages::scores, "rounds"_a);
}

}  // namespace simplexboost::python
