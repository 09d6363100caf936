#include "quality/distil.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/threads/parallel.h"
#include "boosting/training.h"
#include "certainty/set_scores.h"
#include "metric/estimate.h"
#include "metric/temperature.h"
#include "model/model_access.h"
#include "model/predict/pool.h"
#include "quality/choices.h"
#include "quality/cross_fit.h"
#include "quality/shared_fit.h"

namespace simplexboost {
namespace {

constexpr double kLeastTaught = 1e-12;

// Those who teach are done; only the user may end this.
class TaughtWatch : public FitWatch {
 public:
  bool go_on() override { return may_go_on(); }
  bool may_go_on() const override { return !stop_requested(); }
};

double taught_loss(const Dataset& data, const Matrix& proba) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double weight = data.weights.empty() ? 1 : data.weights[i];
    const auto own = static_cast<double>(proba.row(i)[data.labels.codes[i]]);
    sum -= weight * std::log(std::max(own, kLeastTaught));
    total += weight;
  }
  return sum / total;
}

// The scale is fitted for the rows of each fold on the others, and on all of them for the model.
double calibrate_taught(const Lesson& lesson, int threads, Ensemble& ensemble, Matrix& proba) {
  const std::size_t classes = proba.columns;
  Ensemble link;
  link.schema = ensemble.schema;
  std::vector<std::uint8_t> others(lesson.data.rows);
  const Matrix raw = proba;
  for (int f = 0; f < lesson.folds; ++f) {
    for (std::size_t i = 0; i < others.size(); ++i) others[i] = lesson.fold_of_row[i] == f ? 0 : 1;
    link.link_scale =
        fit_score_scale({lesson.data.labels, lesson.data.weights, raw, others}, threads);
    Matrix scaled = raw;
    rescale(link, threads, scaled);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i] == 0) std::copy_n(scaled.row(i), classes, proba.row(i));
  }
  return fit_score_scale({lesson.data.labels, lesson.data.weights, raw}, threads);
}

}  // namespace

Dataset part_rows(const Dataset& data, const Matrix& proba, std::span<const std::uint32_t> rows,
                  double share) {
  constexpr std::size_t kMostClasses = 4;
  constexpr double kEnough = 0.98;  // of a row's weight; what is left goes to the same classes
  std::vector<std::uint32_t> repeated;
  std::vector<std::int32_t> codes;
  std::vector<double> weights;
  std::vector<std::size_t> order(proba.columns);
  std::vector<double> targets(proba.columns);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float* p = proba.row(rows[i]);
    for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = share * static_cast<double>(p[k]);
    targets[static_cast<std::size_t>(data.labels.codes[i])] += 1 - share;
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t most = std::min(kMostClasses, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return targets[a] != targets[b] ? targets[a] > targets[b] : a < b;
                      });
    std::size_t count = 0;
    double sum = 0;
    while (count < most && sum < kEnough) sum += targets[order[count++]];
    const double weight = data.weights.empty() ? 1 : data.weights[i];
    for (std::size_t c = 0; c < count; ++c) {
      repeated.push_back(static_cast<std::uint32_t>(i));
      codes.push_back(static_cast<std::int32_t>(order[c]));
      weights.push_back(weight * targets[order[c]] / sum);
    }
  }
  Dataset result = select_rows(data, repeated);
  result.labels.codes = std::move(codes);
  result.weights = std::move(weights);
  return result;
}

std::optional<Distilled> distil(const Lesson& lesson, const MemberSetting& setting) {
  constexpr std::array kShares{0.5, 1.0};
  TaughtWatch watch;
  std::vector<std::optional<Matrix>> taught_folds(static_cast<std::size_t>(lesson.folds));
  const int threads = resolve_threads(setting.parameters.threads);
  CrossFit best;
  double share = 0;
  double least = 0;
  for (const double one : kShares) {
    CrossFitOptions how;
    how.ranks = &lesson.ranks;
    if (lesson.checkpoint) how.keeper = {lesson.checkpoint, fmt::format("distil {}", one)};
    how.prepare = [&](Dataset train, const TrainedFold& fold) {
      std::optional<Matrix>& proba = taught_folds[fold.number];
      if (!proba) proba = lesson.teach_fold(train, fold);
      if (proba->rows != train.rows) return train;  // the labels alone
      std::vector<std::uint32_t> rows(train.rows);
      std::iota(rows.begin(), rows.end(), 0U);
      return part_rows(train, *proba, rows, one);
    };
    CrossFit fit = cross_fit(lesson.data, setting, lesson.fold_of_row, lesson.folds, watch, how);
    if (anywhere(lesson.ranks, !fit.whole || !watch.may_go_on())) return std::nullopt;
    const double loss = taught_loss(lesson.data, fit.proba);
    if (share > 0 && !(loss < least)) continue;
    least = loss;
    share = one;
    best = std::move(fit);
  }
  std::vector<std::uint32_t> all(lesson.data.rows);
  std::iota(all.begin(), all.end(), 0U);
  const Dataset taught = part_rows(lesson.data, lesson.proba, all, share);
  Parameters parameters = setting.parameters;
  parameters.rounds = std::max(static_cast<int>(best.rounds), 1);
  parameters.early_stopping = 0;
  TrainingContext context;
  context.checkpoint = lesson.checkpoint;
  context.part = "distilled";
  const Model model = train(taught, parameters, {}, context);
  if (!watch.may_go_on()) return std::nullopt;
  // All rows together may have no first cut where those of folds do: then it is the mean of these.
  auto ensemble =
      std::make_shared<Ensemble>(model.rounds() > 0 ? ensemble_of(model) : best.ensemble);
  const double scale = calibrate_taught(lesson, threads, *ensemble, best.proba);
  ensemble->link_scale *= scale;
  ensemble->link_shift *= scale;
  ensemble->log = {};
  const JudgedRows judged{lesson.data.labels, lesson.data.weights, best.proba};
  ensemble->estimate = estimate_from("out-of-fold", judged);
  ensemble->sets =
      set_scores_from("out-of-fold", judged, resolve_threads(setting.parameters.threads));
  MemberRecord record{setting.name, 1, "one model in the place of the ensemble", "",
                      choices_of(setting, best, setting.parameters)};
  record.choices.push_back({"share of the ensemble", fmt::format("{}", share),
                            "the less out-of-fold log loss of two; the rest of what it is taught "
                            "are the labels"});
  return Distilled{make_model(std::move(ensemble)), std::move(best.proba), share, {record}};
}

}  // namespace simplexboost
