#include "experiment/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "boosting/training.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

// Adds one part's errors to the sums of those before. A training that ended early stays as it is.
void add_errors(std::vector<double>& sums, std::vector<double> errors, std::size_t parts_before) {
  if (errors.empty()) errors = {1.0};  // not one round: nothing is known
  if (parts_before == 0) {
    sums = std::move(errors);
    return;
  }
  const std::size_t rounds = std::max(sums.size(), errors.size());
  sums.resize(rounds, sums.back());
  errors.resize(rounds, errors.back());
  for (std::size_t t = 0; t < rounds; ++t) sums[t] += errors[t];
}

std::string grid_words(const Parameters& parameters, const std::vector<GridAxis>& grid) {
  std::string text;
  for (const GridAxis& axis : grid)
    text += fmt::format("{} = {}, ", axis.parameter, get_parameter(parameters, axis.parameter));
  return text;
}

// The mean validation errors of one point of the grid, and the model of the first part.
struct Trial {
  std::vector<double> errors;
  std::optional<Model> model;
};

// One training; its errors are kept. Nothing if it was stopped.
std::optional<Model> train_part(const TrainValid& part, const Parameters& parameters,
                                PartProgress& progress, const TrainingContext& context) {
  TrainOptions options;
  options.valid = &part.valid;
  options.progress = &progress;
  Model model = train(part.train, parameters, options, context);
  if (progress.stopped()) return std::nullopt;
  return model;
}

std::optional<Trial> run_trial(const std::vector<TrainValid>& parts, const Parameters& parameters,
                               PartProgress& progress, const TrialMemory& memory) {
  Trial trial;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string key = fmt::format("{} part {}", memory.cell, i);
    if (const auto* errors = memory.log ? memory.log->find(key) : nullptr) {
      progress.skip(errors->size());
      add_errors(trial.errors, *errors, i);
      continue;
    }
    TrainingContext context;
    context.checkpoint = memory.checkpoint;
    context.part = key;
    auto model = train_part(parts[i], parameters, progress, context);
    if (!model) return std::nullopt;
    const std::vector<double> errors = model->log().column("valid_error");
    if (memory.log) memory.log->add(key, errors);
    // The model of the first is used further on.
    if (memory.checkpoint && i > 0) memory.checkpoint->drop(key);
    add_errors(trial.errors, errors, i);
    if (i == 0) trial.model = std::move(model);
  }
  for (double& error : trial.errors) error /= static_cast<double>(parts.size());
  return trial;
}

}  // namespace

std::vector<Parameters> grid_points(const Parameters& parameters,
                                    const std::vector<GridAxis>& grid) {
  std::vector<Parameters> points{parameters};
  for (const GridAxis& axis : grid) {
    std::vector<Parameters> finer;
    for (const Parameters& point : points) {
      for (const std::string& value : axis.values) {
        finer.push_back(point);
        set_parameter(finer.back(), axis.parameter, value);
      }
    }
    points = std::move(finer);
  }
  return points;
}

StoppingTime choose_rounds(RoundsRule rule, const std::vector<double>& errors) {
  if (rule == RoundsRule::kSmoothed) return smoothed_stopping_time(errors);
  const std::size_t rounds = rule == RoundsRule::kBest ? least_round(errors) : errors.size();
  return {rounds, errors[rounds - 1]};
}

std::optional<Selection> select_settings(const std::vector<TrainValid>& parts,
                                         const Parameters& parameters,
                                         const std::vector<GridAxis>& grid, RoundsRule rule,
                                         PartProgress& progress, const TrialMemory& memory) {
  std::optional<Selection> best;
  for (const Parameters& point : grid_points(parameters, grid)) {
    auto trial =
        run_trial(parts, point, progress,
                  {memory.log, memory.cell + " " + grid_words(point, grid), memory.checkpoint});
    if (!trial) return std::nullopt;
    const auto [rounds, error] = choose_rounds(rule, trial->errors);
    if (best && !(error < best->valid_error)) continue;
    best = Selection{point, rounds, error, std::move(trial->model),
                     fmt::format("{}{} rounds; validation error {:.2f} %", grid_words(point, grid),
                                 rounds, 100 * error)};
  }
  return best;
}

}  // namespace simplexboost
