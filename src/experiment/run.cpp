#include "experiment/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "metric/evaluation.h"
#include "model/ensemble.h"
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

// All that the result depends on; the number of threads is not among it. Only settings that differ
// from the defaults are named, so that a new parameter does not make old results run again.
std::string cell_key(const ExperimentRow& row, const ExperimentProtocol& protocol,
                     const ExperimentSplit& split) {
  const ExperimentData& data = *row.data->spec;
  const Parameters defaults;
  std::string text =
      fmt::format("{}|{}|{}|{}|{} rows|{}|fraction={} folds={}", SIMPLEXBOOST_VERSION, data.name,
                  describe(data.train_generator), describe(data.test_generator),
                  row.data->train.rows, split.name, protocol.test_fraction, protocol.folds);
  for (const ParameterSpec& spec : parameter_specs()) {
    if (spec.name == "threads" || spec.name == "seed") continue;
    const std::string value = get_parameter(row.parameters, spec.name);
    if (value != get_parameter(defaults, spec.name))
      text += fmt::format("|{}={}", spec.name, value);
  }
  return text_hash(text);
}

// Passes the rounds of one cell on as some of the rounds of them all.
class CellProgress : public Progress {
 public:
  CellProgress(Progress* all, std::size_t before) : all_(all), before_(before) {}

  bool round(std::size_t round, std::span<const RoundMetric> metrics) override {
    if (all_ && !all_->round(before_ + round, metrics)) stopped_ = true;
    return !stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  Progress* all_;
  std::size_t before_;
  bool stopped_ = false;
};

// Nothing if it was stopped.
std::optional<CellResult> run_cell(const ExperimentRow& row, const ExperimentProtocol& protocol,
                                   const ExperimentSplit& split, CellProgress& progress) {
  const TrainTest data = split_data(*row.data, protocol, split);
  Parameters parameters = row.parameters;
  parameters.seed = split.seed;
  TrainOptions options;
  options.progress = &progress;
  const auto begin = std::chrono::steady_clock::now();
  const Model model = train(data.train, parameters, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (progress.stopped()) return std::nullopt;
  const Evaluation evaluation = evaluate(model, data.test, {parameters.threads, 0});
  return CellResult{evaluation.wrong_rows, evaluation.rows, model.rounds(), seconds.count(),
                    model.ensemble().log.stop_reason};
}

int rounds_of(const ExperimentAlgorithm& algorithm, std::size_t classes, bool quick) {
  int rounds = algorithm.parameters.rounds;
  if (algorithm.rounds_per_class > 0)
    rounds = algorithm.rounds_per_class * static_cast<int>(classes);
  if (quick && algorithm.quick_rounds > 0) rounds = std::min(rounds, algorithm.quick_rounds);
  return rounds;
}

std::vector<int> dimensions_of(const ExperimentAlgorithm& algorithm, std::size_t classes) {
  if (!algorithm.all_dimensions) return {0};
  std::vector<int> dimensions;
  for (int d = 2; d < static_cast<int>(classes); ++d) dimensions.push_back(d);
  return dimensions;
}

}  // namespace

std::vector<ExperimentRow> plan_experiment(const ExperimentSpec& spec, const DataSearch& data,
                                           const RunOptions& options) {
  std::vector<ExperimentRow> rows;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) {
    for (const LoadedData& loaded : data.found) {
      for (const int dimension : dimensions_of(algorithm, loaded.classes())) {
        ExperimentRow row;
        row.data = &loaded;
        row.algorithm = &algorithm;
        row.dimension = dimension;
        row.splits = experiment_splits(loaded, spec.protocol, options.quick);
        row.parameters = algorithm.parameters;
        row.parameters.rounds = rounds_of(algorithm, loaded.classes(), options.quick);
        row.parameters.threads = options.threads;
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
      if (!journal.find(cell_key(row, spec.protocol, split)))
        rounds += static_cast<std::size_t>(row.parameters.rounds);
  return rounds;
}

bool run_experiment(std::vector<ExperimentRow>& rows, const ExperimentSpec& spec, Journal& journal,
                    const RunHooks& hooks) {
  std::size_t done = 0;
  bool stopped = false;
  for (ExperimentRow& row : rows) {
    for (const ExperimentSplit& split : row.splits) {
      const std::string key = cell_key(row, spec.protocol, split);
      if (const CellResult* known = journal.find(key)) {
        row.results.push_back(*known);
        continue;
      }
      if (stopped) break;
      CellProgress progress(hooks.progress, done);
      const auto result = run_cell(row, spec.protocol, split, progress);
      stopped = !result;
      if (stopped) break;
      journal.add(key, *result);
      row.results.push_back(*result);
      done += static_cast<std::size_t>(row.parameters.rounds);
    }
    if (hooks.row_finished && row.finished()) hooks.row_finished(row);
  }
  return !stopped;
}

}  // namespace simplexboost
