#include "report/facts/baseline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/random.h"
#include "metric/log_loss.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostTreeRows = 20'000;
constexpr std::size_t kMostTreeNumbers = 10'000'000;  // rows x classes
constexpr std::size_t kTreeFolds = 5;

float loss_of(double probability) {
  LogLoss loss;
  loss.add(probability);
  return static_cast<float>(loss.value());
}

Dataset with_features(const Dataset& data, const std::vector<std::size_t>& features) {
  if (features.empty()) return data;
  Dataset part = data;
  part.columns.clear();
  for (const std::size_t feature : features) part.columns.push_back(data.columns[feature]);
  return part;
}

Model grow_tree(const Dataset& data, const ReportOptions& options) {
  Parameters parameters;
  parameters.algorithm = "forest";
  parameters.rounds = 1;
  parameters.bootstrap = "none";
  parameters.thresholds = "best";
  parameters.node_features = static_cast<double>(std::max<std::size_t>(data.columns.size(), 1));
  parameters.threads = options.threads;
  parameters.seed = options.seed;
  return train(data, parameters);
}

void judge_rows(const Model& tree, const Dataset& data, const std::vector<std::uint32_t>& rows,
                const RowFacts& facts, int threads, Judged& judged) {
  const Matrix proba = tree.predict_proba(select_rows(data, rows), {threads, 0});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* p = proba.row(i);
    const std::int32_t truth = facts.truth[rows[i]];
    const auto top = std::max_element(p, p + facts.classes) - p;
    judged.seen[rows[i]] = 1;
    judged.wrong[rows[i]] = top == truth ? 0 : 1;
    judged.loss[rows[i]] = loss_of(truth < 0 ? 0 : static_cast<double>(p[truth]));
  }
}

// Rows of known classes, up to as many as a tree is grown on in no time; in an order by chance.
std::vector<std::uint32_t> tree_rows(const std::vector<std::int32_t>& truth, std::size_t classes,
                                     std::uint64_t seed) {
  std::vector<std::uint32_t> known;
  for (std::uint32_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0) known.push_back(i);
  Random(seed, 0x73ee).shuffle(known);
  const std::size_t most =
      std::min(kMostTreeRows, std::max<std::size_t>(kMostTreeNumbers / classes, 500));
  if (known.size() > most) known.resize(most);
  return known;
}

bool growable(const Dataset& data, const std::vector<std::uint32_t>& rows) {
  if (rows.size() < 2 || data.columns.empty()) return false;
  const std::vector<std::int32_t>& codes = data.labels.codes;
  return std::any_of(rows.begin(), rows.end(),
                     [&](std::uint32_t i) { return codes[i] != codes[rows[0]]; });
}

Judged nothing_judged(std::size_t rows) {
  return {std::vector<std::uint8_t>(rows), std::vector<std::uint8_t>(rows),
          std::vector<float>(rows)};
}

}  // namespace

Judged judge_tree(const RowFacts& facts, const Dataset& data, const ReportOptions& options,
                  const std::vector<std::size_t>& features) {
  Judged judged = nothing_judged(facts.rows);
  const Dataset judged_data = with_features(data, features);
  if (options.train) {
    const std::vector<std::uint32_t> rows =
        tree_rows(options.train->labels.codes, facts.classes, options.seed);
    if (!growable(*options.train, rows)) return judged;
    const Model tree =
        grow_tree(with_features(select_rows(*options.train, rows), features), options);
    judge_rows(tree, judged_data, draw_rows(facts.rows, kMostTreeRows, options.seed), facts,
               options.threads, judged);
    return judged;
  }
  const std::vector<std::uint32_t> rows = tree_rows(facts.truth, facts.classes, options.seed);
  if (rows.size() < 2 * kTreeFolds) return judged;
  for (std::size_t fold = 0; fold < kTreeFolds; ++fold) {
    std::vector<std::uint32_t> grown;
    std::vector<std::uint32_t> others;
    for (std::size_t i = 0; i < rows.size(); ++i)
      (i % kTreeFolds == fold ? others : grown).push_back(rows[i]);
    if (!growable(data, grown)) continue;
    const Model tree = grow_tree(select_rows(judged_data, grown), options);
    judge_rows(tree, judged_data, others, facts, options.threads, judged);
  }
  return judged;
}

Judged judge_shares(const RowFacts& facts, const ReportOptions& options) {
  Judged judged = nothing_judged(facts.rows);
  const std::vector<std::int32_t>& codes =
      options.train ? options.train->labels.codes : facts.truth;
  const std::vector<double>& weights = options.train ? options.train->weights : facts.weight;
  std::vector<double> shares(facts.classes);
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes[i] >= 0)
      shares[static_cast<std::size_t>(codes[i])] += weights.empty() ? 1 : weights[i];
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto top = std::max_element(shares.begin(), shares.end()) - shares.begin();
  for (std::size_t i = 0; i < facts.rows; ++i) {
    const std::int32_t truth = facts.truth[i];
    judged.seen[i] = 1;
    judged.wrong[i] = truth == top ? 0 : 1;
    judged.loss[i] =
        loss_of(truth < 0 || !(total > 0) ? 0 : shares[static_cast<std::size_t>(truth)] / total);
  }
  return judged;
}

}  // namespace simplexboost
