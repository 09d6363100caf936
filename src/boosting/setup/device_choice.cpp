#include "boosting/setup/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

bool is_newton(const Composition& chosen) { return chosen.algorithm.name == "newton"; }

bool is_vote(const Composition& chosen) {
  return chosen.algorithm.name == "samme" || chosen.algorithm.name == "adaboost-m1";
}

// Newton's of canonical codewords and gd-mcboost's, of built-in losses, and samme's; and nothing
// that weighs rows by their pulls.
bool has_whole_rounds(const Composition& chosen) {
  const Parameters& parameters = chosen.parameters;
  const Codebook* const codebook = chosen.codebook();
  const bool newton = is_newton(chosen) && codebook &&
                      codebook->kind() == CodebookKind::kCanonical &&
                      (parameters.sketch == 0 || parameters.sketch_kind == "projection");
  const bool built_in = chosen.loss && chosen.loss->facts().formula != LossFacts::kNoFormula;
  const bool known = (newton || chosen.algorithm.name == "gd-mcboost") && built_in;
  return (known || is_vote(chosen)) && chosen.problem.costs.empty() &&
         !chosen.problem.labels.multi_label() && parameters.bootstrap == "none" &&
         parameters.resample == "none" && !(parameters.weight_floor > 0) &&
         parameters.split_noise == 0;
}

// What shapes the trees, and how many channels it has.
std::pair<RoundPulls, std::size_t> round_pulls(const Composition& chosen) {
  const std::size_t classes = chosen.problem.classes;
  const auto sketch = static_cast<std::size_t>(chosen.parameters.sketch);
  if (is_newton(chosen))
    return {RoundPulls::kNewton, sketch > 0 && sketch < classes ? sketch : classes};
  if (is_vote(chosen)) return {RoundPulls::kOwnClass, classes};
  if (pulls_by_class(chosen.parts())) return {RoundPulls::kClasses, classes};
  return {RoundPulls::kOutputs, chosen.outputs()};
}

RoundShape round_shape(const Composition& chosen) {
  constexpr int kManyLevels = 31;
  const Parameters& parameters = chosen.parameters;
  const TreeSize size = tree_size(chosen.learner, parameters);
  std::size_t leaves = std::max<std::size_t>(chosen.problem.space.all(), 1);
  if (size.leaves > 0) leaves = std::min(leaves, static_cast<std::size_t>(size.leaves));
  if (size.depth > 0 && size.depth < kManyLevels)
    leaves = std::min(leaves, std::size_t{1} << static_cast<unsigned>(size.depth));
  const auto [pulls, width] = round_pulls(chosen);
  return {chosen.loss ? chosen.loss->facts() : LossFacts(), chosen.codebook(), pulls, width,
          leaves};
}

}  // namespace

std::unique_ptr<TrainingDevice> make_training_device(const Composition& chosen,
                                                     const BinnedDataset& data) {
  if (!names_device(chosen.parameters.device)) return nullptr;
  const auto refuse = [](const std::string& what) {
    throw ParameterError(
        fmt::format("device: {} runs on the CPU; leave it out, or use --device cpu", what));
  };
  if (chosen.own_learner) refuse("a learner of one's own");
  if (!chosen.image.empty()) refuse("a training with image filters");
  if (!grown_by_histograms(chosen.learner))
    refuse(fmt::format("{} with the learner {}", chosen.algorithm.name, chosen.learner.name));
  auto result = std::make_unique<TrainingDevice>();
  const RowSpace& space = chosen.problem.space;
  result->device =
      open_device(space.parted() ? device_of_rank(chosen.parameters.device, space.ranks())
                                 : chosen.parameters.device);
  if (!has_whole_rounds(chosen)) return result;
  // Where pulls and scores of all rows have no room, they stay here, and trees alone are grown
  // there.
  const RoundShape shape = round_shape(chosen);
  const std::size_t wanted = DeviceRounds::memory(data, chosen.problem, shape);
  if (!space.every(wanted <= result->device->usable_memory())) return result;
  try {
    result->rounds = std::make_unique<DeviceRounds>(result->device, data, chosen.problem, shape);
  } catch (const NoRoom&) {
    if (space.parted()) throw;  // the others have gone on
  }
  return result;
}

}  // namespace simplexboost
