#include "boosting/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "boosting/labelled_data.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;

TEST(DrawByWeight, FrequenciesFollowTheWeights) {
  const std::vector<double> weights{0, 1, 5, 0.5, 3.5, 0};
  const std::size_t draws = 100'000;
  const std::vector<std::uint32_t> counts =
      draw_by_weight(RowSpace(weights.size(), 1), weights, draws, Random(1)).counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), draws);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = weights[i] / 10;
    const double spread = std::sqrt(share * (1 - share) * static_cast<double>(draws));
    EXPECT_NEAR(counts[i], share * static_cast<double>(draws), 5 * spread) << i;
  }
}

TEST(DrawByWeight, ItemsOfNoWeightNeverComeUp) {
  const std::vector<double> weights{0, 1e-300, 0};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto counts = draw_by_weight(RowSpace(3, 1), weights, 7, Random(seed)).counts;
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{0, 7, 0}));
  }
}

struct Fixture {
  Fixture() { parameters.feature_fraction = 1; }

  Parameters parameters;
  std::vector<float> pulls{1, -1, 2, -2, 3, -3, 0, 0, 8, -8};
  std::vector<float> weights{1, 2, 3, 0, 8};
  RoundTarget target{{5, 2, pulls.data(), weights.data(), nullptr}};

  Sampler::Round draw(Sampler& sampler, std::size_t round = 0) const {
    return sampler.draw(target, round);
  }
};

TEST(Sampler, PassesTheTargetThroughByDefault) {
  Fixture fixture;
  Sampler sampler(fixture.parameters, RowSpace(5, 1), 3);
  const Sampler::Round seen = fixture.draw(sampler);
  EXPECT_EQ(seen.target.pulls, fixture.pulls.data());
  EXPECT_EQ(seen.target.weights, fixture.weights.data());
  EXPECT_TRUE(seen.sample.rows.empty());
  EXPECT_TRUE(seen.sample.features.empty());
}

TEST(Sampler, FloorLiftsLightRowsAndTheirPulls) {
  Fixture fixture;
  fixture.parameters.weight_floor = 1.5 / 14;  // of the sum, 14
  Sampler sampler(fixture.parameters, RowSpace(5, 1), 3);
  const RoundTarget lifted = fixture.draw(sampler).target;
  EXPECT_FLOAT_EQ(lifted.weights[0], 1.5F);
  EXPECT_FLOAT_EQ(lifted.pulls[0], 1.5F);
  EXPECT_FLOAT_EQ(lifted.pulls[1], -1.5F);
  EXPECT_FLOAT_EQ(lifted.weights[1], 2);
  EXPECT_FLOAT_EQ(lifted.weights[3], 0) << "a row of no weight stays out";
  EXPECT_FLOAT_EQ(lifted.pulls[9], -8);
}

TEST(Sampler, DrawnRowsCountTheSameAndWeighWhatAllDid) {
  Fixture fixture;
  fixture.parameters.resample = "weights";
  Sampler sampler(fixture.parameters, RowSpace(5, 1), 3);
  std::vector<double> mean(5);
  const std::size_t rounds = 4000;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Sampler::Round seen = fixture.draw(sampler, round);
    double total = 0;
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double count = static_cast<double>(seen.target.weights[i]) / (14.0 / 5);
      EXPECT_NEAR(count, std::round(count), 1e-5);
      // The pull of one draw is the pull a unit of weight, here 1.
      EXPECT_FLOAT_EQ(seen.target.pulls[2 * i], seen.target.weights[i]);
      mean[i] += static_cast<double>(seen.target.weights[i]) / static_cast<double>(rounds);
      total += static_cast<double>(seen.target.weights[i]);
      if (count > 0.5) {
        ASSERT_LT(drawn, seen.sample.rows.size());
        EXPECT_EQ(seen.sample.rows[drawn++], i);
      }
    }
    EXPECT_EQ(drawn, seen.sample.rows.size());
    EXPECT_NEAR(total, 14, 1e-4);
  }
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(mean[i], static_cast<double>(fixture.weights[i]), 0.25);
}

TEST(Sampler, DependsOnSeedAndRoundOnly) {
  Fixture fixture;
  fixture.parameters.resample = "weights";
  fixture.parameters.row_fraction = 0.6;
  Sampler one(fixture.parameters, RowSpace(5, 1), 3);
  Sampler other(fixture.parameters, RowSpace(5, 1), 3);
  fixture.draw(other, 3);
  const Sampler::Round a = fixture.draw(one, 9);
  const Sampler::Round b = fixture.draw(other, 9);
  EXPECT_TRUE(std::equal(a.sample.rows.begin(), a.sample.rows.end(), b.sample.rows.begin(),
                         b.sample.rows.end()));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(a.target.weights[i], b.target.weights[i]);
}

class ResampledTraining : public ::testing::TestWithParam<const char*> {};

TEST_P(ResampledTraining, LearnsAndDoesNotDependOnThreads) {
  GeneratorSpec spec;
  spec.name = "gaussian3";
  spec.rows = 800;
  const Dataset data = generate(spec);
  Parameters parameters;
  parameters.algorithm = GetParam();
  parameters.rounds = 15;
  parameters.resample = "weights";
  parameters.weight_floor = 1e-10;
  parameters.depth = 3;
  parameters.threads = 1;
  const Model one = train(data, parameters);
  parameters.threads = 3;
  const Model three = train(data, parameters);
  EXPECT_EQ(one.predict_scores(data).values, three.predict_scores(data).values);
  std::size_t wrong = 0;
  const auto predicted = one.predict(data);
  for (std::size_t i = 0; i < data.rows; ++i)
    wrong += predicted[i] != data.labels.codes[i] ? 1U : 0U;
  EXPECT_LT(wrong, data.rows / 5);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ResampledTraining, ::testing::Values("samme", "adaboost-mh"));

// The share of the features that each of newton's trees sees where nobody says it.
double default_share(std::size_t rows, std::size_t features) {
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = 1;
  parameters.leaves = 2;
  const Dataset data = labelled_data({.rows = rows, .classes = 2, .numbers = features}, 3);
  return std::stod(train(data, parameters).parameters().at("feature-fraction"));
}

TEST(FeatureShare, GrowsWithFewRowsAndFallsWithManyFeatures) {
  EXPECT_EQ(default_share(100, 255), 0.7);
  EXPECT_EQ(default_share(100, 256), 0.5);
  EXPECT_EQ(default_share(64, 256), 1);
  EXPECT_EQ(default_share(11'999, 256), 0.5);
  EXPECT_EQ(default_share(12'000, 256), 0.25);
}

}  // namespace
}  // namespace simplexboost
