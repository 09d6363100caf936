#include "boosting/training.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "boosting/booster.h"
#include "boosting/class_weights.h"
#include "boosting/data_check.h"

namespace simplexboost {
namespace {

// The rows that count. Rows of weight zero, or of no known label, must not even break a tie.
std::vector<std::uint32_t> weighted_rows(const Dataset& data) {
  const std::size_t classes = data.labels.classes.size();
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const bool counts = data.weights.empty() || data.weights[i] > 0;
    const float* const said = data.labels.row_weights(i);
    if (counts && (!said || std::any_of(said, said + classes, [](float w) { return w > 0; })))
      rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

// The model keeps the weights of the classes, not the name of a file of them.
Dataset weigh_classes(const Dataset& data, Parameters& parameters) {
  const std::vector<double> weights = class_weights(parameters.class_weight, data);
  if (parameters.class_weight != "balanced")
    parameters.class_weight = class_weight_text(weights, data.labels.classes);
  return weight_classes(data, weights);
}

}  // namespace

Training::Training(const Dataset& data, const Parameters& wanted, const TrainOptions& options) {
  check_parameters(wanted);
  check_training_data(data);
  Parameters parameters = wanted;
  if (parameters.class_weight != "none")
    own_data_ = std::make_unique<Dataset>(weigh_classes(data, parameters));
  const Dataset& weighted = own_data_ ? *own_data_ : data;
  const std::vector<std::uint32_t> rows = weighted_rows(weighted);
  if (!rows.empty() && rows.size() < weighted.rows)
    own_data_ = std::make_unique<Dataset>(select_rows(weighted, rows));
  booster_ = std::make_unique<Booster>(own_data_ ? *own_data_ : data, parameters, options);
}

Training::~Training() = default;
Training::Training(Training&&) noexcept = default;

bool Training::boost(std::size_t rounds) { return booster_->boost(rounds); }
std::size_t Training::rounds() const { return booster_->rounds(); }

std::size_t Training::best_rounds() const {
  const RoundWatch* const watch = booster_->watch();
  const bool watched = watch && watch->rounds() > 0;
  return watched ? std::min(rounds(), watch->best_rounds()) : rounds();
}

double Training::best_value() const {
  const RoundWatch* const watch = booster_->watch();
  return watch ? watch->best_value() : std::numeric_limits<double>::quiet_NaN();
}

std::span<const double> Training::validation_values() const {
  const RoundWatch* const watch = booster_->watch();
  return watch ? std::span(watch->values()) : std::span<const double>();
}

Model Training::finish() { return booster_->finish(); }

std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& wanted) {
  check_training_data(data);
  const Parameters parameters = resolve_parameters(data, wanted);
  return choose_bins(data, {parameters.max_bins, resolve_threads(wanted.threads)});
}

}  // namespace simplexboost
