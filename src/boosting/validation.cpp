#include "boosting/validation.h"

#include <fmt/format.h>

#include <limits>

#include "boosting/setup/data_check.h"
#include "boosting/trainer.h"

namespace simplexboost {
namespace {

RowSpace checked_space(const Dataset& valid, const Dataset& train, const RowSpace& of_train) {
  const RowSpace space(valid.rows, of_train.threads(), of_train.ranks());
  check_validation_data(valid, train, space);
  return space;
}

// The log calls the Hamming loss of sets an error too.
std::string watched_figure(const std::optional<Metric>& watched, bool multi_label) {
  const std::string error = find_metric("error", multi_label).json_name();
  const std::string name = watched ? watched->json_name() : "risk";
  return name == error ? "error" : name;
}

}  // namespace

Validation::Validation(const Dataset& valid, const LearnerData& train, const Composition& chosen,
                       const std::string& prefix)
    : data_(valid),
      chosen_(chosen),
      space_(checked_space(valid, train.raw, chosen.problem.space)),
      bins_(valid, train.bins.all_bins(), space_.threads()),
      board_(valid.labels, valid.weights, space_, chosen.codebook(), chosen.problem.classes),
      watch_(make_round_watch(chosen)),
      error_column_(prefix + "error"),
      log_loss_column_(prefix + "log_loss"),
      watched_column_(prefix + watched_figure(chosen.watched, valid.labels.multi_label())) {
  set_images(valid, chosen, bins_);
}

void Validation::resume(const TrainingLog& log, std::size_t rounds) {
  for (std::size_t r = 0; r < rounds; ++r)
    watch_.add(log.value(watched_column_, r).value_or(std::numeric_limits<double>::quiet_NaN()));
}

void Validation::add(WeakLearner& learner, const RowVectors& hypothesis, double length,
                     LeafPrecision precision) {
  RowVectors here = learner.apply({data_, bins_, nullptr, space_});
  here.code = hypothesis.code;
  here.minus_output = hypothesis.minus_output;
  board_.add(here, length, precision);
}

void Validation::judge(const Ensemble& ensemble, std::vector<RoundMetric>& metrics) {
  metrics.push_back({error_column_, board_.error()});
  if (!ensemble.schema.multi_label && ensemble.link != Link::kNone)
    metrics.push_back({log_loss_column_, board_.log_loss(ensemble)});
  for (const RoundMetric& metric : metrics)
    if (metric.name == watched_column_) return watch_.add(metric.value);
  const std::optional<Metric>& watched = chosen_.watched;
  const double value = watched
                           ? watched->value(board_.evaluate(ensemble, watched->parts()))
                           : board_.risk(*chosen_.loss, *chosen_.codebook(), chosen_.problem.costs);
  metrics.push_back({watched_column_, value});
  watch_.add(value);
}

std::string Validation::stale() const {
  const int patience = chosen_.parameters.early_stopping;
  if (!stops_early() || watch_.rounds_since_best() < static_cast<std::size_t>(patience)) return {};
  return fmt::format("no better validation {} in {} rounds",
                     chosen_.watched ? chosen_.watched->name() : "risk", patience);
}

}  // namespace simplexboost
