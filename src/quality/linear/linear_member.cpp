#include "quality/linear/linear_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/threads/parallel_jobs.h"
#include "data/rows/folds.h"
#include "quality/blend.h"
#include "quality/linear/logistic_fit.h"

namespace simplexboost {
namespace {

// From strong to weak, as long as the rows that are held out like it.
constexpr std::array kPenalties{30.0, 3.0, 0.3, 0.03, 0.003};
constexpr double kTrialPenalty = 1;
// For each of them, going on from the one before; more where they cost next to nothing.
constexpr double kFewestEvaluations = 20;
constexpr double kMostEvaluations = 60;
constexpr double kEvaluationsWork = 3e6;  // of all of them together, if they are not the fewest
constexpr double kMostEntries = 1e8;
// Products of entries and classes in an evaluation: of a fold, and of next to no cost.
constexpr double kMostWork = 5e7;
constexpr double kCheapWork = 1e5;
constexpr double kLeastShare = 0.05;  // beside the first member, to be worth its time

// At most so many of the rows, evenly.
std::vector<std::uint32_t> some_of(const std::vector<std::uint32_t>& rows, double most) {
  const auto count = static_cast<std::size_t>(
      std::clamp(most, 1.0, static_cast<double>(std::max<std::size_t>(rows.size(), 1))));
  if (count >= rows.size()) return rows;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(rows[i * rows.size() / count]);
  return some;
}

CrossFit without(std::string why) {
  CrossFit none;
  none.left_out = std::move(why);
  return none;
}

class LinearFitter {
 public:
  LinearFitter(const Dataset& data, std::span<const std::uint16_t> fold_of_row, int folds)
      : data_(data), inputs_(data), all_{inputs_, data.labels, data.weights} {
    const std::size_t classes = data.labels.classes.size();
    const double work_of_row =
        static_cast<double>(inputs_.entries() * classes) / static_cast<double>(data.rows);
    evaluations_ = static_cast<std::size_t>(
        std::clamp(kEvaluationsWork / (work_of_row * static_cast<double>(data.rows)),
                   kFewestEvaluations, kMostEvaluations));
    most_rows_ = kMostWork / work_of_row;
    trial_rows_ = kCheapWork / work_of_row;
    for (int f = 0; f < folds; ++f) rows_.push_back(hold_out_fold(fold_of_row, f));
    proba_ = Matrix{data.rows, classes, std::vector<float>(data.rows * classes)};
  }

  bool has_inputs() const { return inputs_.entries() > 0; }

  // Tried on one fold, and no more rows of it than are quickly done; where all of them are, there
  // is nothing to be spared.
  bool may_add_to(const Matrix& first) {
    constexpr double kLeastRows = 500;
    if (trial_rows_ >= static_cast<double>(data_.rows)) return true;
    const double most = std::max(trial_rows_, kLeastRows);
    LogisticCoefficients trial;
    const std::vector<std::uint32_t> held = some_of(rows_[0].valid, most);
    fit_logistic(all_, some_of(rows_[0].train, most), kTrialPenalty,
                 static_cast<std::size_t>(kFewestEvaluations), trial);
    predict_logistic(all_, held, trial, proba_);
    std::array<Matrix, 2> both;
    Labels labels;
    labels.classes = data_.labels.classes;
    std::vector<double> weights;
    for (const std::uint32_t row : held) {
      labels.codes.push_back(data_.labels.codes[row]);
      if (!data_.weights.empty()) weights.push_back(data_.weights[row]);
      for (std::size_t m = 0; m < both.size(); ++m) {
        const float* from = (m == 0 ? first : proba_).row(row);
        both[m].values.insert(both[m].values.end(), from, from + first.columns);
      }
    }
    for (Matrix& one : both) {
      one.rows = held.size();
      one.columns = first.columns;
    }
    return blend_weights(both, labels, weights, {})[1] >= kLeastShare;
  }

  CrossFit run(int threads) {
    std::vector<LogisticCoefficients> now(rows_.size());
    std::vector<LogisticCoefficients> best;
    CrossFit result;
    double least = std::numeric_limits<double>::infinity();
    for (const double penalty : kPenalties) {
      parallel_jobs(threads, rows_.size(), [&](std::size_t f) {
        fit_logistic(all_, some_of(rows_[f].train, most_rows_), penalty, evaluations_, now[f]);
        predict_logistic(all_, rows_[f].valid, now[f], proba_);
      });
      const double loss = log_loss();
      if (!best.empty() && !(loss < least)) break;
      least = loss;
      chosen_penalty_ = penalty;
      best = now;
      result.proba = proba_;
    }
    result.rounds = 1;
    make_model(best, result.ensemble);
    return result;
  }

 private:
  double log_loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < data_.rows; ++i) {
      if (data_.labels.codes[i] < 0) continue;
      const auto own =
          static_cast<double>(proba_.row(i)[static_cast<std::size_t>(data_.labels.codes[i])]);
      sum -= (data_.weights.empty() ? 1 : data_.weights[i]) * std::log(std::max(own, 1e-12));
    }
    return sum;
  }

  // The mean of the scores of all folds.
  void make_model(const std::vector<LogisticCoefficients>& folds, Ensemble& ensemble) const {
    LogisticCoefficients mean(folds[0].size());
    for (const LogisticCoefficients& one : folds)
      for (std::size_t i = 0; i < mean.size(); ++i)
        mean[i] += one[i] / static_cast<double>(folds.size());
    ensemble.algorithm = "linear";
    ensemble.parameters = {{kPenaltyName, fmt::format("{}", chosen_penalty_)},
                           {kInputsName, fmt::format("{}", inputs_.count())}};
    ensemble.schema = data_.schema();
    const std::size_t classes = data_.labels.classes.size();
    ensemble.bias.assign(classes, 0);
    ensemble.forest =
        inputs_.to_forest(std::span(mean).first(classes), std::span(mean).subspan(classes));
  }

  const Dataset& data_;
  LinearInputs inputs_;
  LogisticRows all_;
  std::size_t evaluations_ = 0;
  double most_rows_ = 0;
  double trial_rows_ = 0;
  double chosen_penalty_ = 0;
  std::vector<RowSplit> rows_;
  Matrix proba_;
};

}  // namespace

bool linear_fit_is_cheap(const Dataset& data) {
  const auto classes = static_cast<double>(data.labels.classes.size());
  return LinearInputs::most_entries(data) * classes <= kCheapWork;
}

CrossFit linear_fit(const Dataset& data, std::span<const std::uint16_t> fold_of_row, int folds,
                    int threads, const Matrix* first) {
  const std::size_t most = LinearInputs::most_inputs(data);
  if (most == 0) return without("there are no numbers, and no categories of few values");
  if ((most + 1) * data.labels.classes.size() > LinearInputs::kMostCoefficients)
    return without(fmt::format("it would have more than {} coefficients, too many for their worth",
                               LinearInputs::kMostCoefficients));
  if (LinearInputs::most_entries(data) > kMostEntries)
    return without("there are too many rows and values for its worth");
  try {
    LinearFitter fitter(data, fold_of_row, folds);
    if (!fitter.has_inputs()) return without("no feature says anything on its own");
    if (first && !fitter.may_add_to(*first))
      return without(
          fmt::format("a trial on some rows gave it a weight below {} %", 100 * kLeastShare));
    return fitter.run(threads);
  } catch (const Stopped&) {
    CrossFit stopped;
    stopped.whole = false;
    return stopped;
  }
}

}  // namespace simplexboost
