#include "boosting/forest_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "boosting/bagging/past_votes.h"
#include "model/model_access.h"
#include "model/predict/pool.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// What says which rows the trees of the forest have seen, kept among the parameters of the joint
// model under names of its own.
constexpr const char* kPrefix = "forest-";
constexpr std::array kBagNames{"seed", "bootstrap", "row-fraction"};
constexpr std::array kFigureNames{"oob_error", "oob_log_loss"};

bool is_forest(const Ensemble& ensemble) {
  return ensemble.members.size() == 1 && ensemble.members[0].link == Link::kShares;
}

bool is_joint(const Ensemble& ensemble) {
  return ensemble.pool == Pool::kProduct && ensemble.members.size() == 2 &&
         ensemble.members[0].link == Link::kShares && ensemble.members[1].link == Link::kSoftmax;
}

// Its last figures only: all that add_past_votes() compares.
TrainingLog forest_log(const Ensemble& joint, std::size_t trees) {
  TrainingLog log;
  log.columns.assign(kFigureNames.begin(), kFigureNames.end());
  log.values.assign(trees * kFigureNames.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t c = 0; c < kFigureNames.size() && trees > 0; ++c) {
    const auto found = joint.parameters.find(std::string(kPrefix) + kFigureNames[c]);
    if (found == joint.parameters.end()) continue;
    log.values[(trees - 1) * kFigureNames.size() + c] = std::strtod(found->second.c_str(), nullptr);
  }
  return log;
}

// The trees of the forest stand before all others, and add to outputs of their own.
std::optional<std::size_t> count_forest_trees(const Ensemble& joint) {
  const std::vector<TreeSpan>& trees = joint.forest.trees;
  const auto of_forest = [&](const TreeSpan& tree) { return tree.output < joint.classes(); };
  const auto end = std::find_if_not(trees.begin(), trees.end(), of_forest);
  if (std::any_of(end, trees.end(), of_forest)) return std::nullopt;
  const auto fits = [&](const TreeSpan& tree) {
    return tree.output + tree.width <= joint.classes();
  };
  if (!std::all_of(trees.begin(), end, fits)) return std::nullopt;
  const auto count = static_cast<std::size_t>(end - trees.begin());
  if (joint.forest.rounds() == 0 || joint.forest.round_end[0] < count) return std::nullopt;
  return count;
}

Ensemble forest_part(const Ensemble& joint, const Forest& parted, std::size_t trees) {
  Ensemble result;
  result.algorithm = "forest";
  for (const char* name : kBagNames)
    if (const auto found = joint.parameters.find(std::string(kPrefix) + name);
        found != joint.parameters.end())
      result.parameters[name] = found->second;
  result.schema = joint.schema;
  result.members = {joint.members[0]};
  result.link_scale = std::exchange(result.members[0].weight, 1);
  result.forest.outputs = static_cast<std::uint32_t>(joint.classes());
  for (std::size_t t = 0; t < trees; ++t) {
    append_round(result.forest, parted, t, 1, 0);
    result.forest.round_end.push_back(static_cast<std::uint32_t>(t + 1));
  }
  const auto bias = joint.bias.begin();
  result.bias.assign(bias, bias + static_cast<std::ptrdiff_t>(joint.classes()));
  result.log = forest_log(joint, trees);
  return result;
}

Ensemble boosted_part(const Ensemble& joint, const Forest& parted, std::size_t trees) {
  Ensemble result;
  result.algorithm = joint.algorithm;
  result.parameters = joint.parameters;
  std::erase_if(result.parameters, [](const auto& one) { return one.first.starts_with(kPrefix); });
  result.schema = joint.schema;
  result.link_scale = joint.members[1].scale;
  result.forest.outputs = static_cast<std::uint32_t>(joint.classes());
  result.forest.leaf_values = LeafValues(joint.forest.leaf_values.precision());
  for (std::size_t r = trees; r < parted.rounds(); ++r) {
    append_round(result.forest, parted, r, 1, 0);
    result.forest.round_end.push_back(static_cast<std::uint32_t>(result.forest.trees.size()));
  }
  for (TreeSpan& tree : result.forest.trees) {
    tree.output -= result.forest.outputs;
    if (tree.minus_output != kNoOutput) tree.minus_output -= result.forest.outputs;
  }
  result.bias.assign(joint.bias.begin() + static_cast<std::ptrdiff_t>(joint.classes()),
                     joint.bias.end());
  result.log = joint.log;
  return result;
}

