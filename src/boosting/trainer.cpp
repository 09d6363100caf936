#include "boosting/trainer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/memory.h"
#include "boosting/setup/memory_plan.h"
#include "cuda/device.h"
#include "data/default_bins.h"
#include "data/labels/class_shares.h"
#include "data/target_statistics.h"
#include "simplexboost/error.h"

namespace simplexboost {

namespace {

std::vector<FeatureBins> bins_for(const Dataset& data, const Composition& chosen,
                                  const std::vector<FeatureBins>* given) {
  // What a set of a model can hold.
  constexpr std::size_t kMostCategories = std::size_t{32} * 65'535;
  for (const Column& column : data.columns)
    if (column.schema.categories.size() > kMostCategories)
      throw DataError(Place{data.source}, "column '" + column.schema.name + "' has " +
                                              std::to_string(column.schema.categories.size()) +
                                              " categories; the most are " +
                                              std::to_string(kMostCategories) + "; leave it out");
  if (!given)
    return choose_bins(data, {chosen.parameters.max_bins, chosen.problem.space.threads()},
                       chosen.problem.space.ranks());
  if (given->size() != data.columns.size())
    throw DataError(Place{data.source}, "the bins given are of other columns");
  return *given;
}

// Devices know dense features alone. Direct trees ask for the bins of all rows, feature by feature,
// which takes several times as long where they are sparse; but where memory is short, they can.
bool wants_dense(const Dataset& data, const Composition& chosen) {
  const std::uint64_t bytes = std::uint64_t{data.rows} * data.columns.size();
  return names_device(chosen.parameters.device) ||
         (chosen.learner.family == LearnerFamily::kDirect && bytes < physical_memory() / 4);
}

// Where histograms are filled. Few rows gain nothing by it.
ByteUse byte_use(const Composition& chosen) {
  constexpr std::size_t kFewRows = 10'000;
  const bool filled = !names_device(chosen.parameters.device) && chosen.algorithm.make_optimizer &&
                      chosen.learner.family != LearnerFamily::kDirect;
  if (!filled || chosen.problem.space.all() < kFewRows) return ByteUse::kOneFeature;
  return chosen.problem.space.parted() ? ByteUse::kDigits : ByteUse::kShared;
}

StatisticsOptions statistics_options(const Parameters& parameters) {
  return {static_cast<std::size_t>(parameters.subset_values), parameters.max_bins, parameters.seed};
}

std::uint64_t judged_rows(const TrainOptions& options) {
  std::uint64_t rows = options.valid != nullptr ? options.valid->rows : 0;
  for (const Dataset* valid : options.also_valid) rows += valid->rows;
  return rows;
}

}  // namespace

BinnedDataset bin_rows(const Dataset& data, const Composition& chosen, const TrainOptions& options,
                       const std::vector<FeatureBins>* given) {
  TargetStatistics statistics =
      make_target_statistics(data, bins_for(data, chosen, given),
                             statistics_options(chosen.parameters), chosen.problem.space);
  if (wants_dense(data, chosen)) forget_defaults(statistics.bins);
  const StoreChoice store = choose_store(data, statistics.bins, chosen, judged_rows(options));
  BinnedDataset result(data, std::move(statistics.bins), chosen.problem.space.threads(), store,
                       byte_use(chosen));
  for (std::size_t s = 0; s < statistics.of_rows.size(); ++s)
    result.set_bins(data.columns.size() + s, statistics.of_rows[s]);
  return result;
}

// What a model says of the rows that its statistics were made of has seen their labels.
void check_past_statistics(const Dataset& data, const Parameters& parameters) {
  if (!has_target_statistics(data, statistics_options(parameters))) return;
  std::size_t most = 0;
  for (const Column& column : data.columns) most = std::max(most, column.schema.categories.size());
  throw ParameterError(
      "init: the data has categories of many values, which are told by statistics of the labels "
      "before each row; another model does not keep them. Train anew, or with subset-values " +
      std::to_string(most));
}

void set_images(const Dataset& data, const Composition& chosen, BinnedDataset& bins) {
  if (!chosen.image.empty())
    bins.set_images(
        std::make_shared<IntegralImages>(data, chosen.image, chosen.problem.space.threads()));
}

std::vector<float> read_scores(ByteReader& in, std::size_t count) {
  std::vector<float> scores;
  in(scores);
  const bool finite =
      std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); });
  if (scores.size() != count || !finite)
    throw ModelError("the scores in the checkpoint are not those of the rows");
  return scores;
}

Ensemble new_ensemble(const Dataset& data, const Composition& chosen, const TrainOptions& options) {
  Ensemble ensemble;
  ensemble.algorithm = chosen.algorithm.name;
  // The model does not depend on who made it, nor should its bytes.
  for (const ParameterSpec& spec : parameter_specs())
    if (!spec.of_machine)
      ensemble.parameters[std::string(spec.name)] = get_parameter(chosen.parameters, spec.name);
  // Nor on what was not asked for and is named only where it was.
  for (const char* name : {"monotone", "interactions"})
    if (ensemble.parameters[name] == "none") ensemble.parameters.erase(name);
  if (chosen.parameters.subset_values == Parameters().subset_values)
    ensemble.parameters.erase("subset-values");
  if (options.make_learner) ensemble.parameters["learner"] = "custom";
  if (chosen.loss) ensemble.parameters["loss"] = chosen.loss->name();
  ensemble.schema = data.schema();
  ensemble.forest.outputs = static_cast<std::uint32_t>(chosen.outputs());
  ensemble.forest.image = chosen.image;
  ensemble.forest.leaf_values =
      LeafValues(chosen.parameters.leaf_precision == kHalfName ? LeafPrecision::kBfloat16
                                                               : LeafPrecision::kFloat32);
  ensemble.bias.assign(chosen.outputs(), 0);
  ensemble.class_shares =
      shares_of_classes(chosen.problem.labels, chosen.problem.weights, chosen.problem.space);
  chosen.algorithm.set_link(ensemble, chosen.parts());
  return ensemble;
}

RoundWatch make_round_watch(const Composition& chosen) {
  return make_round_watch(chosen, chosen.watched && chosen.watched->higher_is_better());
}

RoundWatch make_round_watch(const Composition& chosen, bool higher_is_better) {
  const BestRoundRule rule = best_round_rule(chosen.parameters.early_stopping_rule);
  const int start = chosen.parameters.early_stopping_start;
  const std::size_t usual = rule == BestRoundRule::kSmoothed ? RoundWatch::kSmoothedStart : 0;
  return {rule, higher_is_better, start < 0 ? usual : static_cast<std::size_t>(start)};
}

}  // namespace simplexboost
