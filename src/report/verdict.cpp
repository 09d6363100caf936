#include "report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric/calibration.h"
#include "metric/log_loss.h"
#include "report/facts/facts_json.h"
#include "report/facts/resample.h"

namespace simplexboost {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewWrong = 5;

// Numbers of a row that are summed, in this order; the bins of the calibration follow.
enum RowSum : std::size_t {
  kWeight,
  kWrong,
  kLoss,
  kTreeWeight,
  kTreeWrong,
  kTreeLoss,
  kTreeOwnWrong,  // of the model, on rows that the tree was judged on
  kSharesWrong,
  kSharesLoss,
  kBins,
  kSums = kBins + Calibration::kBins
};

enum VerdictFigure : std::size_t {
  kFigureError,
  kFigureLoss,
  kFigureCalibration,
  kFigureTreeError,
  kFigureTreeLoss,
  kFigureSharesError,
  kFigureSharesLoss,
  kFigureLead,
  kFigureCount
};

void figures_of(const double* sums, std::span<double> out) {
  const auto ratio = [&](std::size_t sum, std::size_t by) {
    return sums[by] > 0 ? sums[sum] / sums[by] : kNaN;
  };
  double gaps = 0;
  for (std::size_t b = 0; b < Calibration::kBins; ++b) gaps += std::fabs(sums[kBins + b]);
  out[kFigureError] = ratio(kWrong, kWeight);
  out[kFigureLoss] = ratio(kLoss, kWeight);
  out[kFigureCalibration] = sums[kWeight] > 0 ? gaps / sums[kWeight] : kNaN;
  out[kFigureTreeError] = ratio(kTreeWrong, kTreeWeight);
  out[kFigureTreeLoss] = ratio(kTreeLoss, kTreeWeight);
  out[kFigureSharesError] = ratio(kSharesWrong, kWeight);
  out[kFigureSharesLoss] = ratio(kSharesLoss, kWeight);
  out[kFigureLead] = ratio(kTreeWrong, kTreeWeight) - ratio(kTreeOwnWrong, kTreeWeight);
}

void add_sums(const RowFacts& facts, const Judged& tree, const Judged& shares, std::size_t i,
              double* sums) {
  const double weight = facts.weight[i];
  const double wrong = facts.wrong(i) ? weight : 0;
  sums[kWeight] += weight;
  sums[kWrong] += wrong;
  if (facts.proba) {
    LogLoss loss;
    loss.add(static_cast<double>(facts.truth_proba[i]));
    sums[kLoss] += weight * loss.value();
    const auto top = static_cast<double>(facts.top_proba[i]);
    sums[kBins + Calibration::bin_of(top)] += weight * ((facts.wrong(i) ? 0 : 1) - top);
  }
  if (tree.seen[i] != 0) {
    sums[kTreeWeight] += weight;
    sums[kTreeWrong] += tree.wrong[i] != 0 ? weight : 0;
    sums[kTreeLoss] += weight * static_cast<double>(tree.loss[i]);
    sums[kTreeOwnWrong] += wrong;
  }
  sums[kSharesWrong] += shares.wrong[i] != 0 ? weight : 0;
  sums[kSharesLoss] += weight * static_cast<double>(shares.loss[i]);
}

Interval within(Interval interval, double low, double high) {
  interval.low = std::clamp(interval.low, low, high);
  interval.high = std::clamp(interval.high, low, high);
  return interval;
}

}  // namespace

Verdict judge(const RowFacts& facts, const Dataset& data, const ReportOptions& options) {
  const Judged tree = judge_tree(facts, data, options);
  const Judged shares = judge_shares(facts, options);
  ResampledSums sums(facts.rows, kSums, options.seed);
  Verdict verdict;
  for (std::size_t i = 0; i < facts.rows; ++i) {
    add_sums(facts, tree, shares, i, sums.unit(i));
    if (facts.wrong(i)) ++verdict.wrong_rows;
    if (facts.truth[i] < 0) ++verdict.unknown_rows;
    if (tree.seen[i] != 0) ++verdict.tree_rows;
  }
  const std::vector<Interval> figures = sums.intervals(kFigureCount, figures_of, options.threads);
  constexpr double kMost = std::numeric_limits<double>::max();
  verdict.error = within(figures[kFigureError], 0, 1);
  // Draws of rows that are nearly all right, or all wrong, say too little of those to come.
  if (std::min(verdict.wrong_rows, facts.rows - verdict.wrong_rows) < kFewWrong)
    verdict.error = wilson_interval(verdict.error.value, static_cast<double>(facts.rows));
  const Interval none{kNaN, kNaN, kNaN};
  verdict.log_loss = facts.proba ? within(figures[kFigureLoss], 0, kMost) : none;
  verdict.calibration = facts.proba ? within(figures[kFigureCalibration], 0, 1) : none;
  verdict.tree_error = within(figures[kFigureTreeError], 0, 1);
  verdict.tree_loss = within(figures[kFigureTreeLoss], 0, kMost);
  verdict.shares_error = within(figures[kFigureSharesError], 0, 1);
  verdict.shares_loss = within(figures[kFigureSharesLoss], 0, kMost);
  verdict.lead = figures[kFigureLead];
  return verdict;
}

Json verdict_json(const Verdict& verdict, const RowFacts& facts, const Model& model,
                  const ReportOptions& options) {
  const std::string some = verdict.tree_rows < facts.rows
                               ? fmt::format("{} of these rows", verdict.tree_rows)
                               : "these rows";
  const std::string tree_on = options.train
                                  ? "the training rows, and judged on " + some
                                  : "four fifths of " + some + ", judged on the rest, in turn";
  Json result{{"rows", facts.rows},
              {"wrong", verdict.wrong_rows},
              {"unknown", verdict.unknown_rows},
              {"error", interval_json(verdict.error)},
              {"tree_error", interval_json(verdict.tree_error)},
              {"tree_loss", interval_json(verdict.tree_loss)},
              {"shares_error", interval_json(verdict.shares_error)},
              {"shares_loss", interval_json(verdict.shares_loss)},
              {"lead", interval_json(verdict.lead)},
              {"tree_on", tree_on},
              {"shares_of", options.train ? "the training rows" : "these rows"}};
  if (facts.proba) {
    result["log_loss"] = interval_json(verdict.log_loss);
    result["calibration"] = interval_json(verdict.calibration);
  }
  if (!model.estimate()) return result;
  Json figures = Json::object();
  for (const EstimateFigure& figure : model.estimate()->figures)
    if (figure.label < 0)
      figures[figure.name] = interval_json({figure.value, figure.low, figure.high});
  result["estimate"] = Json{{"method", page_name(model.estimate()->method)},
                            {"rows", model.estimate()->rows},
                            {"figures", std::move(figures)}};
  return result;
}

}  // namespace simplexboost
