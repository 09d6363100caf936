#include "simplexboost/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/memory.h"
#include "base/random.h"
#include "model/model_access.h"
#include "simplexboost/error.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr std::size_t kMostPoints = 10'000;

// A column that has the same value in every row.
Column constant_column(const FeatureSchema& schema, double value) {
  Column column;
  column.schema = schema;
  if (schema.type == FeatureType::kCategorical) {
    const auto code =
        std::make_shared<std::int32_t>(std::isnan(value) ? -1 : static_cast<std::int32_t>(value));
    column.scalar = Scalar::kInt32;
    column.data = reinterpret_cast<const std::byte*>(code.get());
    column.owner = code;
  } else {
    const auto number = std::make_shared<double>(value);
    column.data = reinterpret_cast<const std::byte*>(number.get());
    column.owner = number;
  }
  return column;
}

double number_of(std::size_t count) { return static_cast<double>(count); }

// Rows and classes of an effect, and what the model says of them.
class EffectRun {
 public:
  EffectRun(const Model& model, const Dataset& data, std::size_t feature,
            const EffectOptions& options)
      : model_(model), options_(options), feature_(feature) {
    check_columns(model.schema(), data);
    const std::size_t features = model.schema().features.size();
    if (feature >= features)
      throw ParameterError(
          fmt::format("the model has no feature {}: it has {}", feature, features));
    if (data.rows == 0) throw DataError({data.source}, "no rows to take effects from");
    if (options.points < 2 || options.points > kMostPoints)
      throw ParameterError(
          fmt::format("an effect has 2 to {} points, not {}", kMostPoints, options.points));
    if (!options.scores && !model.has_proba())
      throw ModelError("the model has no probabilities; effects on its scores can be had");
    effect_.feature = feature;
    effect_.classes = options.classes;
    const std::size_t classes = model.schema().classes.size();
    for (const std::int32_t label : options.classes)
      if (label < 0 || static_cast<std::size_t>(label) >= classes)
        throw ParameterError(fmt::format("the model has no class {}: it has {}", label, classes));
    if (effect_.classes.empty()) {
      effect_.classes.resize(classes);
      std::iota(effect_.classes.begin(), effect_.classes.end(), 0);
    }
    draw_rows(data);
    values_.resize(rows_.rows);
    rows_.columns[feature].copy(0, rows_.rows, values_.data());
  }

  Effect& effect() { return effect_; }
  const std::vector<double>& values() const { return values_; }
  bool categorical() const {
    return model_.schema().features[feature_].type == FeatureType::kCategorical;
  }

  // What the model says of the rows with these values of the feature: rows x classes.
  Matrix says(Column column) const {
    Dataset changed = rows_;
    changed.columns[feature_] = std::move(column);
    const PredictOptions options{options_.threads, 0};
    return options_.scores ? model_.predict_scores(changed, options)
                           : model_.predict_proba(changed, options);
  }
  Matrix says(double value) const {
    return says(constant_column(model_.schema().features[feature_], value));
  }
  Matrix says(std::vector<double> values) const {
    return says(Column::numeric(model_.schema().features[feature_].name, std::move(values)));
  }

  // Quantiles of the known values, each once, both ends among them.
  std::vector<double> quantiles() const {
    std::vector<double> known;
    std::copy_if(values_.begin(), values_.end(), std::back_inserter(known),
                 [](double x) { return std::isfinite(x); });
    std::sort(known.begin(), known.end());
    std::vector<double> grid;
    for (std::size_t q = 0; q < options_.points && !known.empty(); ++q) {
      const double x = known[q * (known.size() - 1) / (options_.points - 1)];
      if (grid.empty() || x > grid.back()) grid.push_back(x);
    }
    return grid;
  }

  // Codes of all categories, or of those that most rows have.
  std::vector<double> categories() const {
    std::vector<std::size_t> counts(model_.schema().features[feature_].categories.size());
    std::vector<double> grid(counts.size());
    std::iota(grid.begin(), grid.end(), 0.0);
    if (options_.categories == 0) return grid;
    const auto count = [&](double code) -> std::size_t& {
      return counts[static_cast<std::size_t>(code)];
    };
    for (const double x : values_)
      if (x >= 0 && x < number_of(counts.size())) ++count(x);
    std::erase_if(grid, [&](double code) { return count(code) == 0; });
    std::stable_sort(grid.begin(), grid.end(),
                     [&](double a, double b) { return count(a) > count(b); });
    if (grid.size() > options_.categories) grid.resize(options_.categories);
    return grid;
  }

