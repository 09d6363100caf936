// Random models of every kind that is exported, and rows for them.
#pragma once

#include <string>
#include <vector>

#include "model/model_access.h"
#include "model/random_ensemble.h"

namespace simplexboost::testing {

// Members whose trees stay within them, with linear terms, sparse leaves and trees that take from
// outputs among them.
inline Ensemble random_members(std::uint64_t seed) {
  const EnsembleShape shape{5, 3, 3, 3, 2, 6};
  Random random(seed, 11);
  Ensemble ensemble = random_ensemble({5, 3, 3, 0, 0, 0}, 3 * seed);
  ensemble.link = Link::kSoftmax;
  ensemble.link_shift = 0;
  ensemble.log = {};
  ensemble.pool = seed % 2 == 0 ? Pool::kMean : Pool::kProduct;
  Forest& forest = ensemble.forest;
  const std::vector<Link> links{Link::kSoftmax, Link::kShares, Link::kLogistic, Link::kSoftmax};
  forest.outputs = static_cast<std::uint32_t>(shape.classes * links.size());
  ensemble.bias.clear();
  for (std::size_t m = 0; m < links.size(); ++m) {
    ensemble.members.push_back({"member " + std::to_string(m), links[m], 0.5 + random.uniform(),
                                0.1 * random.uniform(), 0.1 + random.uniform()});
    Ensemble member = random_ensemble(shape, 3 * seed + 1);
    if (!member.forest.trees.back().linear()) make_sparse(member.forest, random);
    ensemble.bias.insert(ensemble.bias.end(), member.bias.begin(), member.bias.end());
    member.forest.node_gain.clear();
    member.forest.leaf_cover.clear();
    for (std::size_t r = 0; r < shape.rounds; ++r)
      append_round(forest, member.forest, r, 1, m * shape.classes);
  }
  forest.round_end = {static_cast<std::uint32_t>(forest.trees.size())};
  return ensemble;
}

// Calibrated by a temperature, by classes, by curves, or moved to other shares of the classes.
inline void adjust_randomly(Ensemble& ensemble, std::uint64_t kind, Random& random) {
  const std::size_t classes = ensemble.classes();
  ProbabilityMap& map = ensemble.map;
  if (kind == 0) {
    map = {"temperature", {0.5 + random.uniform()}, {}, {}, {}, {}};
  } else if (kind == 1) {
    map.method = "vector";
    for (std::size_t k = 0; k < classes; ++k) {
      map.scale.push_back(0.5 + random.uniform());
      map.shift.push_back(random.normal());
    }
  } else if (kind == 2) {
    map.method = "isotonic";
    for (std::size_t k = 0; k < classes; ++k) {
      for (const double p : {0.0, 0.2 + random.uniform() / 2, 1.0}) {
        map.knot_p.push_back(p);
        map.knot_q.push_back(0.05 + 0.9 * p * p);
      }
      map.knot_end.push_back(map.knot_p.size());
    }
  }
  if (kind == 2 || kind == 3) {
    ensemble.class_shares.assign(classes, 1.0 / static_cast<double>(classes));
    for (std::size_t k = 0; k < classes; ++k)
      ensemble.priors.push_back(2 * static_cast<double>(k + 1) /
                                static_cast<double>(classes * (classes + 1)));
  }
}

// Every seed is another kind: outputs as scores, codewords, a simplex, one class's trees, members.
inline Model random_model(std::uint64_t seed, bool adjusted = false) {
  const std::vector<EnsembleShape> shapes{
      {}, {1, 2, 2, 3, 1, 3}, {6, 3, 2, 4, 2, 9}, {7, 26, 26, 2, 2, 20}, {4, 5, 7, 3, 1, 6}};
  Ensemble ensemble =
      seed % 6 == 5 ? random_members(seed) : random_ensemble(shapes[seed % 6], 7 * seed + seed / 6);
  ensemble.schema.classes[0] = "\"class\" \\ \xc3\xa9 ?\?/";
  Random random(seed, 13);
  if (seed % 6 != 5 && seed % 2 == 0 && !ensemble.forest.trees.back().linear()) {
    make_sparse(ensemble.forest, random);
  }
  if (adjusted) adjust_randomly(ensemble, seed % 4, random);
  return make_model(std::move(ensemble));
}

inline std::vector<double> row_of(const Dataset& data, std::size_t row) {
  std::vector<double> values;
  for (const Column& column : data.columns) column.copy(row, row + 1, &values.emplace_back());
  return values;
}

inline std::vector<double> matrix_of(const Dataset& data) {
  std::vector<double> values;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const std::vector<double> row = row_of(data, i);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

// Where a linear term stands, as forest.h says.
inline double position_in(double x, double low, double high, double center) {
  if (x != x) return 0;
  return ((x < low ? low : x > high ? high : x) - center) / (high - low);
}

}  // namespace simplexboost::testing
