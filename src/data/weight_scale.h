// The scale of weights. Only their ratios say something, so they may come in any unit; training
// computes with floats and brings them to a scale where these lose nothing. Calls with a RowSpace
// look at the rows of all ranks, which make them together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/row_space.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Multiplied by this power of two, the largest weight is in [1, 2); 0 where none is positive.
int weight_shift(const std::vector<double>& weights, const RowSpace& space);
// All of them times a power of two.
void shift_weights(std::vector<double>& weights, int shift);

// A positive weight below 2^-100 of the mean of the positive ones: more than single precision holds
// beside the others. The first of those that are here, and what to say of it.
std::optional<std::size_t> find_tiny_weight(const std::vector<double>& weights,
                                            const RowSpace& space);
std::string describe_tiny_weight(double weight);

// To training's scale. Whole multiples, up to 16, of the smallest weight become these whole
// numbers: a row of weight k is that row k times, and a common factor changes not a bit. Others
// count as they are given, unless their mean is below 1/4 or is 16 or more: then they are
// multiplied by the power of two that brings it to [1, 2).
void scale_weights(std::vector<double>& weights, const RowSpace& space);

// The weights of labels, rows x classes: multiplied by a power of two where their mean is beyond
// 2^-30 or 2^30. DataError names the row and the label of a tiny one.
void scale_label_weights(const std::string& source, Labels& labels, const RowSpace& space);

// So that sums in double precision, of squares too, neither overflow nor lose digits: where they
// could, all of them times a power of two. Figures that are ratios of such sums do not change.
std::vector<double> summable_weights(const std::vector<double>& weights, const RowSpace& space);

}  // namespace simplexboost
