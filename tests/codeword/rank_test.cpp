// Lemma 3 of jmlr2019: which codewords tell posteriors.
#include "codeword/rank.h"

#include <gtest/gtest.h>

#include "codeword/make_codebook.h"

namespace simplexboost {
namespace {

bool tells(const char* kind, std::size_t classes, std::optional<std::size_t> dimension = {}) {
  return tells_posterior(make_codebook({.kind = kind, .classes = classes, .dimension = dimension}));
}

TEST(TellsPosterior, NeedsRankOfAllClassesButOne) {
  for (const char* kind : {"simplex", "canonical", "one-vs-all", "all-pairs"})
    EXPECT_TRUE(tells(kind, 6)) << kind;
  for (std::size_t d = 2; d < 5; ++d) EXPECT_FALSE(tells("maxmin", 6, d)) << d;
  for (std::size_t d = 5; d < 8; ++d) EXPECT_TRUE(tells("maxmin", 6, d)) << d;
  EXPECT_TRUE(tells("random", 6, 20));
}

// Four columns for four classes, but the third is the sum of the first two and the last a constant.
TEST(TellsPosterior, CountsIndependentColumnsAlone) {
  const std::vector<float> low = {1, 0, 1, 5, 0, 1, 1, 5, 2, 2, 4, 5, 0.5F, 3, 3.5F, 5};
  EXPECT_FALSE(tells_posterior(Codebook::dense(CodebookKind::kFile, 4, low)));
  std::vector<float> full = low;
  full[14] = 4;
  EXPECT_TRUE(tells_posterior(Codebook::dense(CodebookKind::kFile, 4, full)));
}

}  // namespace
}  // namespace simplexboost
