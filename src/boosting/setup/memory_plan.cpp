#include "boosting/setup/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/memory.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr double kMegabyte = 1 << 20;

std::string size_text(std::uint64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / kMegabyte;
  return megabytes < 1024 ? fmt::format("{:.0f} MB", megabytes)
                          : fmt::format("{:.1f} GB", megabytes / 1024);
}

std::uint64_t bytes_of_bins(std::uint64_t rows, const std::vector<FeatureBins>& bins) {
  constexpr double kEntry = 2.5;  // with its part in where rows begin
  const bool wide = std::any_of(bins.begin(), bins.end(),
                                [](const FeatureBins& b) { return b.missing_bin() > 255; });
  double of_a_row = 0;
  for (const FeatureBins& one : bins)
    of_a_row += one.sparse() ? kEntry * static_cast<double>(one.others) : (wide ? 2.0 : 1.0);
  return static_cast<std::uint64_t>(of_a_row * static_cast<double>(rows));
}

}  // namespace

MemoryPlan plan_memory(const Dataset& data, const std::vector<FeatureBins>& bins,
                       const Composition& chosen) {
  const std::uint64_t rows = data.rows;
  const std::uint64_t outputs = chosen.outputs();
  const auto sketch = static_cast<std::uint64_t>(std::max(chosen.parameters.sketch, 0));
  // Those of a statistics vector: a count, a weight and the pulls, in whole vectors of eight.
  const std::uint64_t channels =
      (2 + (sketch > 0 ? std::min(sketch, outputs) : outputs) + 7) / 8 * 8;
  std::uint64_t all_bins = 0;
  for (const FeatureBins& one : bins) all_bins += one.histogram_bins();
  MemoryPlan plan;
  plan.taken = resident_memory();
  plan.bins = bytes_of_bins(rows, bins);
  // Scores and pulls, the integers of the statistics, the order of the rows twice, their leaves and
  // weights.
  plan.rows = rows * (4 * (2 * outputs + channels) + 16);
  const double histogram = 4.0 * static_cast<double>(all_bins * channels);
  const double kept = chosen.parameters.histogram_memory > 0
                          ? 1e6 * chosen.parameters.histogram_memory
                          : std::clamp(8 * histogram, 2e6, 512e6);
  plan.histograms = static_cast<std::uint64_t>(kept);
  return plan;
}

StoreChoice choose_store(const Dataset& data, const std::vector<FeatureBins>& bins,
                         const Composition& chosen) {
  const MemoryRules rules = memory_rules();
  StoreChoice on_disk{bins_folder(rules)};
  if (rules.most == 0) return rules.bins_folder.empty() ? StoreChoice{} : on_disk;
  const MemoryPlan plan = plan_memory(data, bins, chosen);
  if (plan.total() <= rules.most) return rules.bins_folder.empty() ? StoreChoice{} : on_disk;
  if (plan.total() - plan.bins <= rules.most) return on_disk;
  throw DataError(
      Place{data.source},
      fmt::format("training would take about {}, and max-memory allows {}: {} are taken already, "
                  "bins {}, which can be in a file, {} for {} rows of {} outputs, histograms {}; "
                  "use fewer rows, a smaller histogram-memory, or a sketch of the outputs",
                  size_text(plan.total()), size_text(rules.most), size_text(plan.taken),
                  size_text(plan.bins), size_text(plan.rows), data.rows, chosen.outputs(),
                  size_text(plan.histograms)));
}

}  // namespace simplexboost
