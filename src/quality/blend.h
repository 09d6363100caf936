// What each member of an ensemble is worth, by what it says of rows that it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ensemble.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// Members of less than this share of all weights have none.
inline constexpr double kLeastWeight = 0.02;

// Weights of the members, 0 or more and of sum 1, with which the mean of their probabilities
// (matrices of rows x classes) has the least log loss on the rows that are marked (empty: on all).
// Members of next to no weight have none.
std::vector<double> blend_weights(std::span<const Matrix> members, const Labels& labels,
                                  const std::vector<double>& weights,
                                  std::span<const std::uint8_t> marked);

// The same for the product p_k ~ prod_m p_mk^(s w_m), with s as it should be, of one label a row.
// Some of many rows will do. Members that are too unsure each for themselves, as forests are, count
// for more there, and one that excludes a class is heard.
std::vector<double> product_weights(std::span<const Matrix> members, const Labels& labels,
                                    const std::vector<double>& weights,
                                    std::span<const std::uint8_t> marked);

// The members' probabilities, pooled.
Matrix blend(Pool pool, std::span<const Matrix> members, const std::vector<double>& weights,
             int threads);

}  // namespace simplexboost
