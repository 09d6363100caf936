#include "experiment/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/files/record_file.h"
#include "base/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/parallel_jobs.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/shared_progress.h"
#include "boosting/training.h"
#include "experiment/measures.h"
#include "experiment/selection.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"
#include "simplexboost/version.h"

namespace simplexboost {
namespace {

std::string describe(const std::optional<GeneratorSpec>& generator) {
  if (!generator) return "file";
  return fmt::format("{} rows={} seed={} noise={} classes={} features={} informative={} bayes={}",
                     generator->name, generator->rows.value_or(0), generator->seed,
                     generator->label_noise, generator->classes.value_or(0),
                     generator->features.value_or(0), generator->informative.value_or(0),
                     generator->bayes_error.value_or(-1));
}

std::string describe(const ExperimentProtocol& protocol) {
  std::string text = fmt::format("fraction={} folds={}", protocol.test_fraction, protocol.folds);
  if (protocol.validation != ValidationRows::kNone)
    text += fmt::format("|validation={} in {} by {} retrain={}",
                        static_cast<int>(protocol.validation), protocol.validation_folds,
                        static_cast<int>(protocol.rounds_rule), protocol.retrain);
  if (protocol.at_least_train_error) text += "|at least train error";
  return text;
}

// What is recorded of a cell beside its errors.
std::string describe_record(const ExperimentSpec& spec, const ExperimentAlgorithm& algorithm) {
  std::string text;
  for (const std::string& name : spec.measures) text += "|" + name;
  for (const std::string& name : spec.curves) text += "|curve " + name;
  for (const auto& [bound, bounded] : algorithm.bounds)
    text += fmt::format("|{} over {}", bound, bounded);
  return text;
}

// All that the result depends on; the number of threads is not among it. Only settings that differ
// from the defaults are named, so that a new parameter does not make old results run again.
std::string cell_key(const ExperimentRow& row, const ExperimentSpec& spec,
                     const ExperimentSplit& split) {
  const ExperimentData& data = *row.data->spec;
  const Parameters defaults;
  std::string text = fmt::format("{}|{}|{}|{}|{} rows|{}|{}", SIMPLEXBOOST_VERSION, data.folder,
                                 describe(data.train_generator), describe(data.test_generator),
                                 row.data->train.rows, split.name, describe(row.protocol));
  for (const ParameterSpec& parameter : parameter_specs()) {
    if (parameter.of_machine || parameter.name == "seed") continue;
    const std::string value = get_parameter(row.parameters, parameter.name);
    if (value != get_parameter(defaults, parameter.name))
      text += fmt::format("|{}={}", parameter.name, value);
  }
  for (const GridAxis& axis : row.grid)
    text += fmt::format("|{} of {}", axis.parameter, fmt::join(axis.values, " "));
  if (data.ordinal) text += "|ordinal";
  if (data.label_noise > 0) text += fmt::format("|noise={}", data.label_noise);
  if (row.quick && row.protocol.validation != ValidationRows::kNone) text += "|quick";
  return short_hash(text + describe_record(spec, *row.algorithm));
}

// The trained model of a cell, and how much of it counts.
struct CellModel {
  Model model;
  const Dataset* train;  // the rows that it was trained with
  std::size_t rounds = 0;
  std::string chosen;
};

bool watches_test(const ExperimentSpec& spec) {
  return std::find(spec.curves.begin(), spec.curves.end(), "test_error") != spec.curves.end();
}

std::size_t rounds_that_count(const Model& model, const ExperimentProtocol& protocol) {
  if (!protocol.at_least_train_error) return model.rounds();
  return least_round(model.log().column("train_error"));
}

// Nothing if it was stopped.
std::optional<CellModel> train_cell(const ExperimentRow& row, const ExperimentSpec& spec,
                                    const SplitData& data, Parameters parameters,
                                    PartProgress& progress, const TrialMemory& memory) {
  // The protocol chooses the rounds.
  if (parameters.early_stopping < 0) parameters.early_stopping = 0;
  std::string chosen;
  const bool part = !data.validation.empty() && !row.protocol.retrain;
  const Dataset* train_rows = part ? &data.validation.front().train : &data.train;
  if (!data.validation.empty()) {
    auto selection = select_settings(data.validation, parameters, row.grid,
                                     row.protocol.rounds_rule, progress, memory);
    if (!selection) return std::nullopt;
    chosen = selection->words;
    if (!row.protocol.retrain && selection->model) {
      const std::size_t rounds = std::min(selection->rounds, selection->model->rounds());
      return CellModel{std::move(*selection->model), train_rows, rounds, chosen};
    }
    parameters = selection->parameters;
    parameters.rounds = static_cast<int>(selection->rounds);
  }
  TrainOptions options;
  options.progress = &progress;
  if (watches_test(spec)) options.valid = &data.test;
  TrainingContext context;
  context.checkpoint = memory.checkpoint;
  context.part = memory.cell + " cell";
  Model model = train(*train_rows, parameters, options, context);
  if (progress.stopped()) return std::nullopt;
  const std::size_t rounds = rounds_that_count(model, row.protocol);
  return CellModel{std::move(model), train_rows, rounds, chosen};
}

// Nothing if it was stopped.
std::optional<CellResult> run_cell(const ExperimentRow& row, const ExperimentSpec& spec,
                                   const ExperimentSplit& split, int threads,
                                   PartProgress& progress, const TrialMemory& memory) {
  const SplitData data = split_data(*row.data, row.protocol, split, row.quick);
  Parameters parameters = row.parameters;
  parameters.seed = split.seed;
  parameters.threads = threads;
  const auto begin = std::chrono::steady_clock::now();
  const auto trained = train_cell(row, spec, data, parameters, progress, memory);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!trained) return std::nullopt;
  const Evaluation evaluation =
      tally_model(trained->model, data.test, {parameters.threads, trained->rounds});
  CellResult result;
  result.wrong = evaluation.wrong_rows;
  result.rows = evaluation.rows;
  result.rounds = trained->rounds;
  result.seconds = seconds.count();
  result.stop_reason = trained->model.log().stop_reason;
  result.train_rows = trained->train->rows;
  result.chosen = trained->chosen;
  measure(spec, *row.algorithm, trained->model, *trained->train, trained->rounds,
          parameters.threads, result);
  return result;
}

// Sets with test rows of their own have no fold to choose by: as in kdd2014, all rounds are run;
// where a grid needs a choice, a fold's share of the training rows makes it, and all of them are
// trained with then.
ExperimentProtocol protocol_of(const LoadedData& data, const ExperimentAlgorithm& algorithm,
                               ExperimentProtocol protocol) {
  protocol.rounds_rule = algorithm.rounds_rule.value_or(protocol.rounds_rule);
  if (protocol.validation != ValidationRows::kNextFold || !data.test) return protocol;
  if (algorithm.grid.empty()) protocol.validation = ValidationRows::kNone;
  protocol.rounds_rule = RoundsRule::kAll;
  protocol.retrain = true;
  return protocol;
}

std::vector<GridAxis> grid_of(const LoadedData& data, const ExperimentAlgorithm& algorithm) {
  std::vector<GridAxis> grid = algorithm.grid;
  if (!data.test) grid.insert(grid.end(), algorithm.fold_grid.begin(), algorithm.fold_grid.end());
  return grid;
}

bool wanted(const std::set<std::string>& only, const ExperimentSpec& spec,
            const std::string& algorithm, const std::string& data) {
  const auto named = [&](const auto& entries, const std::string& name) {
    const bool any = std::any_of(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return only.contains(entry.name); });
    return !any || only.contains(name);
  };
  return named(spec.algorithms, algorithm) && named(spec.data, data);
}

