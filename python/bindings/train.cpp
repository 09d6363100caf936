#include "bindings/train.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/custom_learner.h"
#include "bindings/custom_loss.h"
#include "bindings/interrupt.h"
#include "bindings/peers.h"
#include "bindings/table.h"
#include "boosting/training.h"
#include "quality/portfolio.h"
#include "quality/ranked_quality.h"
#include "simplexboost/algorithms.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/quality.h"
#include "simplexboost/train.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

// Takes Python's lock after every round: lets Ctrl-C through, and calls back.
class PythonProgress : public Progress {
 public:
  explicit PythonProgress(nb::object on_round) : on_round_(std::move(on_round)) {}

  void start(std::size_t total) override { total_ = total; }
  bool round(std::size_t round, std::span<const RoundMetric> metrics) override {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (on_round_.is_none()) return true;
    nb::dict figures;
    for (const RoundMetric& metric : metrics)
      figures[nb::str(metric.name.data(), metric.name.size())] = metric.value;
    return nb::cast<bool>(on_round_(round, total_, figures));
  }

 private:
  nb::object on_round_;
  std::size_t total_ = 0;
};

// A figure of Python's: called with the number of the set, its labels (codes, and where they are
// sets, their offsets), the weights of the rows or None, and rows x classes numbers.
RoundFigure make_figure(const nb::tuple& given) {
  RoundFigure figure;
  figure.name = nb::cast<std::string>(given[0]);
  figure.higher_is_better = nb::cast<bool>(given[1]);
  figure.probabilities = nb::cast<bool>(given[2]);
  const std::shared_ptr<nb::object> function = hold(nb::object(given[3]));
  figure.value = [function](std::size_t set, const Dataset& data, const Matrix& values) {
    const nb::gil_scoped_acquire lock;
    Matrix copy = values;
    nb::object offsets = nb::none();
    if (data.labels.multi_label())
      offsets = nb::cast(to_array(
          std::vector<std::int64_t>(data.labels.offsets.begin(), data.labels.offsets.end())));
    nb::object weights = nb::none();
    if (!data.weights.empty()) weights = nb::cast(to_array(std::vector<double>(data.weights)));
    return nb::cast<double>((*function)(set, to_array(std::vector<std::int32_t>(data.labels.codes)),
                                        offsets, weights, to_array(std::move(copy))));
  };
  return figure;
}

Parameters parameters_from(const std::map<std::string, std::string>& texts) {
  Parameters parameters;
  for (const auto& [name, text] : texts) set_parameter(parameters, name, text);
  return parameters;
}

std::map<std::string, std::string> large_texts(const Table& table,
                                               std::map<std::string, std::string> texts) {
  const Parameters wanted = parameters_from(texts);
  const Parameters chosen = large_training(table.data(), wanted);
  for (const ParameterSpec& spec : parameter_specs())
    if (get_parameter(chosen, spec.name) != get_parameter(wanted, spec.name))
      texts[std::string(spec.name)] = get_parameter(chosen, spec.name);
  return texts;
}

Model train_model(const Table& table, const std::map<std::string, std::string>& parameters,
                  const Table* valid, const nb::list& also_valid, nb::object on_round,
                  const nb::object& loss, const nb::object& objective, const Model* init,
                  const std::vector<float>& codewords, const nb::object& learner,
                  const CheckpointOptions& checkpoint, const std::vector<std::string>& metrics,
                  const nb::list& figures, bool watch_figure, nb::object peers) {
  PythonProgress progress(std::move(on_round));
  TrainOptions options;
  options.metrics = metrics;
  for (const nb::handle one : figures)
    options.figures.push_back(make_figure(nb::cast<nb::tuple>(one)));
  options.watch_figure = watch_figure;
  options.checkpoint = checkpoint;
  options.progress = &progress;
  options.init = init;
  options.codewords = codewords;
  if (!loss.is_none()) options.loss = make_pair(loss);
  if (!objective.is_none()) options.objective = make_objective(objective);
  if (!learner.is_none()) options.make_learner = make_learner(learner);
  if (valid) options.valid = &valid->data();
  for (const nb::handle one : also_valid)
    options.also_valid.push_back(&nb::cast<const Table&>(one).data());
  const Parameters values = parameters_from(parameters);
  if (peers.is_none()) return unlocked([&] { return train(table.data(), values, options); });
  PythonPeers others(std::move(peers));
  PeerCommunicator ranks(others);
  return unlocked([&] { return train(table.data(), values, options, TrainingContext{ranks}); });
}

nb::object distil_cost(const std::optional<DistilCost>& cost) {
  if (!cost) return nb::none();
  nb::dict result;
  const char* names[] = {"ensemble", "model"};
  for (const std::size_t m : {0U, 1U}) {
    nb::dict one;
    one["error"] = cost->error[m];
    one["log_loss"] = cost->log_loss[m];
    one["bytes"] = cost->bytes[m];
    one["seconds_per_1000_rows"] = cost->seconds[m];
    result[names[m]] = one;
  }
  return result;
}

