#include "data/labels/class_shares.h"

#include <algorithm>

namespace simplexboost {

std::vector<double> shares_of_classes(const Labels& labels, const RowWeights& weights,
                                      const RowSpace& space) {
  // Of each class, the weight of the rows that have it and of those that know whether they do.
  const std::size_t classes = labels.classes.size();
  const std::vector<double> sums = space.sums(
      RowSpace::kBlock, 2 * classes, [&](std::size_t begin, std::size_t end, double* part) {
        for (std::size_t i = begin; i < end; ++i) {
          const float* known = labels.multi_label() ? labels.row_weights(i) : nullptr;
          const std::size_t first = labels.multi_label() ? labels.offsets[i] : i;
          const std::size_t last = labels.multi_label() ? labels.offsets[i + 1] : i + 1;
          for (std::size_t j = first; j < last; ++j)
            if (!known || known[labels.codes[j]] > 0) part[labels.codes[j]] += weights[i];
          for (std::size_t k = 0; k < classes; ++k)
            if (!known || known[k] > 0) part[classes + k] += weights[i];
        }
      });
  std::vector<double> shares(classes);
  for (std::size_t k = 0; k < classes; ++k)
    if (sums[classes + k] > 0) shares[k] = std::min(sums[k] / sums[classes + k], 1.0);
  return shares;
}

}  // namespace simplexboost