 private:
  void draw_rows(const Dataset& data) {
    effect_.rows.resize(data.rows);
    std::iota(effect_.rows.begin(), effect_.rows.end(), 0U);
    if (options_.rows > 0 && options_.rows < data.rows) {
      Random random(options_.seed, 25);
      random.shuffle(effect_.rows);
      effect_.rows.resize(options_.rows);
      std::sort(effect_.rows.begin(), effect_.rows.end());
    }
    rows_ = select_rows(data, effect_.rows);
    rows_.labels = {};
    rows_.weights.clear();
  }

  const Model& model_;
  const EffectOptions& options_;
  std::size_t feature_;
  Effect effect_;
  Dataset rows_;
  std::vector<double> values_;
};

}  // namespace

Effect partial_dependence(const Model& model, const Dataset& data, std::size_t feature,
                          const EffectOptions& options) {
  EffectRun run(model, data, feature, options);
  Effect& effect = run.effect();
  effect.grid = run.categorical() ? run.categories() : run.quantiles();
  const std::vector<double>& values = run.values();
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); }))
    effect.grid.push_back(std::numeric_limits<double>::quiet_NaN());
  const std::size_t classes = effect.classes.size();
  const std::size_t points = effect.grid.size();
  const std::size_t rows = effect.rows.size();
  if (options.individual) {
    require_memory("curves of rows", rows, points * classes, sizeof(double));
    effect.curves.resize(rows * points * classes);
  }
  effect.values.resize(points * classes);
  for (std::size_t g = 0; g < points; ++g) {
    const Matrix said = run.says(effect.grid[g]);
    for (std::size_t c = 0; c < classes; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const double one = said.row(i)[effect.classes[c]];
        sum += one;
        if (options.individual) effect.curves[(i * points + g) * classes + c] = one;
      }
      effect.values[g * classes + c] = sum / number_of(rows);
    }
    const double at = effect.grid[g];
    effect.rows_at_grid.push_back(number_of(
        static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double x) {
          return x == at || (std::isnan(x) && std::isnan(at));
        }))));
  }
  return std::move(effect);
}

// The intervals are those between neighbouring points of the grid; each row is moved to both ends
// of its own.
Effect accumulated_effect(const Model& model, const Dataset& data, std::size_t feature,
                          const EffectOptions& options) {
  EffectRun run(model, data, feature, options);
  if (run.categorical())
    throw ParameterError(fmt::format(
        "'{}' has categories, which have no order to accumulate effects along; partial dependence "
        "has no need of one",
        model.schema().features[feature].name));
  if (options.individual)
    throw ParameterError("accumulated effects are those of all rows; rows alone have none");
  Effect& effect = run.effect();
  const std::vector<double>& grid = effect.grid = run.quantiles();
  const std::vector<double>& values = run.values();
  const std::size_t classes = effect.classes.size();
  effect.values.assign(grid.size() * classes, 0);
  effect.rows_at_grid.assign(grid.size(), 0);
  if (grid.size() < 2) return std::move(effect);
  std::vector<std::size_t> interval(values.size());  // its upper end; 0: none
  std::vector<double> low = values;
  std::vector<double> high = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const auto above = std::lower_bound(grid.begin(), grid.end(), values[i]) - grid.begin();
    const auto end = std::clamp<std::size_t>(static_cast<std::size_t>(above), 1, grid.size() - 1);
    interval[i] = end;
    low[i] = grid[end - 1];
    high[i] = grid[end];
    ++effect.rows_at_grid[end];
  }
  const Matrix below = run.says(std::move(low));
  const Matrix above = run.says(std::move(high));
  for (std::size_t c = 0; c < classes; ++c) {
    const auto label = static_cast<std::size_t>(effect.classes[c]);
    std::vector<double> change(grid.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (interval[i] > 0)
        change[interval[i]] +=
            static_cast<double>(above.row(i)[label]) - static_cast<double>(below.row(i)[label]);
    double mean = 0;
    double total = 0;
    double sum = 0;
    for (std::size_t g = 1; g < grid.size(); ++g) {
      const double rows = effect.rows_at_grid[g];
      const double before = sum;
      sum += rows > 0 ? change[g] / rows : 0;
      effect.values[g * classes + c] = sum;
      mean += rows * (before + sum) / 2;
      total += rows;
    }
    for (std::size_t g = 0; g < grid.size(); ++g)
      effect.values[g * classes + c] -= total > 0 ? mean / total : 0;
  }
  return std::move(effect);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
