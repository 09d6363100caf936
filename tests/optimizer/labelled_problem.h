// Random labels, weights, scores and hypotheses for the tests of optimisers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "codeword/codebook.h"
#include "optimizer/optimizer.h"

namespace simplexboost::testing {

struct LabelledProblem {
  Labels labels;
  std::vector<double> weights;

  LabelledProblem(std::size_t rows, std::size_t classes, Random& random) {
    for (std::size_t k = 0; k < classes; ++k) labels.classes.push_back("k" + std::to_string(k));
    for (std::size_t i = 0; i < rows; ++i) {
      labels.codes.push_back(static_cast<std::int32_t>(random.below(classes)));
      weights.push_back(0.5 + random.uniform());
    }
  }

  Problem problem() const {
    return {labels, weights, RowSpace(weights.size(), 1), labels.classes.size()};
  }
};

inline std::vector<float> random_scores(std::size_t count, Random& random) {
  std::vector<float> scores(count);
  for (float& score : scores) score = static_cast<float>(random.normal());
  return scores;
}

// A classifier that names the right class for two rows of three, as a table of codewords.
struct CodewordHypothesis {
  std::vector<float> codewords;
  std::vector<std::uint32_t> index;
  std::size_t width;

  CodewordHypothesis(const Codebook& book, const Labels& labels, Random& random)
      : codewords(book.matrix()), width(book.dimension()) {
    for (const std::int32_t code : labels.codes) {
      const bool right = random.below(3) > 0;
      index.push_back(right ? static_cast<std::uint32_t>(code)
                            : static_cast<std::uint32_t>(random.below(book.classes())));
    }
  }

  RowVectors vectors() const { return {index.data(), codewords.data(), width, 0}; }
};

}  // namespace simplexboost::testing
