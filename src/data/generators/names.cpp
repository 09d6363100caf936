// Columns of names, each of thousands of values, a few of them frequent and most of them rare: the
// benchmark for categories of many values. Every name speaks for some classes and against others.
#include <algorithm>
#include <cmath>
#include <string>

#include "data/generators/row_source.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDefaultNameClasses = 5;
constexpr std::size_t kDefaultNameColumns = 3;
constexpr std::size_t kDefaultValues = 10000;
constexpr std::size_t kMostEffects = 50000000;  // columns x values x classes

class NameColumns final : public RowSource {
 public:
  explicit NameColumns(const GeneratorSpec& spec)
      : seed_(spec.seed),
        classes_(spec.classes.value_or(kDefaultNameClasses)),
        columns_(spec.features.value_or(kDefaultNameColumns)),
        values_(spec.values.value_or(kDefaultValues)) {
    check();
    Random random = generator_stream(seed_, GeneratorStream::kCentres, 0);
    effects_.resize(columns_ * values_ * classes_);
    for (float& effect : effects_) effect = static_cast<float>(random.normal());
  }

  Schema schema() const override {
    Schema schema = generator_schema(numbered("name", 1, columns_), numbered("", 0, classes_));
    for (FeatureSchema& feature : schema.features) {
      feature.type = FeatureType::kCategorical;
      feature.categories = numbered("v", 0, values_);
    }
    return schema;
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    std::vector<double> shares(classes_);
    for (std::size_t i = 0; i < count; ++i, features += columns_) {
      draw_names(random, features);
      set_shares(features, shares);
      double left = random.uniform();
      std::size_t label = 0;
      while (label + 1 < classes_ && left >= shares[label]) left -= shares[label++];
      labels[i] = static_cast<std::int32_t>(label);
    }
  }

  // Of a sample of 100,000 rows: a standard error of a tenth of a percentage point.
  double bayes_error() const override {
    constexpr std::size_t kSample = 100000;
    Random random = generator_stream(seed_, GeneratorStream::kCalibration, 0);
    std::vector<double> row(columns_);
    std::vector<double> shares(classes_);
    double error = 0;
    for (std::size_t i = 0; i < kSample; ++i) {
      draw_names(random, row.data());
      set_shares(row.data(), shares);
      error += 1 - *std::max_element(shares.begin(), shares.end());
    }
    return error / static_cast<double>(kSample);
  }

 private:
  void check() const {
    const auto require = [](bool holds, const std::string& otherwise) {
      if (!holds) throw ParameterError("names: " + otherwise);
    };
    require(classes_ >= 2 && classes_ <= 1000,
            "classes must be from 2 to 1000, not " + std::to_string(classes_));
    require(columns_ >= 1 && columns_ <= 1000,
            "features must be from 1 to 1000, not " + std::to_string(columns_));
    // As many as the readers take.
    require(values_ >= 2 && values_ <= 65535,
            "values must be from 2 to 65535, not " + std::to_string(values_));
    require(columns_ * values_ * classes_ <= kMostEffects,
            "features x values x classes must be at most " + std::to_string(kMostEffects));
  }

  // The v-th of V names has a density of (v / V)^(-2/3).
  void draw_names(Random& random, double* row) const {
    for (std::size_t j = 0; j < columns_; ++j) {
      const double u = random.uniform();
      row[j] = std::floor(static_cast<double>(values_) * u * u * u);
    }
  }

  // p_k ~ e^{sum of the effects of the names on class k}.
  void set_shares(const double* row, std::vector<double>& shares) const {
    std::fill(shares.begin(), shares.end(), 0.0);
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t name = j * values_ + static_cast<std::size_t>(row[j]);
      for (std::size_t k = 0; k < classes_; ++k)
        shares[k] += static_cast<double>(effects_[name * classes_ + k]);
    }
    double sum = 0;
    for (double& share : shares) sum += share = std::exp(share);
    for (double& share : shares) share /= sum;
  }

  std::uint64_t seed_;
  std::size_t classes_;
  std::size_t columns_;
  std::size_t values_;
  std::vector<float> effects_;  // columns x values x classes
};

}  // namespace

std::unique_ptr<RowSource> make_names(const GeneratorSpec& spec) {
  return std::make_unique<NameColumns>(spec);
}

}  // namespace simplexboost
