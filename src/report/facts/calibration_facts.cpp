#include "report/facts/calibration_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "metric/calibration.h"
#include "metric/log_loss.h"
#include "metric/temperature.h"
#include "report/facts/facts_json.h"

namespace simplexboost {
namespace {

constexpr std::size_t kLeastRows = 40;  // to say anything of how sure to be
constexpr double kLeastClassRows = 30;  // of which a class is said
constexpr std::size_t kWorstClasses = 6;
constexpr double kLeastBinRows = 10;  // to be drawn

// [mean probability, share that is true, weight] of bins. Those of a few rows say little: they are
// joined with the next.
Json bins_json(const Calibration& calibration) {
  double total = 0;
  for (const Calibration::Bin& bin : calibration.bins()) total += bin.weight;
  const double least = std::max(total / 60, std::min(total / 4, kLeastBinRows));
  std::vector<Calibration::Bin> joined;
  for (const Calibration::Bin& bin : calibration.bins()) {
    if (!(bin.weight > 0)) continue;
    if (joined.empty() || joined.back().weight >= least) joined.emplace_back();
    joined.back().weight += bin.weight;
    joined.back().probability += bin.probability;
    joined.back().truth += bin.truth;
  }
  Json bins = Json::array();
  for (const Calibration::Bin& bin : joined) {
    Json one = Json::array();
    for (const double value : {bin.probability / bin.weight, bin.truth / bin.weight, bin.weight})
      one.push_back(short_number(value));
    bins.push_back(std::move(one));
  }
  return bins;
}

// p^scale, normalised, in place.
void sharpen(std::span<float> p, double scale) {
  double top = 0;
  for (const float one : p) top = std::max(top, static_cast<double>(one));
  double sum = 0;
  for (float& one : p) {
    const double ratio = top > 0 ? static_cast<double>(one) / top : 1;
    const double value = std::pow(ratio, scale);
    one = static_cast<float>(value);
    sum += value;
  }
  for (float& one : p) one = static_cast<float>(static_cast<double>(one) / sum);
}

struct SampleFigures {
  Calibration calibration;
  LogLoss loss;

  void add(const float* p, std::size_t said, std::int32_t truth, double weight) {
    calibration.add(static_cast<double>(p[said]), static_cast<std::int32_t>(said) == truth, weight);
    loss.add(truth < 0 ? 0 : static_cast<double>(p[truth]), weight);
  }
};

}  // namespace

Tempering temper(const RowSample& sample, const RowFacts& facts, const Dataset& data, int threads) {
  Tempering result;
  const std::size_t rows = sample.rows.size();
  if (sample.proba.values.empty() || rows < kLeastRows || facts.classes < 2) return result;
  const Dataset part = select_rows(data, sample.rows);
  // One half says how sure to be, the other is judged; by chance, not by place.
  std::array<double, 2> scales{};
  std::array<std::vector<std::uint8_t>, 2> halves;
  for (std::size_t h = 0; h < 2; ++h) {
    halves[h].resize(rows);
    for (std::size_t i = 0; i < rows; ++i) halves[h][i] = (i * 2654435761U >> 7) % 2 == h ? 1 : 0;
    scales[h] = fit_score_scale({part.labels, part.weights, sample.proba, halves[h]}, threads);
  }
  std::array<SampleFigures, 2> figures;
  std::vector<float> p(facts.classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t row = sample.rows[i];
    const auto said = static_cast<std::size_t>(facts.predicted[row]);
    p.assign(sample.proba.row(i), sample.proba.row(i) + facts.classes);
    figures[0].add(p.data(), said, facts.truth[row], facts.weight[row]);
    sharpen(p, scales[halves[0][i] != 0 ? 1 : 0]);
    figures[1].add(p.data(), said, facts.truth[row], facts.weight[row]);
  }
  result.known = true;
  result.scale = fit_score_scale({part.labels, part.weights, sample.proba}, threads);
  result.facts = Json{{"scale", short_number(result.scale)}, {"rows", rows}};
  for (std::size_t after = 0; after < 2; ++after) {
    result.error[after] = figures[after].calibration.error();
    result.log_loss[after] = figures[after].loss.value();
    result.facts[after == 0 ? "before" : "after"] =
        Json{{"bins", bins_json(figures[after].calibration)},
             {"error", short_number(result.error[after])},
             {"log_loss", short_number(result.log_loss[after])}};
  }
  return result;
}

Json worst_calibrated(const RowFacts& facts) {
  Json result = Json::array();
  if (!facts.proba) return result;
  std::vector<Calibration> of(facts.classes);
  std::vector<double> rows(facts.classes);
  for (std::size_t i = 0; i < facts.rows; ++i) {
    const auto said = static_cast<std::size_t>(facts.predicted[i]);
    of[said].add(static_cast<double>(facts.top_proba[i]), !facts.wrong(i), facts.weight[i]);
    rows[said] += 1;
  }
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < facts.classes; ++k)
    if (rows[k] >= kLeastClassRows) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return of[a].error() > of[b].error(); });
  if (order.size() > kWorstClasses) order.resize(kWorstClasses);
  for (const std::size_t k : order)
    result.push_back(
        {{"k", k}, {"error", short_number(of[k].error(), 3)}, {"bins", bins_json(of[k])}});
  return result;
}

}  // namespace simplexboost
