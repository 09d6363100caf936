#include "report/facts/row_lists.h"

#include <algorithm>

#include "simplexboost/certainty.h"

namespace simplexboost {

std::vector<std::size_t> hardest_rows(const RowFacts& facts, std::size_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < facts.rows; ++i)
    if (facts.truth[i] >= 0 && facts.wrong(i)) rows.push_back(i);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return facts.margin[a] < facts.margin[b]; });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

Suspects suspect_rows(const Model& model, const RowFacts& facts, const Dataset& data,
                      std::size_t most, const ReportOptions& options) {
  Suspects suspects;
  if (!facts.proba) return suspects;
  const RowSample sample = sample_rows(model, data, data.rows, options);
  // Rows of classes that the model does not know say nothing of labels.
  std::vector<std::uint32_t> rows;
  Matrix proba{0, facts.classes, {}};
  Labels labels;
  labels.classes = model.schema().classes;
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const std::uint32_t row = sample.rows[i];
    if (facts.truth[row] < 0) continue;
    rows.push_back(row);
    labels.codes.push_back(facts.truth[row]);
    proba.values.insert(proba.values.end(), sample.proba.row(i),
                        sample.proba.row(i) + facts.classes);
    ++proba.rows;
  }
  for (const Suspect& one : rank_suspects(proba, labels, options.threads)) {
    if (!(one.wrong > 0.5)) continue;
    ++suspects.count;
    if (suspects.rows.size() == most) continue;
    suspects.rows.push_back(rows[one.row]);
    suspects.wrong.push_back(one.wrong);
  }
  return suspects;
}

}  // namespace simplexboost
