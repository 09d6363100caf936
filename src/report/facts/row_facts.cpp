#include "report/facts/row_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/random.h"
#include "base/stop.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kChunkNumbers = 4'000'000;  // of scores at a time
constexpr float kLeastProba = 1e-30F;             // its logarithm is a score

std::vector<std::uint32_t> row_range(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return rows;
}

// Rows with scores and probabilities, from the model or from those given.
struct ScoredPart {
  Matrix scores;
  Matrix proba;
};

ScoredPart score_part(const Model& model, const Dataset& data,
                      const std::vector<std::uint32_t>& rows, const ReportOptions& options) {
  const std::size_t classes = model.schema().classes.size();
  ScoredPart part;
  if (options.probabilities) {
    part.proba = Matrix{rows.size(), classes, {}};
    part.proba.values.reserve(rows.size() * classes);
    for (const std::uint32_t row : rows) {
      const float* p = options.probabilities->row(row);
      part.proba.values.insert(part.proba.values.end(), p, p + classes);
    }
    part.scores = part.proba;
    for (float& value : part.scores.values)
      value = std::log(value > kLeastProba ? value : kLeastProba);
    return part;
  }
  part.scores = model.predict_scores(select_rows(data, rows), {options.threads, 0});
  if (!model.has_proba()) return part;
  part.proba = part.scores;
  for (std::size_t i = 0; i < rows.size(); ++i)
    model.scores_to_proba(std::span(part.proba.row(i), classes));
  return part;
}

void check_labels(const Model& model, const Dataset& data, const ReportOptions& options) {
  if (model.schema().multi_label || data.labels.multi_label())
    throw DataError("a report is for one label a row; for sets of labels use evaluate --per-class");
  if (data.labels.codes.size() != data.rows || data.rows == 0)
    throw DataError(fmt::format("{}: a report needs rows with labels", data.source));
  const std::size_t classes = model.schema().classes.size();
  if (classes > kMostReportClasses)
    throw DataError(fmt::format(
        "a report shows up to {} classes, and the model has {}; use evaluate --per-class",
        kMostReportClasses, classes));
  const Matrix* const given = options.probabilities;
  if (given && (given->rows != data.rows || given->columns != classes ||
                given->values.size() != data.rows * classes))
    throw DataError(fmt::format("the probabilities are {} x {}; there are {} rows and {} classes",
                                given->rows, given->columns, data.rows, classes));
}

void add_row(const float* scores, const float* proba, RowFacts& facts) {
  const std::size_t i = facts.predicted.size();
  const std::size_t classes = facts.classes;
  std::size_t top = 0;
  std::size_t second = classes > 1 ? 1 : 0;
  if (classes > 1 && scores[1] > scores[0]) std::swap(top, second);
  for (std::size_t k = 2; k < classes; ++k) {
    if (scores[k] > scores[top]) {
      second = top;
      top = k;
    } else if (scores[k] > scores[second]) {
      second = k;
    }
  }
  const std::int32_t truth = facts.truth[i];
  const auto own = static_cast<std::size_t>(truth);
  const bool known = truth >= 0;
  facts.predicted.push_back(static_cast<std::int32_t>(top));
  facts.second.push_back(classes > 1 ? static_cast<std::int32_t>(second) : -1);
  facts.margin.push_back(!known        ? std::numeric_limits<float>::quiet_NaN()
                         : classes < 2 ? 0
                                       : scores[own] - scores[own == top ? second : top]);
  if (proba) {
    facts.truth_proba.push_back(known ? proba[own] : 0);
    facts.top_proba.push_back(proba[top]);
  }
  if (!known) return;
  double* mass = facts.mass.data() + own * classes;
  if (!proba) {
    mass[top] += facts.weight[i];
    return;
  }
  for (std::size_t k = 0; k < classes; ++k)
    mass[k] += facts.weight[i] * static_cast<double>(proba[k]);
}

}  // namespace

RowFacts gather_rows(const Model& model, const Dataset& data, const ReportOptions& options) {
  check_labels(model, data, options);
  RowFacts facts;
  facts.rows = data.rows;
  facts.classes = model.schema().classes.size();
  facts.proba = options.probabilities || model.has_proba();
  facts.truth = data.labels.codes;
  facts.weight = data.weights.empty() ? std::vector<double>(data.rows, 1.0) : data.weights;
  facts.mass.resize(facts.classes * facts.classes);
  const std::size_t chunk = std::max<std::size_t>(kChunkNumbers / facts.classes, 64);
  for (std::size_t begin = 0; begin < data.rows; begin += chunk) {
    check_stop();
    const std::size_t end = std::min(begin + chunk, data.rows);
    const ScoredPart part = score_part(model, data, row_range(begin, end), options);
    for (std::size_t i = 0; i < end - begin; ++i)
      add_row(part.scores.row(i), facts.proba ? part.proba.row(i) : nullptr, facts);
  }
  return facts;
}

std::vector<std::uint32_t> draw_rows(std::size_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint32_t> rows = row_range(0, count);
  if (count <= most) return rows;
  Random random(seed, 0x5a3b);
  for (std::size_t i = 0; i < most; ++i) std::swap(rows[i], rows[i + random.below(count - i)]);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

RowSample sample_rows(const Model& model, const Dataset& data, std::size_t most,
                      const ReportOptions& options) {
  const std::size_t classes = model.schema().classes.size();
  most = std::min(most, std::max<std::size_t>(kChunkNumbers / classes, 64));
  RowSample sample;
  sample.rows = draw_rows(data.rows, most, options.seed);
  ScoredPart part = score_part(model, data, sample.rows, options);
  sample.scores = std::move(part.scores);
  sample.proba = std::move(part.proba);
  return sample;
}

}  // namespace simplexboost