void check_only(const std::set<std::string>& only, const ExperimentSpec& spec) {
  std::set<std::string> known;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) known.insert(algorithm.name);
  for (const ExperimentData& data : spec.data) known.insert(data.name);
  for (const std::string& name : only)
    if (!known.contains(name))
      throw ParameterError(
          fmt::format("'{}' is no data set and no algorithm of this spec; it has {}", name,
                      fmt::join(known, ", ")));
}

std::size_t cell_rounds(const ExperimentRow& row) {
  const std::size_t parts = validation_parts(row.protocol, row.quick);
  const std::size_t points = grid_points(row.parameters, row.grid).size();
  const bool last = parts == 0 || row.protocol.retrain;
  return (parts * points + (last ? 1 : 0)) * static_cast<std::size_t>(row.parameters.rounds);
}

int rounds_of(const ExperimentAlgorithm& algorithm, const LoadedData& data, bool quick) {
  int rounds = algorithm.parameters.rounds;
  if (algorithm.rounds_per_class > 0)
    rounds = algorithm.rounds_per_class * static_cast<int>(data.classes());
  if (data.spec->most_rounds > 0) rounds = std::min(rounds, data.spec->most_rounds);
  if (quick && algorithm.quick_rounds > 0) rounds = std::min(rounds, algorithm.quick_rounds);
  return rounds;
}

std::vector<int> dimensions_of(const ExperimentAlgorithm& algorithm, std::size_t classes) {
  if (!algorithm.all_dimensions) return {0};
  std::vector<int> dimensions;
  for (int d = 2; d <= static_cast<int>(classes); ++d) dimensions.push_back(d);
  return dimensions;
}

struct CellPlace {
  std::size_t row = 0;
  std::size_t split = 0;
};

