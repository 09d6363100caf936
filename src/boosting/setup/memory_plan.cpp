#include "boosting/setup/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/memory.h"
#include "optimizer/newton_boosting.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::uint64_t bytes_of_bins(std::uint64_t rows, const std::vector<FeatureBins>& bins) {
  constexpr double kEntry = 2.5;  // with its part in where rows begin
  const bool wide = std::any_of(bins.begin(), bins.end(),
                                [](const FeatureBins& b) { return b.missing_bin() > 255; });
  double of_a_row = 0;
  for (const FeatureBins& one : bins)
    of_a_row += one.sparse() ? kEntry * static_cast<double>(one.others) : (wide ? 2.0 : 1.0);
  return static_cast<std::uint64_t>(of_a_row * static_cast<double>(rows));
}

// Statistics vectors of so many pulls: with a count and a weight, in whole vectors of eight.
std::uint64_t channels_of(std::uint64_t pulls) { return (2 + pulls + 7) / 8 * 8; }

std::uint64_t sketch_of(const Composition& chosen) {
  const auto sketch = static_cast<std::uint64_t>(std::max(chosen.parameters.sketch, 0));
  return sketch > 0 ? std::min<std::uint64_t>(sketch, chosen.outputs()) : 0;
}

// Those that histograms are of.
std::uint64_t channels(const Composition& chosen) {
  if (sketch_of(chosen) > 0) return channels_of(sketch_of(chosen));
  return channels_of(chosen.algorithm.whole_statistics ? chosen.outputs() : 1);
}

std::uint64_t bytes_of_row(const Dataset& data, const Composition& chosen) {
  // The order of the rows twice, their leaves, classes, weights and figures.
  constexpr std::uint64_t kAnyRow = 40;
  constexpr std::uint64_t kLinear = 2;  // arrays more: what the lines say, and what they leave
  const bool linear = chosen.parameters.learner == "linear";
  const std::size_t outputs = chosen.outputs();
  const auto arrays = static_cast<std::uint64_t>(chosen.algorithm.arrays);
  const std::uint64_t kept =
      arrays > 0 ? arrays * outputs
                 : NewtonBoosting::floats_of_row(data.rows, outputs, sketch_of(chosen));
  return kAnyRow + sizeof(float) * (kept + (linear ? kLinear * outputs : 0) + channels(chosen));
}

// A forest has a copy of the bins, column by column, and trees whose size follows that of the data.
// Of several ranks each has the bins of all rows, and their labels and weights.
std::uint64_t bytes_of_forest(const std::vector<FeatureBins>& bins, const Composition& chosen) {
  constexpr std::uint64_t kTreeOfRow = 24;  // measured, on data that are hard to tell apart
  constexpr std::uint64_t kLabelOfRow = sizeof(std::int32_t) + sizeof(double);
  if (chosen.algorithm.make_optimizer != nullptr) return 0;
  const RowSpace& space = chosen.problem.space;
  const std::uint64_t rows = space.all();
  const std::uint64_t gathered =
      space.parted() ? bytes_of_bins(rows, bins) + rows * kLabelOfRow : 0;
  return gathered + bytes_of_bins(rows, bins) +
         rows * kTreeOfRow * static_cast<std::uint64_t>(chosen.parameters.rounds);
}

std::uint64_t bytes_of_histograms(const std::vector<FeatureBins>& bins, const Composition& chosen) {
  if (chosen.parameters.histogram_memory > 0)
    return static_cast<std::uint64_t>(1e6 * chosen.parameters.histogram_memory);
  std::uint64_t all_bins = 0;
  for (const FeatureBins& one : bins) all_bins += one.histogram_bins();
  const double of_one = 4.0 * static_cast<double>(all_bins * channels(chosen));
  double kept = std::clamp(8 * of_one, 2e6, 512e6);
  // Several processes keep those of their features, rather than sum them again (WholeSource).
  if (const int ranks = chosen.problem.space.ranks().size(); ranks > 1)
    kept = std::max(kept, std::min(64 * of_one / ranks, 256e6));
  return static_cast<std::uint64_t>(kept);
}

std::string text_of(std::uint64_t bytes) { return size_text(static_cast<double>(bytes)); }

[[noreturn]] void refuse(const Dataset& data, const Composition& chosen, const MemoryPlan& plan,
                         const std::string& allowed) {
  throw DataError(
      Place{data.source},
      fmt::format("training would take about {}, and {}: {} are taken already, bins {}, which can "
                  "be in a file, {} for {} rows of {} outputs, {} for rows of validation, "
                  "histograms {}; use fewer rows, a smaller histogram-memory, or a sketch of the "
                  "outputs",
                  text_of(plan.total()), allowed, text_of(plan.taken), text_of(plan.bins),
                  text_of(plan.rows), data.rows, chosen.outputs(), text_of(plan.judged),
                  text_of(plan.histograms)));
}

}  // namespace

MemoryPlan plan_memory(const Dataset& data, const std::vector<FeatureBins>& bins,
                       const Composition& chosen, std::uint64_t judged) {
  MemoryPlan plan;
  plan.taken = resident_memory();
  plan.bins = bytes_of_bins(data.rows, bins);
  plan.rows = data.rows * bytes_of_row(data, chosen) + bytes_of_forest(bins, chosen);
  plan.judged = bytes_of_bins(judged, bins) + judged * (sizeof(float) * chosen.outputs() + 16);
  plan.histograms = bytes_of_histograms(bins, chosen);
  return plan;
}

StoreChoice choose_store(const Dataset& data, const std::vector<FeatureBins>& bins,
                         const Composition& chosen, std::uint64_t judged) {
  const MemoryRules rules = memory_rules();
  StoreChoice on_disk{bins_folder(rules)};
  StoreChoice usual = rules.bins_folder.empty() ? StoreChoice{} : on_disk;
  const MemoryPlan plan = plan_memory(data, bins, chosen, judged);
  if (rules.most > 0) {
    if (plan.total() <= rules.most) return usual;
    if (plan.total() - plan.bins <= rules.most) return on_disk;
    refuse(data, chosen, plan, "max-memory allows " + text_of(rules.most));
  }
  const std::uint64_t elsewhere = plan.taken + (usual.folder.empty() ? 0 : plan.bins);
  const std::uint64_t free = available_memory();
  if (plan.total() - elsewhere <= free) return usual;
  refuse(data, chosen, plan,
         fmt::format("of the {} of this machine {} are free (--bins-on-disk takes less, "
                     "--max-memory sets a bound of your own)",
                     text_of(physical_memory()), text_of(free)));
}

}  // namespace simplexboost
