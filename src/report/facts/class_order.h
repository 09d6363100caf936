// The order in which classes stand in pictures: those that are taken for each other side by side,
// and groups of them that can be folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simplexboost {

struct ClassOrder {
  std::vector<std::uint32_t> order;   // all classes
  std::vector<std::uint32_t> groups;  // where each group begins in `order`, ascending from 0
};

// `likeness`: classes x classes, symmetric, 0 to 1, the diagonal not used. Ward's clustering of the
// distances 1 - likeness^(1/4), whose tree is laid out so that the ends that meet are alike, and
// cut into about twice the square root of the number of classes, the largest group first; less than
// a dozen classes are one group each.
ClassOrder order_classes(const std::vector<float>& likeness, std::size_t classes);

// How much two classes are taken for each other: the weight that moves between them, as a share of
// what stays with them. `mass`: RowFacts::mass.
std::vector<float> class_likeness(const std::vector<double>& mass, std::size_t classes);

}  // namespace simplexboost
