// Small labelled data for the tests of boosting.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"

namespace simplexboost::testing {

struct DataShape {
  std::size_t rows = 300;
  std::size_t classes = 3;
  std::size_t numbers = 4;  // numeric features
  bool mixed = false;       // with a categorical feature, and missing values
  double noise = 0.1;       // share of rows with a random class
};

// Classes are sectors of the plane of the first two features.
inline Dataset labelled_data(const DataShape& shape, std::uint64_t seed) {
  Random random(seed);
  Dataset data;
  data.rows = shape.rows;
  std::vector<std::vector<double>> x(shape.numbers, std::vector<double>(shape.rows));
  for (auto& column : x)
    for (double& value : column) value = random.normal();
  for (std::size_t k = 0; k < shape.classes; ++k)
    data.labels.classes.push_back("k" + std::to_string(k));
  data.labels.columns = {"class"};
  constexpr double kTurn = 2 * 3.14159265358979;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const double angle = std::atan2(x[0][i], x[1][i]) / kTurn + 0.5;
    auto k = static_cast<std::size_t>(angle * static_cast<double>(shape.classes));
    if (random.uniform() < shape.noise) k = random.below(shape.classes);
    data.labels.codes.push_back(static_cast<std::int32_t>(std::min(k, shape.classes - 1)));
    const bool missing = random.below(6) == 0;
    codes.push_back(missing ? -1 : static_cast<std::int32_t>((5 * k + random.below(7)) % 12));
  }
  for (std::size_t f = 0; f < shape.numbers; ++f) {
    if (shape.mixed && f % 2 == 1)
      for (double& value : x[f])
        if (random.below(7) == 0) value = std::numeric_limits<double>::quiet_NaN();
    data.columns.push_back(Column::numeric("x" + std::to_string(f), x[f]));
  }
  if (shape.mixed) {
    std::vector<std::string> names;
    for (int c = 0; c < 12; ++c) names.push_back("c" + std::to_string(c));
    data.columns.push_back(Column::categorical("colour", codes, names));
  }
  return data;
}

// The same rows with several labels each: label k holds in a sector of its own, and the sectors
// overlap; some rows have none.
inline Dataset multi_label_data(const DataShape& shape, std::uint64_t seed) {
  Dataset data = labelled_data(shape, seed);
  const std::vector<std::int32_t> sector = data.labels.codes;
  Random random(seed, 1);
  data.labels.codes.clear();
  data.labels.offsets = {0};
  data.labels.columns = data.labels.classes;
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (std::size_t k = 0; k < shape.classes; ++k) {
      const std::size_t from =
          (k + shape.classes - static_cast<std::size_t>(sector[i])) % shape.classes;
      if ((from < 2) != (random.uniform() < shape.noise))
        data.labels.codes.push_back(static_cast<std::int32_t>(k));
    }
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  return data;
}

// With so many bins that every cut can be tried, as naive twins do.
inline Parameters every_cut(const std::string& algorithm, const std::string& learner, int rounds) {
  Parameters result;
  result.algorithm = algorithm;
  result.learner = learner;
  result.rounds = rounds;
  result.max_bins = 65536;
  return result;
}
inline Parameters every_cut(const std::string& algorithm, int rounds) {
  return every_cut(algorithm, "auto", rounds);
}

}  // namespace simplexboost::testing
