#include "experiment/selection.h"

#include <gtest/gtest.h>

#include "simplexboost/generate.h"

namespace simplexboost {
namespace {

TEST(GridTest, IsEveryCombination) {
  Parameters parameters;
  parameters.rounds = 7;
  EXPECT_EQ(grid_points(parameters, {}).size(), 1U);
  const auto points = grid_points(parameters, {{"depth", {"1", "3"}}, {"leaves", {"4", "5", "6"}}});
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points[4].depth, 3);
  EXPECT_EQ(points[4].leaves, 5);
  EXPECT_EQ(points[4].rounds, 7);
}

TEST(ChooseRoundsTest, FollowsTheRule) {
  const std::vector<double> errors{0.5, 0.2, 0.3, 0.2};
  EXPECT_EQ(choose_rounds(RoundsRule::kAll, errors).rounds, 4U);
  EXPECT_EQ(choose_rounds(RoundsRule::kBest, errors).rounds, 2U);
  EXPECT_EQ(choose_rounds(RoundsRule::kBest, errors).error, 0.2);
  EXPECT_EQ(choose_rounds(RoundsRule::kSmoothed, errors).rounds, 4U);
}

class SelectTest : public ::testing::Test {
 protected:
  SelectTest() {
    GeneratorSpec generator;
    generator.name = "waveform";
    generator.rows = 300;
    for (const std::uint64_t seed : {1U, 2U}) {
      generator.seed = seed;
      const Dataset train = generate(generator, 1);
      generator.seed = seed + 10;
      parts_.push_back({train, generate(generator, 1)});
    }
    parameters_.algorithm = "samme";
    parameters_.learner = "tree";
    parameters_.rounds = 30;
    parameters_.threads = 1;
  }

  std::vector<TrainValid> parts_;
  Parameters parameters_;
};

class UnitCounter : public Progress {
 public:
  bool round(std::size_t round, std::span<const RoundMetric>) override {
    EXPECT_EQ(round, last);
    last = round + 1;
    return ++rounds < stop;
  }
  std::size_t rounds = 0;
  std::size_t last = 0;
  std::size_t stop = SIZE_MAX;
};

TEST_F(SelectTest, TakesTheLeastMeanValidationError) {
  const std::vector<GridAxis> grid{{"depth", {"1", "4"}}};
  UnitCounter counter;
  SharedProgress all(&counter);
  PartProgress progress(all);
  const auto best = select_settings(parts_, parameters_, grid, RoundsRule::kBest, progress);
  ASSERT_TRUE(best);
  EXPECT_EQ(counter.last, 2U * 2U * 30U);
  double least = 1;
  for (const Parameters& point : grid_points(parameters_, grid)) {
    SharedProgress silence(nullptr);
    PartProgress silent(silence);
    const auto one = select_settings(parts_, point, {}, RoundsRule::kBest, silent);
    least = std::min(least, one->valid_error);
  }
  EXPECT_EQ(best->valid_error, least);
  EXPECT_EQ(best->words.rfind("depth = ", 0), 0U);
}

TEST_F(SelectTest, StopsWhenAskedTo) {
  UnitCounter counter;
  counter.stop = 40;
  SharedProgress all(&counter);
  PartProgress progress(all);
  EXPECT_FALSE(select_settings(parts_, parameters_, {}, RoundsRule::kAll, progress));
  EXPECT_EQ(counter.rounds, 40U);
}

// AdaBoost.M1 cannot boost stumps on these many classes: not one round, and still a result.
TEST_F(SelectTest, BearsATrainingWithoutRounds) {
  GeneratorSpec generator;
  generator.name = "manyclass";
  generator.rows = 400;
  generator.classes = 20;
  const Dataset data = generate(generator, 1);
  parameters_.algorithm = "adaboost-m1";
  parameters_.learner = "stump";
  SharedProgress silence(nullptr);
  PartProgress progress(silence);
  const auto best = select_settings({{data, data}}, parameters_, {}, RoundsRule::kBest, progress);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->model->rounds(), 0U);
  EXPECT_EQ(best->valid_error, 1);
}

}  // namespace
}  // namespace simplexboost
