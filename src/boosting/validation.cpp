#include "boosting/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "boosting/setup/data_check.h"
#include "boosting/trainer.h"
#include "model/predict/link.h"
#include "simplexboost/error.h"
#include "simplexboost/memory.h"

namespace simplexboost {
namespace {

RowSpace checked_space(const Dataset& valid, const Dataset& train, const RowSpace& of_train) {
  const RowSpace space(valid.rows, of_train.threads(), of_train.ranks());
  check_validation_data(valid, train, space);
  return space;
}

// The log calls the Hamming loss of sets an error too.
std::string watched_figure(const std::optional<Metric>& watched, bool multi_label) {
  const std::string error = find_metric("error", multi_label).json_name();
  const std::string name = watched ? watched->json_name() : "risk";
  return name == error ? "error" : name;
}

// Where the device has the rows of whole rounds, and room for these beside them, on all ranks.
std::unique_ptr<TrainingDevice> rows_there(const Dataset& valid, const BinnedDataset& bins,
                                           const RowSpace& space, const TrainingDevice* device,
                                           const Codebook* codebook, std::size_t classes) {
  if (!device || !device->rounds) return nullptr;
  constexpr std::size_t kSpare = 2;  // histograms grow
  const std::size_t leaves = device->rounds->most_leaves();
  const std::size_t wanted = kSpare * DeviceValidation::memory(bins, codebook, classes, leaves);
  if (!space.every(device->rounds->yet_to_take() + wanted <= device->device->usable_memory()))
    return nullptr;
  auto there = std::make_unique<TrainingDevice>();
  there->device = device->device;
  there->watched = std::make_unique<DeviceValidation>(DeviceValidation{
      DeviceBins(*device->device, bins), DeviceScores(*device->device, valid.labels, valid.weights,
                                                      space, codebook, classes, leaves)});
  there->watched->bins.reserve_walk(leaves);
  return there;
}

RoundWatch watch_of(const Composition& chosen, const TrainOptions& options) {
  if (!options.watch_figure) return make_round_watch(chosen);
  return make_round_watch(chosen, options.figures.front().higher_is_better);
}

}  // namespace

Validation::Validation(const Dataset& valid, const LearnerData& train, const Composition& chosen,
                       const TrainOptions& options, const std::string& prefix, std::size_t set)
    : data_(valid),
      chosen_(chosen),
      figures_(options.figures),
      set_(set),
      space_(checked_space(valid, train.raw, chosen.problem.space)),
      bins_(valid, train.bins.all_bins(), space_.threads(), {memory_rules().bins_folder}),
      there_(rows_there(valid, bins_, space_, train.device, chosen.codebook(),
                        chosen.problem.classes)),
      board_(valid.labels, valid.weights, space_, chosen.codebook(), chosen.problem.classes,
             there_ ? &there_->watched->scores : nullptr),
      watch_(watch_of(chosen, options)),
      error_column_(prefix + "error"),
      log_loss_column_(prefix + "log_loss"),
      watched_column_(prefix + (options.watch_figure
                                    ? figures_.front().name
                                    : watched_figure(chosen.watched, valid.labels.multi_label()))),
      watched_name_(options.watch_figure ? figures_.front().name
                    : chosen.watched     ? chosen.watched->name()
                                         : "risk") {
  set_images(valid, chosen, bins_);
  for (const std::string& name : options.metrics) {
    const Metric metric = find_metric(name, valid.labels.multi_label());
    const std::string column = prefix + watched_figure(metric, valid.labels.multi_label());
    const bool taken = column == error_column_ || column == log_loss_column_ ||
                       std::count(more_columns_.begin(), more_columns_.end(), column) > 0;
    if (taken) continue;
    more_.push_back(metric);
    more_columns_.push_back(column);
  }
  for (const RoundFigure& figure : figures_) figure_columns_.push_back(prefix + figure.name);
}

void check_figures(const TrainOptions& options, const Composition& chosen,
                   const Ensemble& ensemble) {
  const bool multi_label = ensemble.schema.multi_label;
  const bool probabilities = ensemble.link != Link::kNone;
  if (options.watch_figure && options.figures.empty())
    throw ParameterError("watch_figure: there is no figure of one's own to watch");
  std::set<std::string> names{"error", "log_loss", "risk"};
  for (const std::string& name : options.metrics)
    names.insert(find_metric(name, multi_label).json_name());
  if (chosen.watched && !options.watch_figure) names.insert(chosen.watched->json_name());
  for (const RoundFigure& figure : options.figures) {
    if (figure.name.empty() || !figure.value)
      throw ParameterError("figures: each needs a name and a function");
    if (!names.insert(figure.name).second)
      throw ParameterError(fmt::format(
          "figures: '{}' is the name of another one; call yours otherwise", figure.name));
    if (figure.probabilities && !probabilities)
      throw ParameterError(fmt::format(
          "figures: '{}' takes probabilities, which this model does not tell; take scores",
          figure.name));
  }
  for (const std::string& name : options.metrics) {
    const Metric metric = find_metric(name, multi_label);
    if (!probabilities && (metric.parts() & kTallyProbabilities) != 0)
      throw ParameterError(fmt::format(
          "metrics: {} takes probabilities, which this model does not tell", metric.name()));
  }
}

void Validation::resume(const TrainingLog& log, std::size_t rounds) {
  for (std::size_t r = 0; r < rounds; ++r)
    watch_.add(log.value(watched_column_, r).value_or(std::numeric_limits<double>::quiet_NaN()));
}

void Validation::add(WeakLearner& learner, const RowVectors& hypothesis, double length,
                     LeafPrecision precision) {
  RowVectors here = learner.apply({data_, bins_, nullptr, space_, nullptr, there_.get()});
  here.code = hypothesis.code;
  here.minus_output = hypothesis.minus_output;
  board_.add(here, length, precision);
}

void Validation::judge(const Ensemble& ensemble, std::vector<RoundMetric>& metrics) {
  metrics.push_back({error_column_, board_.error()});
  if (!ensemble.schema.multi_label && ensemble.link != Link::kNone)
    metrics.push_back({log_loss_column_, board_.log_loss(ensemble)});
  judge_more(ensemble, metrics);
  for (const RoundMetric& metric : metrics)
    if (metric.name == watched_column_) return watch_.add(metric.value);
  const std::optional<Metric>& watched = chosen_.watched;
  const double value = watched
                           ? watched->value(board_.evaluate(ensemble, watched->parts()))
                           : board_.risk(*chosen_.loss, *chosen_.codebook(), chosen_.problem.costs);
  metrics.push_back({watched_column_, value});
  watch_.add(value);
}

void Validation::judge_more(const Ensemble& ensemble, std::vector<RoundMetric>& metrics) {
  if (!more_.empty()) {
    const Evaluation evaluation = board_.evaluate(ensemble, parts_of(more_));
    for (std::size_t i = 0; i < more_.size(); ++i)
      metrics.push_back({more_columns_[i], more_[i].value(evaluation)});
  }
  for (const bool probabilities : {false, true}) {
    const auto wanted = [&](const RoundFigure& figure) {
      return figure.probabilities == probabilities;
    };
    if (std::none_of(figures_.begin(), figures_.end(), wanted)) continue;
    Matrix values = board_.class_scores();
    if (probabilities)
      for (std::size_t i = 0; i < values.rows; ++i)
        to_probabilities(ensemble, {values.row(i), values.columns});
    for (std::size_t i = 0; i < figures_.size(); ++i)
      if (wanted(figures_[i]))
        metrics.push_back({figure_columns_[i], figures_[i].value(set_, data_, values)});
  }
}

std::string Validation::stale() const {
  const int patience = chosen_.parameters.early_stopping;
  if (!stops_early() || watch_.rounds_since_best() < static_cast<std::size_t>(patience)) return {};
  return fmt::format("no better validation {} in {} rounds", watched_name_, patience);
}

}  // namespace simplexboost
