#include "metric/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "metric/grouped_calibration.h"
#include "metric/interval.h"
#include "metric/log_loss.h"

namespace simplexboost {
namespace {

// A weighted mean and how sure it is.
struct Mean {
  double weight = 0;
  double weight_squares = 0;
  double sum = 0;
  double squares = 0;

  void add(double value, double w) {
    weight += w;
    weight_squares += w * w;
    sum += w * value;
    squares += w * value * value;
  }
  double value() const { return sum / weight; }
  // How many rows of equal weight would say as much.
  double rows() const { return weight * weight / weight_squares; }

  EstimateFigure of_means(std::string name, std::int32_t label) const {
    const double variance = std::max(squares / weight - value() * value(), 0.0);
    const double half = kNormal95 * std::sqrt(variance / rows());
    return {std::move(name), label, value(), std::max(value() - half, 0.0), value() + half};
  }
  EstimateFigure of_shares(std::string name, std::int32_t label) const {
    const Interval interval = wilson_interval(value(), rows());
    return {std::move(name), label, interval.value, interval.low, interval.high};
  }
};

double log_loss_of(double probability) {
  LogLoss loss;
  loss.add(probability);
  return loss.value();
}

class Judge {
 public:
  explicit Judge(std::size_t classes) : class_errors_(classes), class_losses_(classes) {}

  void add_row(std::size_t row, const float* p, std::int32_t truth, double weight) {
    const std::size_t classes = class_errors_.size();
    const auto best = static_cast<std::size_t>(std::max_element(p, p + classes) - p);
    const auto own = static_cast<std::size_t>(truth);
    const double wrong = best == own ? 0 : 1;
    const double loss = log_loss_of(static_cast<double>(p[own]));
    errors_.add(wrong, weight);
    losses_.add(loss, weight);
    class_errors_[own].add(wrong, weight);
    class_losses_[own].add(loss, weight);
    add_calibration(row, static_cast<double>(p[best]), best == own, weight);
  }

  // `holds`: whether each label does. Labels of no weight are unknown.
  void add_set(std::size_t row, const float* p, const std::vector<bool>& holds,
               const float* label_weights, double weight) {
    Mean wrong;
    Mean loss;
    for (std::size_t k = 0; k < class_errors_.size(); ++k) {
      const double known = label_weights ? static_cast<double>(label_weights[k]) : 1;
      if (!(known > 0)) continue;
      const auto yes = static_cast<double>(p[k]);
      wrong.add((yes > 0.5) == holds[k] ? 0 : 1, known);
      loss.add(log_loss_of(holds[k] ? yes : 1 - yes), known);
      class_errors_[k].add((yes > 0.5) == holds[k] ? 0 : 1, known * weight);
      class_losses_[k].add(log_loss_of(holds[k] ? yes : 1 - yes), known * weight);
      add_calibration(row, yes, holds[k], known * weight);
    }
    if (!(wrong.weight > 0)) return;
    errors_.add(wrong.value(), weight);
    losses_.add(loss.value(), weight);
  }

  // `calibrations`: of each class.
  std::vector<EstimateFigure> figures(bool sets,
                                      const std::vector<CalibrationFigure>& calibrations) const {
    std::vector<EstimateFigure> result;
    if (!(errors_.weight > 0)) return result;
    result.push_back(sets ? errors_.of_means("error", -1) : errors_.of_shares("error", -1));
    result.push_back(losses_.of_means("log-loss", -1));
    result.push_back(calibration_of(groups_.figure(), -1));
    for (std::size_t k = 0; k < class_errors_.size(); ++k) {
      if (!(class_errors_[k].weight > 0)) continue;
      const auto label = static_cast<std::int32_t>(k);
      result.push_back(class_errors_[k].of_shares("error", label));
      result.push_back(class_losses_[k].of_means("log-loss", label));
      result.push_back(calibration_of(calibrations[k], label));
    }
    return result;
  }

 private:
  void add_calibration(std::size_t row, double probability, bool truth, double weight) {
    groups_.add(row, probability, truth, weight);
  }

  static EstimateFigure calibration_of(const CalibrationFigure& figure, std::int32_t label) {
    return {"calibration", label, figure.value, figure.low, figure.high};
  }

  Mean errors_;
  Mean losses_;
  std::vector<Mean> class_errors_;
  std::vector<Mean> class_losses_;
  GroupedCalibration groups_;
};

double weight_of(const JudgedRows& rows, std::size_t row) {
  return rows.weights.empty() ? 1 : rows.weights[row];
}

// Those that count.
std::vector<std::size_t> rows_to_judge(const JudgedRows& rows) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < rows.probabilities.rows; ++i) {
    const bool seen = rows.seen.empty() || rows.seen[i] != 0;
    const bool known = rows.labels.multi_label() || rows.labels.codes[i] >= 0;
    if (seen && known && weight_of(rows, i) > 0) result.push_back(i);
  }
  return result;
}

// Whether each of several labels holds in the row.
void mark_labels(const Labels& labels, std::size_t row, std::vector<bool>& holds) {
  holds.assign(labels.classes.size(), false);
  for (std::size_t j = labels.offsets[row]; j < labels.offsets[row + 1]; ++j)
    holds[static_cast<std::size_t>(labels.codes[j])] = true;
}

// Of each class against the rest. A few classes at a time, as many as a cache line has
// probabilities: thousands at once would take hundreds of megabytes.
std::vector<CalibrationFigure> calibrate_classes(const JudgedRows& rows,
                                                 const std::vector<std::size_t>& judged) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t classes = rows.labels.classes.size();
  const bool sets = rows.labels.multi_label();
  std::vector<CalibrationFigure> result;
  std::vector<bool> holds;
  for (std::size_t first = 0; first < classes; first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, classes);
    std::array<GroupedCalibration, kAtOnce> groups;
    for (const std::size_t i : judged) {
      if (sets) mark_labels(rows.labels, i, holds);
      const float* known = rows.labels.row_weights(i);
      for (std::size_t k = first; k < end; ++k) {
        const bool own = sets ? holds[k] : rows.labels.codes[i] == static_cast<std::int32_t>(k);
        groups[k - first].add(i, static_cast<double>(rows.probabilities.row(i)[k]), own,
                              weight_of(rows, i) * (known ? static_cast<double>(known[k]) : 1));
      }
    }
    for (std::size_t k = first; k < end; ++k) result.push_back(groups[k - first].figure());
  }
  return result;
}

}  // namespace

Estimate estimate_from(std::string method, const JudgedRows& rows) {
  const bool sets = rows.labels.multi_label();
  const std::vector<std::size_t> judged = rows_to_judge(rows);
  Judge judge(rows.labels.classes.size());
  std::vector<bool> holds;
  for (const std::size_t i : judged) {
    const float* p = rows.probabilities.row(i);
    if (!sets) {
      judge.add_row(i, p, rows.labels.codes[i], weight_of(rows, i));
    } else {
      mark_labels(rows.labels, i, holds);
      judge.add_set(i, p, holds, rows.labels.row_weights(i), weight_of(rows, i));
    }
  }
  return {std::move(method), judged.size(), judge.figures(sets, calibrate_classes(rows, judged))};
}

}  // namespace simplexboost
