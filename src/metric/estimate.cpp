#include "metric/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
      add_calibration(row, yes, holds[k], known * weight);
    }
    if (!(wrong.weight > 0)) return;
    errors_.add(wrong.value(), weight);
    losses_.add(loss.value(), weight);
  }

  std::vector<EstimateFigure> figures(bool sets) const {
    std::vector<EstimateFigure> result;
    if (!(errors_.weight > 0)) return result;
    result.push_back(sets ? errors_.of_means("error", -1) : errors_.of_shares("error", -1));
    result.push_back(losses_.of_means("log-loss", -1));
    result.push_back(calibration());
    for (std::size_t k = 0; k < class_errors_.size(); ++k) {
      const auto label = static_cast<std::int32_t>(k);
      if (class_errors_[k].weight > 0) result.push_back(class_errors_[k].of_shares("error", label));
      if (!sets && class_losses_[k].weight > 0)
        result.push_back(class_losses_[k].of_means("log-loss", label));
    }
    return result;
  }

 private:
  void add_calibration(std::size_t row, double probability, bool truth, double weight) {
    groups_.add(row, probability, truth, weight);
  }

  EstimateFigure calibration() const {
    const CalibrationFigure figure = groups_.figure();
    return {"calibration", -1, figure.value, figure.low, figure.high};
  }

  Mean errors_;
  Mean losses_;
  std::vector<Mean> class_errors_;
  std::vector<Mean> class_losses_;
  GroupedCalibration groups_;
};

}  // namespace

Estimate estimate_from(std::string method, const JudgedRows& rows) {
  const std::size_t classes = rows.labels.classes.size();
  const bool sets = rows.labels.multi_label();
  Estimate estimate{std::move(method), 0, {}};
  Judge judge(classes);
  std::vector<bool> holds;
  for (std::size_t i = 0; i < rows.probabilities.rows; ++i) {
    const double weight = rows.weights.empty() ? 1 : rows.weights[i];
    if ((!rows.seen.empty() && rows.seen[i] == 0) || !(weight > 0)) continue;
    const float* p = rows.probabilities.row(i);
    if (!sets) {
      if (rows.labels.codes[i] < 0) continue;
      judge.add_row(i, p, rows.labels.codes[i], weight);
    } else {
      holds.assign(classes, false);
      for (std::size_t j = rows.labels.offsets[i]; j < rows.labels.offsets[i + 1]; ++j)
        holds[static_cast<std::size_t>(rows.labels.codes[j])] = true;
      judge.add_set(i, p, holds, rows.labels.row_weights(i), weight);
    }
    ++estimate.rows;
  }
  estimate.figures = judge.figures(sets);
  return estimate;
}

}  // namespace simplexboost
