#include "data/class_shares.h"

#include <algorithm>

namespace simplexboost {

std::vector<double> shares_of_classes(const Labels& labels, const RowWeights& weights,
                                      const RowSpace& space) {
  const std::size_t classes = labels.classes.size();
  const std::vector<double> sums = space.sums(
      RowSpace::kBlock, classes + 1, [&](std::size_t begin, std::size_t end, double* part) {
        for (std::size_t i = begin; i < end; ++i) {
          part[classes] += weights[i];
          const std::size_t first = labels.multi_label() ? labels.offsets[i] : i;
          const std::size_t last = labels.multi_label() ? labels.offsets[i + 1] : i + 1;
          for (std::size_t j = first; j < last; ++j) part[labels.codes[j]] += weights[i];
        }
      });
  std::vector<double> shares(classes);
  for (std::size_t k = 0; k < classes; ++k) shares[k] = std::min(sums[k] / sums[classes], 1.0);
  return shares;
}

}  // namespace simplexboost
