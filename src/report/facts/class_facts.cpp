#include "report/facts/class_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric/calibration.h"
#include "metric/class_counts.h"
#include "report/facts/facts_json.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostCells = 40'000;
constexpr std::size_t kShownPairs = 30;
constexpr std::size_t kPairExamples = 4;

double median(std::vector<float>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

// The heaviest cell off the diagonal of each true class.
std::vector<ConfusionCell> rivals_of(const Confusion& confusion) {
  std::vector<ConfusionCell> rivals(confusion.classes(), {0, -1, 0});
  for (const ConfusionCell& cell : confusion.cells()) {
    ConfusionCell& rival = rivals[static_cast<std::size_t>(cell.truth)];
    if (cell.truth != cell.predicted && cell.weight > rival.weight) rival = cell;
  }
  return rivals;
}

}  // namespace

Confusion confusion_of(const RowFacts& facts) {
  Confusion confusion(facts.classes);
  for (std::size_t i = 0; i < facts.rows; ++i)
    confusion.add(facts.truth[i], facts.predicted[i], facts.weight[i]);
  return confusion;
}

Json class_table(const RowFacts& facts, const Confusion& confusion) {
  ClassCounts counts(facts.classes);
  std::vector<Calibration> calibration(facts.classes);
  std::vector<std::vector<float>> margins(facts.classes);
  std::vector<double> sureness(facts.classes);
  for (std::size_t i = 0; i < facts.rows; ++i) {
    counts.add(facts.truth[i], facts.predicted[i], facts.weight[i]);
    const auto said = static_cast<std::size_t>(facts.predicted[i]);
    if (facts.proba) {
      const auto top = static_cast<double>(facts.top_proba[i]);
      calibration[said].add(top, !facts.wrong(i), facts.weight[i]);
      sureness[said] += facts.weight[i] * top;
    }
    if (facts.truth[i] >= 0)
      margins[static_cast<std::size_t>(facts.truth[i])].push_back(facts.margin[i]);
  }
  const std::vector<ConfusionCell> rivals = rivals_of(confusion);
  Json table = Json::array();
  for (std::size_t k = 0; k < facts.classes; ++k) {
    const ClassSummary& one = counts.per_class()[k];
    Json line = Json::array();
    for (const double value : {one.truth, one.predicted, one.recall(), one.precision()})
      line.push_back(short_number(value));
    line.push_back(facts.proba ? short_number(sureness[k] / one.predicted - one.precision(), 3)
                               : Json());
    line.push_back(facts.proba ? short_number(calibration[k].error(), 3) : Json());
    line.push_back(short_number(median(margins[k])));
    line.push_back(rivals[k].predicted);
    line.push_back(short_number(rivals[k].weight));
    table.push_back(std::move(line));
  }
  return table;
}

Json confusion_facts(const RowFacts& facts, const Confusion& confusion) {
  const std::vector<ConfusionCell> largest = confusion.largest_confusions(kMostCells);
  double shown = 0;
  Json cells = Json::array();
  for (const ConfusionCell& cell : largest) {
    cells.push_back(cell.truth);
    cells.push_back(cell.predicted);
    cells.push_back(short_number(cell.weight));
    shown += cell.weight;
  }
  double wrong = 0;
  std::vector<double> diagonal(facts.classes);
  for (std::size_t i = 0; i < facts.rows; ++i) {
    if (facts.truth[i] < 0) continue;
    if (facts.wrong(i))
      wrong += facts.weight[i];
    else
      diagonal[static_cast<std::size_t>(facts.truth[i])] += facts.weight[i];
  }
  Json right = Json::array();
  for (const double value : diagonal) right.push_back(short_number(value));
  const double rest = wrong - shown;
  return {{"cells", std::move(cells)},
          {"diagonal", std::move(right)},
          {"left_out", short_number(rest > 1e-9 * wrong ? rest : 0)}};
}

Json worst_pairs(const RowFacts& facts, const Confusion& confusion, const Dataset& data,
                 const std::vector<std::size_t>& features) {
  Json pairs = Json::array();
  for (const ConfusionCell& cell : confusion.largest_confusions(kShownPairs)) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < facts.rows; ++i)
      if (facts.truth[i] == cell.truth && facts.predicted[i] == cell.predicted) rows.push_back(i);
    // The surest mistakes first.
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return facts.margin[a] < facts.margin[b];
    });
    if (rows.size() > kPairExamples) rows.resize(kPairExamples);
    Json examples = Json::array();
    for (const std::uint32_t row : rows) examples.push_back(row_json(facts, data, row, features));
    pairs.push_back({{"truth", cell.truth},
                     {"said", cell.predicted},
                     {"weight", short_number(cell.weight)},
                     {"rows", std::move(examples)}});
  }
  return pairs;
}

}  // namespace simplexboost
