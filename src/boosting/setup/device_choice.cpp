#include "boosting/setup/device_choice.h"

#include <fmt/format.h>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Newton's, of built-in losses and canonical codewords, and nothing that weighs rows by their
// pulls.
bool has_whole_rounds(const Composition& chosen) {
  const Parameters& parameters = chosen.parameters;
  const Codebook* const codebook = chosen.codebook();
  return chosen.algorithm.name == "newton" && codebook &&
         codebook->kind() == CodebookKind::kCanonical && chosen.loss &&
         chosen.loss->facts().formula != LossFacts::kNoFormula && chosen.problem.costs.empty() &&
         !chosen.problem.labels.multi_label() && parameters.bootstrap == "none" &&
         parameters.resample == "none" && !(parameters.weight_floor > 0) &&
         parameters.split_noise == 0 &&
         (parameters.sketch == 0 || parameters.sketch_kind == "projection");
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
  // Where pulls and scores of all rows have no room, they stay here, and trees alone are grown
  // there.
  const Problem& problem = chosen.problem;
  const auto fits = [&] {
    return DeviceRounds::memory(problem.rows(), problem.classes, chosen.loss->facts()) +
               data.memory() <
           result->device->free_memory();
  };
  if (has_whole_rounds(chosen) && space.every(fits())) {
    try {
      result->rounds = std::make_unique<DeviceRounds>(result->device, data, chosen.problem,
                                                      chosen.loss->facts());
    } catch (const NoRoom&) {
      if (space.parted()) throw;  // the others have gone on
    }
  }
  if (!result->rounds) result->bins = std::make_unique<DeviceBins>(*result->device, data);
  return result;
}

}  // namespace simplexboost
