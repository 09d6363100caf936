#include "bindings/certainty.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <utility>

#include "bindings/arrays.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

// Classes and their probabilities, rows x count each.
nb::tuple top(const Model& model, const Table& table, std::size_t count, int threads) {
  TopClasses result = unlocked([&] {
    return predict_top(model, table.data(), count, PredictOptions{threads, 0});
  });
  return nb::make_tuple(to_array<std::int32_t, 2>(std::move(result.classes), {result.rows, count}),
                        to_array<float, 2>(std::move(result.probabilities), {result.rows, count}));
}

// Where the set of each row begins, and the classes of all sets.
nb::tuple sets(const Model& model, const Table& table, double coverage, bool per_class,
               bool never_empty, int threads) {
  ClassSets result = unlocked([&] {
    return predict_sets(model, table.data(), {coverage, per_class, never_empty},
                        PredictOptions{threads, 0});
  });
  std::vector<std::uint64_t> offsets(result.offsets.begin(), result.offsets.end());
  return nb::make_tuple(to_array(std::move(offsets)), to_array(std::move(result.classes)));
}

nb::tuple least_cost(const Model& model, const Table& table, const MatrixView32& costs,
                     std::optional<double> abstain_above, int threads) {
  CostlyDecision result = unlocked([&] {
    return predict_least_cost(model, table.data(), {costs.data(), costs.size()}, abstain_above,
                              PredictOptions{threads, 0});
  });
  return nb::make_tuple(to_array(std::move(result.classes)), to_array(std::move(result.costs)));
}

// The model, the name of the method, and (method, log loss) of all that were tried.
nb::tuple calibrate_model(const Model& model, const Table& table, const std::string& method,
                          int folds, std::uint64_t seed, int threads) {
  CalibrationResult result = unlocked([&] {
    return calibrate(model, table.data(), {method, folds, seed, threads});
  });
  nb::list trials;
  for (const CalibrationTrial& trial : result.trials)
    trials.append(nb::make_tuple(trial.method, trial.log_loss));
  return nb::make_tuple(std::move(result.model), result.method, trials);
}

// Rows, likelier classes, probabilities of the label and of the likelier class, chances that the
// label is wrong; the most suspect first.
// `judge`(trust, turn): probabilities, by trainings on rows that count as much as `trust` says.
nb::tuple suspects(const nb::callable& judge, const Vector<std::int32_t>& codes,
                   std::size_t classes, int threads) {
  Labels labels;
  labels.codes = to_vector(codes);
  labels.classes.resize(classes);
  const auto ask = [&](const std::vector<double>& trust, int turn) {
    const auto proba = nb::cast<MatrixView32>(
        judge(to_array<double, 1>(std::vector<double>(trust), {trust.size()}), turn));
    Matrix matrix{proba.shape(0), proba.shape(1), {}};
    matrix.values.assign(proba.data(), proba.data() + proba.size());
    return matrix;
  };
  const std::vector<Suspect> found = find_suspects(labels, ask, threads);
  std::vector<std::int64_t> rows;
  std::vector<std::int32_t> likelier;
  std::vector<double> own, other, wrong;
  for (const Suspect& one : found) {
    rows.push_back(static_cast<std::int64_t>(one.row));
    likelier.push_back(one.likelier);
    own.push_back(one.probability);
    other.push_back(one.likelier_probability);
    wrong.push_back(one.wrong);
  }
  return nb::make_tuple(to_array(std::move(rows)), to_array(std::move(likelier)),
                        to_array(std::move(own)), to_array(std::move(other)),
                        to_array(std::move(wrong)));
}

}  // namespace

void bind_certainty(nb::module_& module) {
  module.def("predict_top", &top, "model"_a, "table"_a, "count"_a, "threads"_a = 0);
  module.def("predict_sets", &sets, "model"_a, "table"_a, "coverage"_a, "per_class"_a,
             "never_empty"_a, "threads"_a = 0);
  module.def("has_sets", &has_sets, "model"_a);
  module.def("predict_least_cost", &least_cost, "model"_a, "table"_a, "costs"_a,
             "abstain_above"_a.none(), "threads"_a = 0);
  module.def("calibrate", &calibrate_model, "model"_a, "table"_a, "method"_a, "folds"_a, "seed"_a,
             "threads"_a = 0);
  module.def("uncalibrated", &uncalibrated, "model"_a);
  module.def("calibration_of", &calibration_of, "model"_a);
  module.def(
      "class_shares", [](const Model& model) { return class_shares(model); }, "model"_a);
  module.def(
      "estimate_priors",
      [](const Model& model, const Table& table, int threads) {
        return unlocked([&] {
          return estimate_priors(model, table.data(), PredictOptions{threads, 0});
        });
      },
      "model"_a, "table"_a, "threads"_a = 0);
  module.def("with_priors", &with_priors, "model"_a, "priors"_a);
  module.def("find_suspects", &suspects, "judge"_a, "codes"_a, "classes"_a, "threads"_a = 0);
}

}  // namespace simplexboost::python
