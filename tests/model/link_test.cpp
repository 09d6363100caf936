// From scores to probabilities.
#include "model/predict/link.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "loss/loss.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

TEST(Link, OneProbabilityIsThatOfAll) {
  Random random(1);
  for (const Link link : {Link::kSoftmax, Link::kLogistic, Link::kLoss}) {
    SCOPED_TRACE(static_cast<int>(link));
    for (int trial = 0; trial < 200 && !::testing::Test::HasFailure(); ++trial) {
      SCOPED_TRACE(trial);
      Ensemble ensemble;
      ensemble.link = link;
      if (link == Link::kLoss) ensemble.link_loss = find_loss("savage");
      ensemble.link_scale = 0.1 + 3 * random.uniform();
      ensemble.link_shift = 2 * random.uniform() - 1;
      // Of usual size, equal, far apart, and all far below 0.
      const double size = trial % 4 == 0 ? 1 : trial % 4 == 1 ? 0 : trial % 4 == 2 ? 20 : 1;
      const double level = trial % 4 == 3 ? -200 : 0;
      std::vector<float> scores(2 + random.below(30));
      for (float& u : scores) u = static_cast<float>(level + size * (2 * random.uniform() - 1));
      std::vector<double> all(scores.size());
      std::vector<float> lost = scores;
      to_probabilities(ensemble, lost, all.data());
      for (std::size_t k = 0; k < scores.size(); ++k)
        EXPECT_NEAR(probability(ensemble, scores, k), all[k], 2e-5 * all[k] + 1e-30);
    }
  }
}

TEST(Link, OneProbabilityOfScoresWithoutBounds) {
  Ensemble ensemble;
  for (const Link link : {Link::kSoftmax, Link::kLogistic}) {
    ensemble.link = link;
    const std::vector<float> scores{-3e38F, 3e38F, 0};
    EXPECT_EQ(probability(ensemble, scores, 0), 0);
    EXPECT_GT(probability(ensemble, scores, 1), 0.6);
  }
  ensemble.link = Link::kNone;
  EXPECT_THROW(probability(ensemble, std::vector<float>{1, 2}, 0), ModelError);
}

}  // namespace
}  // namespace simplexboost
