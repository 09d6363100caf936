// What a feature does to what a model says: curves of its values, and what is lost where they are
// shuffled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

struct EffectOptions {
  int threads = 0;          // 0: all cores
  std::size_t points = 20;  // of a numeric feature, at quantiles of the data
  std::size_t rows = 1000;  // drawn from the data; 0: all
  std::uint64_t seed = 0;
  bool scores = false;                     // of scores; else of probabilities
  std::vector<std::int32_t> classes = {};  // empty: all
  bool individual = false;                 // a curve for each row, too
  std::size_t categories = 0;  // the commonest so many, by how common they are; 0: all, by code
};

struct Effect {
  std::size_t feature = 0;
  // Values of a numeric feature, ascending, or codes of categories; NaN, the last: missing, where
  // some of the rows are.
  std::vector<double> grid;
  std::vector<std::int32_t> classes;
  std::vector<double> values;        // grid x classes
  std::vector<double> curves;        // rows x grid x classes, where individual ones are asked for
  std::vector<std::uint32_t> rows;   // of the data that were taken
  std::vector<double> rows_at_grid;  // how many rows stand for each point
};

// Partial dependence (Friedman 2001): the mean of what the model says of the rows where all have
// the same value of the feature; with `individual` also of each row (Goldstein et al. 2015).
SIMPLEXBOOST_API Effect partial_dependence(const Model& model, const Dataset& data,
                                           std::size_t feature, const EffectOptions& options = {});

// Accumulated local effects (Apley and Zhu 2020): the same from small changes of the values that
// rows have, so that no row is asked about that could not be; their mean is 0. ParameterError for
// categories, which have no order.
SIMPLEXBOOST_API Effect accumulated_effect(const Model& model, const Dataset& data,
                                           std::size_t feature, const EffectOptions& options = {});

struct PermutationOptions {
  int threads = 0;
  std::string metric = {};  // as EvaluateOptions has them; empty: log-loss, else error
  std::size_t repeats = 10;
  std::size_t rows = 0;  // drawn for each repeat; 0: as many as there are
  std::uint64_t seed = 0;
  std::vector<std::size_t> features = {};  // empty: all
};

// How much worse the metric is where a feature's values are shuffled, with an interval of 95 %. In
// every repeat rows are drawn anew (a bootstrap), so that it tells of other rows to come as well.
struct FeatureLoss {
  std::size_t feature = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
  std::vector<double> repeats;
};

struct PermutationImportance {
  std::string metric;
  double value = 0;                   // of the data as they are
  std::vector<FeatureLoss> features;  // in the order asked for
};

// `data` must have labels, as for evaluate().
SIMPLEXBOOST_API PermutationImportance permutation_importance(
    const Model& model, const Dataset& data, const PermutationOptions& options = {});

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
