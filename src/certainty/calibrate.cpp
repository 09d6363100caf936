#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/row_weights.h"
#include "base/text/nearest_name.h"
#include "base/threads/parallel.h"
#include "certainty/fit_map.h"
#include "certainty/set_scores.h"
#include "data/rows/folds.h"
#include "data/weight_scale.h"
#include "metric/estimate.h"
#include "metric/log_loss.h"
#include "model/model_access.h"
#include "model/predict/adjusted.h"
#include "model/predict/link.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr const char* kAsItIs = "none";
constexpr std::size_t kFewestRows = 10;

// Rows that say something: of some weight, and of a class of the model or a label that is not left
// open.
std::size_t count_known(const Dataset& data) {
  const RowWeights weights(data.weights);
  std::size_t count = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float* const known = data.labels.row_weights(i);
    const bool says = data.labels.multi_label()
                          ? !known || std::any_of(known, known + data.labels.classes.size(),
                                                  [](float weight) { return weight > 0; })
                          : data.labels.codes[i] >= 0;
    if (says && weights[i] > 0) ++count;
  }
  return count;
}

// The labels alone, with weights that can be summed.
Dataset truth_of(const Dataset& data, int threads) {
  Dataset truth;
  truth.source = data.source;
  truth.rows = data.rows;
  truth.labels = data.labels;
  truth.weights = summable_weights(data.weights, RowSpace(data.rows, threads));
  return truth;
}

void check_calibration(const Model& model, const Dataset& data, const CalibrateOptions& options) {
  require_probabilities(ensemble_of(model));
  const bool sets = model.schema().multi_label;
  if (sets != data.labels.multi_label() || (!sets && data.labels.codes.size() != data.rows) ||
      (sets && data.labels.offsets.size() != data.rows + 1))
    throw DataError({data.source}, "calibration needs the true labels of every row");
  const std::size_t known = count_known(data);
  if (known < kFewestRows)
    throw DataError(
        {data.source},
        fmt::format("{} rows {}are too few to calibrate by; give {} or more that the "
                    "model was not trained on",
                    known, known < data.rows ? "of known labels and a weight above 0 " : "",
                    kFewestRows));
  if (options.folds < 2 || options.folds > kMostFolds)
    throw ParameterError(fmt::format("folds: give a number from 2 to {}", kMostFolds));
  std::vector<std::string_view> names{"auto"};
  names.insert(names.end(), kMapMethods.begin(), kMapMethods.end());
  if (std::find(names.begin(), names.end(), options.method) == names.end())
    throw ParameterError("method: " + unknown_name_message("method", options.method, names));
}

void map_rows(const ProbabilityMap& map, bool sets, std::span<const std::uint8_t> marked,
              int threads, const Matrix& from, Matrix& to) {
  constexpr std::size_t kMapRows = 256;
  parallel_blocks(threads, from.rows, kMapRows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(from.columns);
    for (std::size_t i = begin; i < end; ++i) {
      if (marked[i] != 0) continue;
      std::copy_n(from.row(i), from.columns, row.begin());
      apply_map(map, sets, row);
      std::copy(row.begin(), row.end(), to.row(i));
    }
  });
}

// What each row is told by a map that was fitted to the other folds.
class HeldOutMaps {
 public:
  HeldOutMaps(const Dataset& data, const Matrix& proba, const CalibrateOptions& options,
              int threads)
      : data_(data), proba_(proba), threads_(threads) {
    folds_ =
        static_cast<int>(std::min<std::size_t>(data.rows, static_cast<std::size_t>(options.folds)));
    fold_of_row_ = make_folds(data.labels, data.rows, {folds_, options.seed, true, {}});
  }

  Matrix told(std::string_view method) const {
    Matrix result{proba_.rows, proba_.columns, std::vector<float>(proba_.values.size())};
    std::vector<std::uint8_t> others(data_.rows);
    for (int f = 0; f < folds_; ++f) {
      for (std::size_t i = 0; i < data_.rows; ++i) others[i] = fold_of_row_[i] == f ? 0 : 1;
      const ProbabilityMap map =
          fit_map(method, {data_.labels, data_.weights, proba_, others}, threads_);
      map_rows(map, data_.labels.multi_label(), others, threads_, proba_, result);
    }
    return result;
  }

 private:
  const Dataset& data_;
  const Matrix& proba_;
  int threads_;
  int folds_ = 0;
  std::vector<std::uint16_t> fold_of_row_;
};

