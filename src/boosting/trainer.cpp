#include "boosting/trainer.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "data/class_shares.h"
#include "simplexboost/error.h"

namespace simplexboost {

std::vector<FeatureBins> bins_for(const Dataset& data, const Composition& chosen,
                                  const std::vector<FeatureBins>* given) {
  if (!given)
    return choose_bins(data, {chosen.parameters.max_bins, chosen.problem.space.threads()},
                       chosen.problem.space.ranks());
  if (given->size() != data.columns.size())
    throw DataError(Place{data.source}, "the bins given are of other columns");
  return *given;
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
  for (const ParameterSpec& spec : parameter_specs())
    ensemble.parameters[std::string(spec.name)] = get_parameter(chosen.parameters, spec.name);
  // The model does not depend on how many threads made it, nor should its bytes.
  ensemble.parameters.erase("threads");
  // Nor on what was not asked for and is named only where it was.
  for (const char* name : {"monotone", "interactions"})
    if (ensemble.parameters[name] == "none") ensemble.parameters.erase(name);
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
