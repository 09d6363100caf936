// Wrong labels on purpose: how an algorithm bears them is part of what the papers measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simplexboost/dataset.h"

namespace simplexboost {

class Random;

// Replaces each class with probability `noise` by one of the others, all alike.
void flip_classes(std::span<std::int32_t> codes, std::size_t classes, double noise, Random& random);

// The same for the labels of a data set, drawn by a seed; in multi-label data each label of each
// row is put in or taken out with that probability.
void flip_labels(Labels& labels, double noise, std::uint64_t seed);

}  // namespace simplexboost