// The log loss of each row, NaN where its class is not known; of sets, the mean of their labels'.
std::vector<double> row_losses(const Dataset& data, const Matrix& proba) {
  std::vector<double> losses(data.rows, NAN);
  for (std::size_t i = 0; i < data.rows; ++i) {
    LogLoss loss;
    const float* const p = proba.row(i);
    if (!data.labels.multi_label()) {
      if (data.labels.codes[i] >= 0) loss.add(static_cast<double>(p[data.labels.codes[i]]));
    } else {
      const float* known = data.labels.row_weights(i);
      std::size_t next = data.labels.offsets[i];
      for (std::size_t k = 0; k < proba.columns; ++k) {
        const bool holds = next < data.labels.offsets[i + 1] &&
                           static_cast<std::size_t>(data.labels.codes[next]) == k;
        next += holds ? 1 : 0;
        const double weight = known ? static_cast<double>(known[k]) : 1;
        if (weight > 0)
          loss.add(holds ? static_cast<double>(p[k]) : 1.0 - static_cast<double>(p[k]), weight);
      }
    }
    losses[i] = loss.value();
  }
  return losses;
}

double weighted_mean(const Dataset& data, const std::vector<double>& values) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = data.weights.empty() ? 1 : data.weights[i];
    if (std::isnan(values[i])) continue;
    sum += weight * values[i];
    total += weight;
  }
  return total > 0 ? sum / total : NAN;
}

// The log loss of an error that the rows might have had: of each row, if its class were the
// likeliest of the others. Of sets nothing is supposed.
double unseen_error(const Dataset& data, const Matrix& proba) {
  if (data.labels.multi_label()) return 0;
  std::vector<double> losses(data.rows, NAN);
  for (std::size_t i = 0; i < data.rows; ++i) {
    float other = 0;
    for (std::size_t k = 0; k < proba.columns; ++k)
      if (static_cast<std::int32_t>(k) != data.labels.codes[i])
        other = std::max(other, proba.row(i)[k]);
    LogLoss loss;
    if (data.labels.codes[i] >= 0) loss.add(static_cast<double>(other));
    losses[i] = loss.value();
  }
  return weighted_mean(data, losses);
}

// What a way to tell probabilities costs the rows.
struct Told {
  Matrix proba;
  std::vector<double> losses;
  double unseen;

  Told(const Dataset& data, Matrix told)
      : proba(std::move(told)),
        losses(row_losses(data, proba)),
        unseen(unseen_error(data, proba)) {}
};

// Whether the mean of what is saved is two standard errors above 0, with one error more than the
// rows have: where errors are rare, a few hundred rows say nothing of what the next one costs, and
// surer probabilities look better than they are.
bool clearly_less(const Dataset& data, const Told& now, const Told& before) {
  std::vector<double> saved(data.rows);
  for (std::size_t i = 0; i < saved.size(); ++i) saved[i] = before.losses[i] - now.losses[i];
  const double mean = weighted_mean(data, saved);
  std::vector<double> squares(saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) squares[i] = (saved[i] - mean) * (saved[i] - mean);
  const auto count = static_cast<double>(
      std::count_if(saved.begin(), saved.end(), [](double x) { return !std::isnan(x); }));
  const double next = (before.unseen - now.unseen) / count;
  return mean + next > 2 * std::sqrt(weighted_mean(data, squares) / count);
}

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Model uncalibrated(const Model& model) {
  auto ensemble = std::make_shared<Ensemble>(ensemble_of(model));
  ensemble->map = {};
  ensemble->priors.clear();
  return make_model(std::move(ensemble));
}

std::string calibration_of(const Model& model) { return ensemble_of(model).map.method; }

CalibrationResult calibrate(const Model& model, const Dataset& rows,
                            const CalibrateOptions& options) {
  check_calibration(model, rows, options);
  const int threads = resolve_threads(options.threads);
  const Model plain = uncalibrated(model);
  const Matrix proba = plain.predict_proba(rows, {threads, 0});
  const Dataset data = truth_of(rows, threads);
  const bool sets = model.schema().multi_label;
  CalibrationResult result{plain, kAsItIs, {}};
  Told told(data, proba);
  result.trials.push_back({kAsItIs, weighted_mean(data, told.losses)});
  const HeldOutMaps held_out(data, proba, options, threads);
  for (const std::string_view method : kMapMethods) {
    const bool wanted = options.method == method;
    if (!wanted && (options.method != "auto" ||
                    !worth_fitting(method, data.rows, model.schema().classes.size())))
      continue;
    Told now(data, held_out.told(method));
    result.trials.push_back({std::string(method), weighted_mean(data, now.losses)});
    if (!wanted && !clearly_less(data, now, told)) continue;
    result.method = method;
    told = std::move(now);
  }
  auto ensemble = std::make_shared<Ensemble>(ensemble_of(plain));
  if (result.method != kAsItIs)
    ensemble->map = fit_map(result.method, {data.labels, data.weights, proba}, threads);
  const JudgedRows judged{data.labels, data.weights, told.proba};
  ensemble->estimate = estimate_from("held-out", judged);
  if (!sets) ensemble->sets = set_scores_from("calibration", judged, threads);
  result.model = make_model(std::move(ensemble));
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
