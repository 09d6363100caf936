#include "bindings/tuning.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "metric/metric_table.h"
#include "simplexboost/error.h"
#include "simplexboost/parameters.h"
#include "tuning/cross_validation.h"
#include "tuning/plan.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;
using Texts = std::map<std::string, std::string>;

// Ends the trial under way once someone has said so.
class StoppingProgress : public Progress {
 public:
  bool round(std::size_t /*round*/, std::span<const RoundMetric> /*metrics*/) override {
    return !stop_;
  }
  void stop() { stop_ = true; }

 private:
  std::atomic<bool> stop_ = false;
};

nb::dict trial_dict(const Trial& trial) {
  nb::dict settings;
  for (const Setting& setting : trial.settings) settings[setting.name.c_str()] = setting.value;
  nb::dict one;
  one["number"] = trial.number;
  one["algorithm"] = trial.algorithm;
  one["settings"] = settings;
  one["value"] = trial.mean_value();
  one["rounds"] = trial.mean_rounds();
  one["seconds"] = trial.seconds + (trial.again ? trial.again->seconds : 0);
  one["end"] = trial.end;
  one["judged_again"] = trial.again.has_value();
  return one;
}

SearchRequest request_from(const nb::dict& asked) {
  SearchRequest request;
  request.kind = find_search_kind(nb::cast<std::string>(asked["search"]));
  request.metric = nb::cast<std::string>(asked["metric"]);
  request.algorithms = nb::cast<std::vector<std::string>>(asked["algorithms"]);
  for (const std::string& text : nb::cast<std::vector<std::string>>(asked["ranges"]))
    request.ranges.push_back(parse_range(text));
  request.given = nb::cast<std::vector<std::string>>(asked["given"]);
  request.seconds = nb::cast<double>(asked["seconds"]);
  request.trials = nb::cast<std::uint64_t>(asked["trials"]);
  request.valid_fraction = nb::cast<double>(asked["valid_fraction"]);
  request.folds = nb::cast<int>(asked["folds"]);
  request.finalists = nb::cast<int>(asked["finalists"]);
  request.groups = nb::cast<std::vector<std::uint32_t>>(asked["groups"]);
  request.journal = nb::cast<std::string>(asked["journal"]);
  request.trains_winner = true;
  return request;
}

// The trials, in their order, and the number of the best; None where all of them failed.
nb::tuple run_search(const Table& table, const Texts& texts, const nb::dict& asked,
                     const Table* valid, const nb::object& on_trial) {
  const Dataset& data = table.data();
  Parameters parameters;
  for (const auto& [name, text] : texts) set_parameter(parameters, name, text);
  SearchRequest request = request_from(asked);
  request.algorithms = choose_algorithms(request, parameters, data.labels);
  StoppingProgress progress;
  const auto ended = [&](const Trial& trial) {
    const nb::gil_scoped_acquire lock;
    if (on_trial.is_none()) return;
    if (on_trial(trial_dict(trial)).is(nb::handle(Py_False))) progress.stop();
  };
  const Metric metric = find_metric(request.metric, data.labels.multi_label());
  const SearchResult result = unlocked([&] {
    std::vector<TrialSplit> splits;
    if (valid) {
      splits.push_back({data, valid->data()});
    } else {
      splits = make_splits(request, data, parameters.seed);
    }
    SearchOptions options = plan_search(request, parameters, data, splits);
    if (!valid) declare_finals(request, data, options);
    options.progress = &progress;
    return search(splits, options, ended);
  });
  nb::list trials;
  for (const Trial& trial : result.trials) trials.append(trial_dict(trial));
  const Trial* winner = result.winner(metric);
  return nb::make_tuple(trials, winner ? nb::cast(winner->number) : nb::none());
}

std::vector<Metric> metrics_by_name(const std::vector<std::string>& names, bool sets) {
  if (names.empty()) return usual_metrics(sets);
  std::vector<Metric> metrics;
  metrics.reserve(names.size());
  for (const std::string& name : names) metrics.push_back(find_metric(name, sets));
  return metrics;
}

nb::dict fold_dict(const FoldResult& fold, const std::vector<Metric>& metrics) {
  nb::dict one;
  one["repeat"] = fold.repeat;
  one["fold"] = fold.fold;
  one["train_rows"] = fold.train_rows;
  one["valid_rows"] = fold.valid_rows;
  one["test_rows"] = fold.test_rows;
  one["absent_classes"] = fold.absent_classes;
  one["n_estimators"] = fold.rounds;
  one["seconds"] = fold.seconds;
  one["stop_reason"] = fold.stop_reason;
  for (std::size_t m = 0; m < metrics.size(); ++m)
    one[metrics[m].json_name().c_str()] = fold.values[m];
  return one;
}

CrossValidationOptions options_from(const nb::dict& asked) {
  CrossValidationOptions options;
  options.folds = nb::cast<int>(asked["folds"]);
  options.repeats = nb::cast<int>(asked["repeats"]);
  options.groups = nb::cast<std::vector<std::uint32_t>>(asked["groups"]);
  options.valid_fraction = nb::cast<double>(asked["valid_fraction"]);
  options.valid_fold = nb::cast<bool>(asked["valid_fold"]);
  options.label_noise = nb::cast<double>(asked["label_noise"]);
  options.exact_bins = nb::cast<bool>(asked["exact_bins"]);
  options.keep_scores = nb::cast<bool>(asked["predictions"]);
  return options;
}

// The folds; mean and deviation of each metric by its name; and for each repeat the folds of the
// rows, scores and probabilities (or None) while they were held out.
nb::tuple run_folds(const Table& table, const Texts& texts, const nb::dict& asked) {
  Parameters parameters;
  for (const auto& [name, text] : texts) set_parameter(parameters, name, text);
  CrossValidationOptions options = options_from(asked);
  options.metrics = metrics_by_name(nb::cast<std::vector<std::string>>(asked["metrics"]),
                                    table.data().labels.multi_label());
  CrossValidation result =
      unlocked([&] { return cross_validate(table.data(), parameters, options); });
  nb::list folds;
  for (const FoldResult& fold : result.folds) folds.append(fold_dict(fold, options.metrics));
  nb::dict figures;
  for (std::size_t m = 0; m < options.metrics.size(); ++m) {
    const MeanAndDeviation spread = summarize(result.folds, m);
    figures[options.metrics[m].json_name().c_str()] = nb::make_tuple(spread.mean, spread.deviation);
  }
  nb::list kept;
  for (RepeatScores& repeat : result.scores) {
    const bool proba = !repeat.proba.values.empty();
    kept.append(nb::make_tuple(
        to_array(std::move(repeat.fold_of_row)), to_array(std::move(repeat.scores)),
        proba ? nb::cast(to_array(std::move(repeat.proba))) : nb::object(nb::none())));
  }
  return nb::make_tuple(folds, figures, kept);
}

}  // namespace

void bind_tuning(nb::module_& module) {
  module.def("search", &run_search, "table"_a, "parameters"_a, "asked"_a,
             "valid"_a.none() = nb::none(), "on_trial"_a.none() = nb::none(),
             "Tries settings; returns the trials and the number of the best, or None. `on_trial` "
             "is called after each, and ends the search by returning False.");
  module.def("cross_validate", &run_folds, "table"_a, "parameters"_a, "asked"_a,
             "Trains with each fold held out in turn; returns the folds, (mean, deviation) of each "
             "figure, and for each repeat the folds of the rows, their scores and probabilities.");
}

}  // namespace simplexboost::python