// The results of all cells as they come in, from the journal and from several threads.
class CellTable {
 public:
  CellTable(std::vector<ExperimentRow>& rows, const ExperimentSpec& spec, Journal& journal,
            const RunHooks& hooks)
      : rows_(rows), spec_(spec), journal_(journal), hooks_(hooks), results_(rows.size()) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const ExperimentSplit& split : rows[r].splits) {
        const CellResult* known = journal.find(cell_key(rows[r], spec, split));
        results_[r].push_back(known ? std::optional(*known) : std::nullopt);
      }
      tell_if_finished(r);
    }
  }

  std::vector<CellPlace> missing() const {
    std::vector<CellPlace> places;
    for (std::size_t r = 0; r < results_.size(); ++r)
      for (std::size_t s = 0; s < results_[r].size(); ++s)
        if (rows_[r].wanted && !results_[r][s]) places.push_back({r, s});
    return places;
  }

  void add(const CellPlace& place, const CellResult& result) {
    const std::lock_guard lock(mutex_);
    const ExperimentRow& row = rows_[place.row];
    journal_.add(cell_key(row, spec_, row.splits[place.split]), result);
    results_[place.row][place.split] = result;
    tell_if_finished(place.row);
  }

  // After an interruption: what there is of the other rows, up to the first cell that is missing.
  void finish() {
    for (std::size_t r = 0; r < results_.size(); ++r) {
      if (rows_[r].finished()) continue;
      for (const auto& result : results_[r]) {
        if (!result) break;
        rows_[r].results.push_back(*result);
      }
    }
  }

 private:
  void tell_if_finished(std::size_t r) {
    const auto& results = results_[r];
    if (!std::all_of(results.begin(), results.end(), [](const auto& one) { return one; })) return;
    for (const auto& result : results) rows_[r].results.push_back(*result);
    if (hooks_.row_finished) hooks_.row_finished(rows_[r]);
  }

  std::vector<ExperimentRow>& rows_;
  const ExperimentSpec& spec_;
  Journal& journal_;
  const RunHooks& hooks_;
  std::vector<std::vector<std::optional<CellResult>>> results_;
  std::mutex mutex_;
};

}  // namespace

std::vector<ExperimentRow> plan_experiment(const ExperimentSpec& spec, const DataSearch& data,
                                           const RunOptions& options) {
  check_only(options.only, spec);
  std::vector<ExperimentRow> rows;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) {
    static_cast<void>(find_algorithm(algorithm.parameters.algorithm));  // now, not after hours
    for (const LoadedData& loaded : data.found) {
      for (const int dimension : dimensions_of(algorithm, loaded.classes())) {
        ExperimentRow row;
        row.data = &loaded;
        row.algorithm = &algorithm;
        row.dimension = dimension;
        row.protocol = protocol_of(loaded, algorithm, spec.protocol);
        row.grid = grid_of(loaded, algorithm);
        row.quick = options.quick;
        row.wanted = wanted(options.only, spec, algorithm.name, loaded.spec->name);
        row.splits = experiment_splits(loaded, spec.protocol, options.quick);
        row.parameters = algorithm.parameters;
        row.parameters.rounds = rounds_of(algorithm, loaded, options.quick);
        row.parameters.threads = options.threads;
        if (row.parameters.filters > 0) row.parameters.image = loaded.spec->image;
        if (dimension > 0) row.parameters.dimension = dimension;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::size_t rounds_to_run(const std::vector<ExperimentRow>& rows, const ExperimentSpec& spec,
                          const Journal& journal) {
  std::size_t rounds = 0;
  for (const ExperimentRow& row : rows)
    for (const ExperimentSplit& split : row.splits)
      if (row.wanted && !journal.find(cell_key(row, spec, split))) rounds += cell_rounds(row);
  return rounds;
}

bool run_experiment(std::vector<ExperimentRow>& rows, const ExperimentSpec& spec, Journal& journal,
                    const RunHooks& hooks) {
  CellTable table(rows, spec, journal, hooks);
  TrialLog trials(journal.path() + ".trials");
  SharedProgress progress(hooks.progress);
  const std::vector<CellPlace> missing = table.missing();
  const int threads = rows.empty() ? 1 : resolve_threads(rows.front().parameters.threads);
  // Each on a thread of its own where there are several.
  const int each = missing.size() > 1 ? 1 : threads;
  const auto run_one = [&](std::size_t i) {
    if (progress.stopped()) return;
    PartProgress cell_progress(progress);
    const ExperimentRow& row = rows[missing[i].row];
    const ExperimentSplit& split = row.splits[missing[i].split];
    const TrialMemory memory{&trials, cell_key(row, spec, split), hooks.checkpoint};
    const auto result = run_cell(row, spec, split, each, cell_progress, memory);
    if (!result) return;
    cell_progress.end(cell_rounds(row));
    table.add(missing[i], *result);
    if (hooks.checkpoint) hooks.checkpoint->drop_all(memory.cell);
  };
  try {
    parallel_jobs(threads, missing.size(), run_one);
  } catch (const Stopped&) {
    progress.stop();
  }
  table.finish();
  const bool whole = std::all_of(rows.begin(), rows.end(),
                                 [](const ExperimentRow& row) { return row.finished(); });
  if (whole) trials.clear();
  return !progress.stopped();
}

}  // namespace simplexboost