// The model, and what its training rows are told by those that had not seen them: class scores and
// probabilities, rows x classes (None for "fast"); what distilling cost, or None; and the share of
// rows that repeat others. All `peers` have all rows.
nb::tuple train_best(const Table& table, const std::map<std::string, std::string>& parameters,
                     const std::string& quality, int folds, std::vector<std::uint32_t> groups,
                     double budget, bool distil,
                     const std::vector<std::map<std::string, std::string>>& members,
                     nb::object on_round, const CheckpointOptions& checkpoint, nb::object peers) {
  PythonProgress progress(std::move(on_round));
  QualityOptions options;
  options.quality = find_quality(quality);
  options.folds = folds;
  options.groups = std::move(groups);
  options.budget = budget;
  options.distil = distil;
  for (const auto& member : members) options.members.push_back(parameters_from(member));
  options.checkpoint = checkpoint;
  options.progress = &progress;
  const Parameters values = parameters_from(parameters);
  std::optional<PythonPeers> others;
  std::optional<PeerCommunicator> ranks;
  if (!peers.is_none()) ranks.emplace(others.emplace(std::move(peers)));
  QualityResult result = unlocked(
      [&] { return train_quality(table.data(), values, options, ranks ? *ranks : no_others()); });
  const auto array = [](Matrix& matrix) -> nb::object {
    if (matrix.values.empty()) return nb::none();
    return nb::cast(to_array<float, 2>(std::move(matrix.values), {matrix.rows, matrix.columns}));
  };
  return nb::make_tuple(std::move(result.model), array(result.oof_scores), array(result.oof_proba),
                        distil_cost(result.distilled), result.repeats);
}

nb::list parameter_table() {
  const Parameters defaults;
  nb::list result;
  for (const ParameterSpec& spec : parameter_specs()) {
    nb::dict row;
    row["name"] = spec.name;
    row["group"] = spec.group;
    row["help"] = spec.help;
    row["range"] = parameter_range(spec);
    row["choices"] = spec.choices;
    row["default"] = get_parameter(defaults, spec.name);
    const char* types[] = {"int", "float", "int", "str"};
    row["type"] = types[spec.member.index()];
    result.append(row);
  }
  return result;
}

nb::list algorithm_list() {
  nb::list result;
  for (const Algorithm& row : algorithms()) {
    nb::dict one;
    one["name"] = row.name;
    one["optimiser"] = row.optimiser;
    one["codewords"] = row.codewords;
    one["learner"] = row.learner;
    one["loss"] = row.loss;
    one["paper"] = row.paper;
    one["summary"] = row.summary;
    one["composed"] = row.composed;
    one["multi_label"] = row.multi_label;
    result.append(one);
  }
  return result;
}

}  // namespace

void bind_train(nb::module_& module) {
  nb::class_<CheckpointOptions>(module, "Checkpoint", "A file to keep the rounds so far in.")
      .def(
          "__init__",
          [](CheckpointOptions* self, const std::string& file, double seconds, std::size_t rounds) {
            new (self) CheckpointOptions{file, seconds, rounds};
          },
          "file"_a = "", "seconds"_a = 30.0, "rounds"_a = 0);
  module.def(
      "train", &train_model, "table"_a, "parameters"_a, "valid"_a.none() = nb::none(),
      "also_valid"_a = nb::list(), "on_round"_a.none() = nb::none(), "loss"_a.none() = nb::none(),
      "objective"_a.none() = nb::none(), "init"_a.none() = nb::none(),
      "codewords"_a = std::vector<float>{}, "learner"_a.none() = nb::none(),
      "checkpoint"_a = CheckpointOptions{}, "metrics"_a = std::vector<std::string>{},
      "figures"_a = nb::list(), "watch_figure"_a = false, "peers"_a.none() = nb::none(),
      "Trains; on_round(round, total, metrics) returns whether to go on. With `peers` the rows "
      "are a share of those of several processes, which train one model.");
  module.def(
      "train_quality", &train_best, "table"_a, "parameters"_a, "quality"_a, "folds"_a = 0,
      "groups"_a = std::vector<std::uint32_t>{}, "budget"_a = 0.0, "distil"_a = false,
      "members"_a = std::vector<std::map<std::string, std::string>>{},
      "on_round"_a.none() = nb::none(), "checkpoint"_a = CheckpointOptions{},
      "peers"_a.none() = nb::none(),
      "Trains by cross-fitting; returns the model, scores and probabilities out of fold, what "
      "distilling cost, and the share of repeated rows. `members`: parameters of some more. "
      "`peers`, each of which has all rows, "
      "share the trainings.");
  module.attr("set_aside") = kSetAside;
  module.def("large_training", &large_texts, "table"_a, "parameters"_a,
             "The parameters of one training where rows are too many to be cross-fitted.");
  module.def(
      "check_parameters",
      [](const std::map<std::string, std::string>& texts) { parameters_from(texts); },
      "parameters"_a, "Raises ValueError at the first one that is out of range.");
  module.def("parameter_table", &parameter_table, "Every training parameter, as in --help.");
  module.def("algorithms", &algorithm_list,
             "Every named algorithm, as in `simplexboost algorithms`.");
}

}  // namespace simplexboost::python
