#include "experiment/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boosting/round_watch.h"

namespace simplexboost {
namespace {

constexpr std::size_t kCurvePoints = 160;
constexpr double kRoundingRoom = 1e-9;  // a bound that is reached is not broken

// Rounds from 1 to `rounds`, at most so many, closer together in the beginning.
std::vector<std::size_t> curve_rounds(std::size_t rounds) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < kCurvePoints; ++i) {
    const double share = static_cast<double>(i) / (kCurvePoints - 1);
    const double place = std::pow(static_cast<double>(rounds), share);
    const auto round = std::min(rounds, static_cast<std::size_t>(std::llround(place)));
    if (points.empty() || round > points.back()) points.push_back(round);
  }
  return points;
}

double in_percent(std::string_view name, double value) {
  return is_share(name) ? 100 * value : value;
}

void add_curves(const ExperimentSpec& spec, const TrainingLog& log, CellResult& cell) {
  if (log.columns.empty()) return;
  const std::size_t rounds = log.values.size() / log.columns.size();
  if (rounds == 0) return;
  for (const std::string& name : spec.curves) {
    // The test rows are watched as validation rows are, and nothing is chosen by them.
    const auto values = log.column(name == "test_error" ? "valid_error" : name);
    if (values.empty()) continue;
    if (cell.curve_rounds.empty()) cell.curve_rounds = curve_rounds(rounds);
    std::vector<double>& curve = cell.curves[name];
    for (const std::size_t round : cell.curve_rounds)
      curve.push_back(in_percent(name, values[round - 1]));
  }
}

void check_bounds(const ExperimentAlgorithm& algorithm, const TrainingLog& log, CellResult& cell) {
  for (const auto& [bound, bounded] : algorithm.bounds) {
    const auto above = log.column(bound);
    const auto below = log.column(bounded);
    for (std::size_t t = 0; t < std::min(above.size(), below.size()); ++t) {
      ++cell.bound_checks;
      if (!(below[t] <= above[t] + kRoundingRoom)) ++cell.bounds_broken;
    }
  }
}

}  // namespace

std::size_t least_round(std::span<const double> values) {
  if (values.empty()) return 0;
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin()) +
         1;
}

StoppingTime smoothed_stopping_time(std::span<const double> errors, std::size_t least) {
  if (errors.empty()) return {};
  RoundWatch watch(BestRoundRule::kSmoothed, false, std::min(least, errors.size() - 1));
  for (const double error : errors) watch.add(error);
  return {watch.best_rounds(), watch.best_value()};
}

std::size_t rounds_to_nine_tenths(std::span<const double> errors) {
  if (errors.empty()) return 0;
  const double least = *std::min_element(errors.begin(), errors.end());
  const double goal = errors.front() - 0.9 * (errors.front() - least);
  const auto there = [&](double error) { return error <= goal + kRoundingRoom; };
  return static_cast<std::size_t>(std::find_if(errors.begin(), errors.end(), there) -
                                  errors.begin()) +
         1;
}

LabelErrors label_errors(const Model& model, const Dataset& data, const PredictOptions& options) {
  const Matrix scores = model.predict_scores(data, options);
  std::vector<double> shares(scores.columns);
  for (const std::int32_t code : data.labels.codes)
    shares[static_cast<std::size_t>(code)] += 1 / static_cast<double>(data.rows);
  const double uninformed = std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0);
  LabelErrors errors;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const float* row = scores.row(i);
    const double own = row[data.labels.codes[i]];
    const double sum = std::accumulate(row, row + scores.columns, 0.0);
    const double others = (sum - own) / static_cast<double>(scores.columns - 1);
    if (own < others) errors.pseudo_loss += 1 / static_cast<double>(scores.rows);
    if (own < uninformed * sum) errors.maxlabel += 1 / static_cast<double>(scores.rows);
  }
  return errors;
}

bool is_share(std::string_view measure) {
  return measure.ends_with("error") || measure.starts_with("bound");
}

void measure(const ExperimentSpec& spec, const ExperimentAlgorithm& algorithm, const Model& model,
             const Dataset& train, std::size_t round, int threads, CellResult& cell) {
  const TrainingLog& log = model.log();
  add_curves(spec, log, cell);
  check_bounds(algorithm, log, cell);
  if (spec.measures.empty() || round == 0) return;
  const LabelErrors errors = label_errors(model, train, {threads, round});
  for (const std::string& name : spec.measures) {
    if (name == "rounds_to_90") {
      const auto curve = log.column("train_error");
      cell.measures[name] = static_cast<double>(rounds_to_nine_tenths(curve));
    } else if (name == "pseudo_loss_error") {
      cell.measures[name] = 100 * errors.pseudo_loss;
    } else if (name == "maxlabel_error") {
      cell.measures[name] = 100 * errors.maxlabel;
    } else if (const auto values = log.column(name); round <= values.size()) {
      cell.measures[name] = in_percent(name, values[round - 1]);
    }
  }
}

}  // namespace simplexboost