// With log p for p; the scale is 1 where the scores are log p.
std::vector<float> to_start(Matrix probabilities, double link_scale) {
  to_pooled_scores(false, probabilities);
  for (float& score : probabilities.values)
    score = static_cast<float>(static_cast<double>(score) / link_scale);
  return std::move(probabilities.values);
}

}  // namespace

std::optional<ForestStart> find_forest_start(const Model& model) {
  const Ensemble& ensemble = ensemble_of(model);
  if (is_forest(ensemble)) return ForestStart{ensemble, std::nullopt};
  if (!is_joint(ensemble)) return std::nullopt;
  const std::optional<std::size_t> trees = count_forest_trees(ensemble);
  if (!trees) return std::nullopt;
  // A round for each tree of the forest, then those of boosting.
  Forest parted = ensemble.forest;
  std::vector<std::uint32_t> ends;
  for (std::size_t t = 1; t <= *trees; ++t) ends.push_back(static_cast<std::uint32_t>(t));
  ends.insert(ends.end(), parted.round_end.begin(), parted.round_end.end());
  parted.round_end = std::move(ends);
  return ForestStart{forest_part(ensemble, parted, *trees), boosted_part(ensemble, parted, *trees)};
}

void check_forest_start(const Ensemble& forest, const Ensemble& boosted,
                        const std::string& source) {
  if (boosted.link != Link::kSoftmax || !boosted.codewords.empty() || boosted.simplex ||
      boosted.schema.multi_label || boosted.algorithm != "newton")
    throw ParameterError(fmt::format(
        "algorithm: only newton, for one label a row, starts from a forest, not {}{}; to grow more "
        "trees, say forest",
        boosted.algorithm, boosted.schema.multi_label ? " for several labels" : ""));
  if (forest.schema.classes != boosted.schema.classes || forest.schema.multi_label)
    throw DataError(Place{source}, "the classes are not those of the forest to start from");
}

std::vector<float> start_scores(const Ensemble& forest, const Dataset& data, double link_scale,
                                int threads) {
  const Model model = make_model(std::make_shared<Ensemble>(forest));
  return to_start(model.predict_proba(data, {threads, 0}), link_scale);
}

std::vector<float> unseen_start_scores(const Ensemble& forest, const Dataset& data,
                                       const BinnedDataset& bins, double link_scale,
                                       const RowSpace& space) {
  VoteBoard board(bins, data.labels, data.weights, forest.members[0].shift, space);
  const std::vector<double> weights = gather_values<double>(space.ranks(), data.weights);
  if (!add_past_votes(forest, data, weights, space, board))
    throw ParameterError(
        "init: boosting starts from what the trees of the forest say of rows that they did not "
        "see; so give the rows and weights that it was trained on, and train it with --bootstrap "
        "plain");
  Matrix probabilities = board.probabilities();
  rescale(forest, space.threads(), probabilities);
  return to_start(std::move(probabilities), link_scale);
}

Ensemble join_forest_start(const Ensemble& forest, const Ensemble& boosted) {
  const std::size_t classes = boosted.classes();
  Ensemble joint;
  joint.algorithm = boosted.algorithm;
  joint.parameters = boosted.parameters;
  for (const char* name : kBagNames)
    if (const auto found = forest.parameters.find(name); found != forest.parameters.end())
      joint.parameters[std::string(kPrefix) + name] = found->second;
  const std::size_t trees = forest.forest.rounds();
  for (const char* name : kFigureNames)
    if (const auto value = forest.log.value(name, trees - 1))
      joint.parameters[std::string(kPrefix) + name] = fmt::format("{}", *value);
  joint.schema = boosted.schema;
  joint.pool = Pool::kProduct;
  joint.members = forest.members;
  joint.members[0].name = fmt::format("forest: {} trees", trees);
  joint.members[0].weight = forest.link_scale;
  joint.members.push_back({boosted.algorithm, Link::kSoftmax, boosted.link_scale, 0, 1});
  joint.forest.outputs = static_cast<std::uint32_t>(2 * classes);
  joint.forest.leaf_values = LeafValues(boosted.forest.leaf_values.precision());
  append_forest(joint.forest, forest.forest, 1);
  for (std::size_t r = 0; r < boosted.forest.rounds(); ++r) {
    append_round(joint.forest, boosted.forest, r, 1, classes);
    joint.forest.round_end.push_back(static_cast<std::uint32_t>(joint.forest.trees.size()));
  }
  joint.bias = forest.bias;
  joint.bias.insert(joint.bias.end(), boosted.bias.begin(), boosted.bias.end());
  joint.log = boosted.log;
  return joint;
}

}  // namespace simplexboost
