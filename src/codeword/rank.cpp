#include "codeword/rank.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace simplexboost {
namespace {

// What is left of a column of length 1 that depends on others is rounding, for entries are floats.
constexpr double kRoundingLength = 1e-4;

double length_of(const std::vector<double>& vector) {
  return std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
}

}  // namespace

// Gram and Schmidt, a column of the matrix after the other, until there are K - 1 directions: of
// sets that have them, the first columns will do.
bool tells_posterior(const Codebook& codebook) {
  const std::size_t classes = codebook.classes();
  switch (codebook.kind()) {
    case CodebookKind::kSimplex:
    case CodebookKind::kCanonical:
    case CodebookKind::kOneVsAll:
    case CodebookKind::kAllPairs: return true;
    default: break;
  }
  if (codebook.dimension() + 1 < classes) return false;
  std::vector<std::vector<double>> directions;
  for (std::size_t j = 0; j < codebook.dimension() && directions.size() + 1 < classes; ++j) {
    std::vector<double> column(classes);
    for (std::size_t k = 0; k < classes; ++k) column[k] = codebook.entry(k, j);
    const double mean =
        std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(classes);
    for (double& value : column) value -= mean;
    const double whole = length_of(column);
    for (const std::vector<double>& direction : directions) {
      const double part = std::inner_product(column.begin(), column.end(), direction.begin(), 0.0);
      for (std::size_t k = 0; k < classes; ++k) column[k] -= part * direction[k];
    }
    const double left = length_of(column);
    if (!(left > kRoundingLength * whole)) continue;
    for (double& value : column) value /= left;
    directions.push_back(std::move(column));
  }
  return directions.size() + 1 >= classes;
}

}  // namespace simplexboost
