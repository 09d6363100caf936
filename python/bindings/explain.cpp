#include "bindings/explain.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "simplexboost/effects.h"
#include "simplexboost/evaluate.h"
#include "simplexboost/explain.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

using Pair = std::optional<std::pair<std::int32_t, std::int32_t>>;

ShapRequest request_of(std::vector<std::int32_t> classes, std::size_t top, const Pair& contrast) {
  ShapRequest request;
  request.classes = std::move(classes);
  request.top = top;
  if (contrast) request.contrast = Contrast{contrast->first, contrast->second};
  return request;
}

// (values, base, classes): rows x features (x features) x columns, rows x columns, and the classes
// of each row's columns (of a contrast, both).
nb::tuple explanation(ShapValues found, bool pairs) {
  const std::size_t rows = found.rows;
  const std::size_t columns = found.columns;
  const std::size_t named = rows == 0 ? columns : found.classes.size() / rows;
  nb::object values =
      pairs
          ? nb::cast(to_array<double, 4>(std::move(found.values),
                                         {rows, found.features, found.features, columns}))
          : nb::cast(to_array<double, 3>(std::move(found.values), {rows, found.features, columns}));
  return nb::make_tuple(values, to_array<double, 2>(std::move(found.base), {rows, columns}),
                        to_array<std::int32_t, 2>(std::move(found.classes), {rows, named}));
}

void make_explainer(Explainer* self, const Model& model, const Table* background,
                    std::size_t rounds, int threads) {
  const ExplainOptions options{threads, rounds, background ? &background->data() : nullptr};
  const nb::gil_scoped_release release;
  new (self) Explainer(model, options);
}

nb::tuple shap_values(const Explainer& self, const Table& table, std::size_t begin, std::size_t end,
                      std::vector<std::int32_t> classes, std::size_t top, const Pair& contrast,
                      bool pairs) {
  const ShapRequest request = request_of(std::move(classes), top, contrast);
  return explanation(unlocked([&] {
                       return pairs ? self.interactions(table.data(), begin, end, request)
                                    : self.values(table.data(), begin, end, request);
                     }),
                     pairs);
}

nb::ndarray<nb::numpy, double> mean_magnitudes(const Explainer& self, const Table& table,
                                               std::vector<std::int32_t> classes,
                                               const Pair& contrast) {
  const ShapRequest request = request_of(std::move(classes), 0, contrast);
  std::vector<double> means = unlocked([&] { return self.mean_magnitudes(table.data(), request); });
  const std::size_t features = self.model().schema().features.size();
  const std::size_t columns = features == 0 ? 0 : means.size() / features;
  return to_array<double, 2>(std::move(means), {features, columns});
}

const char* explained_name(const Explainer& self) {
  switch (self.explained()) {
    case Explained::kScore: return "score";
    case Explained::kOwnScore: return "own score";
    case Explained::kMemberScores: return "member scores";
    case Explained::kShares: return "shares";
  }
  return "";
}

// (grid, values, curves or None, rows, rows at each point of the grid).
nb::tuple effect(const Model& model, const Table& table, std::size_t feature, bool accumulated,
                 bool individual, std::size_t points, std::size_t rows, std::uint64_t seed,
                 bool scores, std::vector<std::int32_t> classes, int threads) {
  const EffectOptions options{threads, points, rows, seed, scores, std::move(classes), individual};
  Effect found = unlocked([&] {
    return accumulated ? accumulated_effect(model, table.data(), feature, options)
                       : partial_dependence(model, table.data(), feature, options);
  });
  const std::size_t at = found.grid.size();
  const std::size_t columns = found.classes.size();
  nb::object curves = nb::none();
  if (individual)
    curves =
        nb::cast(to_array<double, 3>(std::move(found.curves), {found.rows.size(), at, columns}));
  return nb::make_tuple(to_array(std::move(found.grid)),
                        to_array<double, 2>(std::move(found.values), {at, columns}), curves,
                        to_array(std::move(found.rows)), to_array(std::move(found.rows_at_grid)));
}

// (metric, value, mean, low and high of each feature, and its repeats).
nb::tuple permutation(const Model& model, const Table& table, const std::string& metric,
                      std::size_t repeats, std::size_t rows, std::uint64_t seed,
                      std::vector<std::size_t> features, int threads) {
  const PermutationOptions options{threads, metric, repeats, rows, seed, std::move(features)};
  const PermutationImportance found =
      unlocked([&] { return permutation_importance(model, table.data(), options); });
  std::vector<double> figures;
  std::vector<double> drops;
  for (const FeatureLoss& loss : found.features) {
    figures.insert(figures.end(), {loss.mean, loss.low, loss.high});
    drops.insert(drops.end(), loss.repeats.begin(), loss.repeats.end());
  }
  const std::size_t count = found.features.size();
  return nb::make_tuple(found.metric, found.value,
                        to_array<double, 2>(std::move(figures), {count, 3}),
                        to_array<double, 2>(std::move(drops), {count, repeats}));
}

}  // namespace

void bind_explain(nb::module_& module) {
  nb::class_<Explainer>(module, "Explainer", "Shapley values of a model's features.")
      .def("__init__", &make_explainer, "model"_a, "background"_a.none() = nb::none(),
           "rounds"_a = 0, "threads"_a = 0)
      .def("values", &shap_values, "table"_a, "begin"_a, "end"_a,
           "classes"_a = std::vector<std::int32_t>{}, "top"_a = 0, "contrast"_a.none() = nb::none(),
           "pairs"_a = false)
      .def("mean_magnitudes", &mean_magnitudes, "table"_a,
           "classes"_a = std::vector<std::int32_t>{}, "contrast"_a.none() = nb::none())
      .def(
          "rows_for",
          [](const Explainer& self, std::vector<std::int32_t> classes, std::size_t top,
             const Pair& contrast, std::size_t bytes) {
            return self.rows_for(request_of(std::move(classes), top, contrast), bytes);
          },
          "classes"_a, "top"_a, "contrast"_a.none(), "bytes"_a)
      .def("sums",
           [](const Explainer& self, const Table& table) {
             std::vector<double> sums = unlocked([&] { return self.sums(table.data()); });
             return to_array<double, 2>(std::move(sums),
                                        {table.data().rows, self.model().schema().classes.size()});
           })
      .def_prop_ro("expected",
                   [](const Explainer& self) {
                     return nb::cast(to_array(std::vector<double>(self.expected())));
                   })
      .def_prop_ro("explained", &explained_name);
  module.def("effect", &effect, "model"_a, "table"_a, "feature"_a, "accumulated"_a = false,
             "individual"_a = false, "points"_a = 20, "rows"_a = 1000, "seed"_a = 0,
             "scores"_a = false, "classes"_a = std::vector<std::int32_t>{}, "threads"_a = 0,
             "Partial dependence or accumulated local effects of a feature.");
  module.def("permutation_importance", &permutation, "model"_a, "table"_a, "metric"_a = "",
             "repeats"_a = 10, "rows"_a = 0, "seed"_a = 0,
             "features"_a = std::vector<std::size_t>{}, "threads"_a = 0,
             "How much worse a metric is where a feature is shuffled.");
  module.def("higher_is_better", &higher_is_better, "metric"_a, "multi_label"_a = false,
             "Which way a metric is better.");
  module.def("metric_names", &metric_names, "multi_label"_a = false, "All metrics by name.");
}

}  // namespace simplexboost::python
