// Images: trees that cut by filters, with every algorithm that grows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/message_of.h"
#include "base/random.h"
#include "boosting/parted_training.h"
#include "boosting/training_log.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/algorithms.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::message_of;

constexpr std::size_t kSide = 6;

// Noise of any brightness; the class is where a patch of 2 x 2 is a little brighter than its
// surroundings. No pixel alone says much about that.
Dataset images(std::size_t rows, std::uint64_t seed, double unit = 1) {
  Random random(seed);
  Dataset data;
  data.rows = rows;
  data.labels.classes = {"upper left", "upper right", "lower left", "lower right"};
  std::vector<std::vector<double>> pixels(kSide * kSide, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = random.below(4);
    data.labels.codes.push_back(static_cast<std::int32_t>(label));
    const double light = 100 * random.uniform();
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      const std::size_t x = p % kSide;
      const std::size_t y = p / kSide;
      const bool patch = x / 2 == label % 2 * 2 && y / 2 == label / 2 * 2;
      const double value = light + 10 * random.uniform() + (patch ? 8 : 0);
      pixels[p][i] = unit == 1 ? std::floor(value) : unit * value;
    }
  }
  for (std::size_t p = 0; p < pixels.size(); ++p)
    data.columns.push_back(Column::numeric("p" + std::to_string(p), pixels[p]));
  return data;
}

Parameters with_filters(const std::string& algorithm, int rounds) {
  Parameters result;
  result.algorithm = algorithm;
  result.rounds = rounds;
  result.image = "6x6";
  result.filters = 20;
  result.threads = 1;
  return result;
}

using testing::error_of;

// What training saw of its rows, and of others, is what the model says of them.
TEST(Images, EveryAlgorithmOfTreesPredictsWhatItTrained) {
  const Dataset data = images(300, 1);
  const Dataset valid = images(150, 2);
  TrainOptions options;
  options.valid = &valid;
  for (const Algorithm& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm.name);
    const Parameters wanted = with_filters(std::string(algorithm.name), 8);
    const Model model = train(data, wanted, options);
    ASSERT_GT(model.rounds(), 0U);
    EXPECT_FALSE(model.forest().filters.empty());
    // A forest has figures of the rows that its trees did not see.
    if (algorithm.name != "forest") {
      EXPECT_NEAR(column(model, "train_error").back(), error_of(model, data), 1e-9);
    }
    EXPECT_NEAR(column(model, "valid_error").back(), error_of(model, valid), 1e-9);
    const Matrix scores = model.predict_scores(valid);
    std::vector<double> row(valid.columns.size());
    std::vector<float> alone(4);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t p = 0; p < row.size(); ++p) valid.columns[p].copy(i, i + 1, &row[p]);
      model.predict_row(row, alone);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(alone[k], scores.row(i)[k], 1e-5);
    }
    EXPECT_EQ(Model::from_bytes(model.to_bytes()).predict_scores(valid).values, scores.values);
  }
}

TEST(Images, ProductsOfCutsTakeFiltersToo) {
  const Dataset data = images(300, 3);
  Parameters wanted = with_filters("adaboost-mh", 10);
  wanted.learner = "hamming-product";
  const Model model = train(data, wanted);
  EXPECT_FALSE(model.forest().filters.empty());
  EXPECT_NEAR(column(model, "train_error").back(), error_of(model, data), 1e-9);
}

TEST(Images, FiltersSeeWhatPixelsDoNot) {
  const Dataset data = images(600, 4);
  const Dataset test = images(600, 5);
  for (const char* algorithm : {"adaboost-mh", "dmcboost", "forest"}) {
    Parameters wanted = with_filters(algorithm, 60);
    const double with = error_of(train(data, wanted), test);
    wanted.image = "none";
    wanted.filters = 0;
    EXPECT_LT(with, 0.5 * error_of(train(data, wanted), test)) << algorithm;
  }
}

// What the trees of a forest say of rows that they did not see, while they grow and once more from
// the model.
TEST(Images, AForestIsJudgedByRowsOutOfTheBag) {
  const Dataset data = images(300, 11);
  Parameters wanted = with_filters("forest", 30);
  const Model whole = train(data, wanted);
  EXPECT_LT(column(whole, "oob_error").back(), 0.2);
  wanted.rounds = 20;
  const Model part = train(data, wanted);
  TrainOptions options;
  options.init = &part;
  wanted.rounds = 30;
  EXPECT_EQ(train(data, wanted, options).to_bytes(), whole.to_bytes());
}

TEST(Images, AreTheSameForAnyNumberOfThreads) {
  const Dataset data = images(3000, 6);
  for (const char* algorithm : {"adaboost-mh", "newton", "dmcboost", "forest"}) {
    Parameters wanted = with_filters(algorithm, 6);
    const std::vector<std::byte> one = train(data, wanted).to_bytes();
    for (const int threads : {2, 5}) {
      wanted.threads = threads;
      EXPECT_EQ(train(data, wanted).to_bytes(), one) << algorithm << " " << threads;
    }
    wanted.seed = 1;
    EXPECT_NE(train(data, wanted).to_bytes(), one);
  }
}

TEST(Images, AreTheSameForAnyNumberOfRanks) {
  const Dataset data = images(2600, 12, 0.01);
  const Dataset valid = images(1500, 13, 0.01);
  for (const char* algorithm : {"newton", "adaboost-mh", "samme", "adaboost-m2", "one-vs-all",
                                "abc-logitboost", "cd-mcboost", "forest"}) {
    SCOPED_TRACE(algorithm);
    Parameters wanted = with_filters(algorithm, 2);
    wanted.row_fraction = 0.8;
    testing::expect_same_model({data, &valid}, wanted);
  }
  Parameters products = with_filters("adaboost-mh", 2);
  products.learner = "hamming-product";
  testing::expect_same_model({data}, products);
}

TEST(Images, GoOnWhereAModelEnded) {
  const Dataset data = images(300, 7, 0.01);  // no whole numbers
  Parameters wanted = with_filters("newton", 10);
  const Model whole = train(data, wanted);
  EXPECT_GT(whole.forest().image.scale, 1);
  wanted.rounds = 4;
  const Model part = train(data, wanted);
  TrainOptions options;
  options.init = &part;
  wanted.rounds = 10;
  EXPECT_EQ(train(data, wanted, options).forest(), whole.forest());
}

TEST(Images, DoNotMindMissingPixels) {
  Dataset data = images(300, 8);
  std::vector<double> values(data.rows);
  data.columns[7].copy(0, data.rows, values.data());
  for (std::size_t i = 0; i < data.rows; i += 3)
    values[i] = std::numeric_limits<double>::quiet_NaN();
  data.columns[7] = Column::numeric("p7", values);
  const Model model = train(data, with_filters("adaboost-mh", 10));
  EXPECT_NEAR(column(model, "train_error").back(), error_of(model, data), 1e-9);
}

TEST(Images, SayWhatDoesNotFit) {
  const Dataset data = images(50, 9);
  Parameters wanted = with_filters("newton", 2);
  wanted.image = "6x5";
  EXPECT_NE(message_of<DataError>([&] {
              train(data, wanted);
            }).find("an image of 6x5x1 has 30 pixels, but there are 36 features"),
            std::string::npos);
  wanted.image = "none";
  EXPECT_EQ(message_of<ParameterError>([&] { train(data, wanted); }),
            "filters: there are no images; give image WIDTHxHEIGHT");
  wanted = with_filters("newton", 2);
  wanted.learner = "linear";
  EXPECT_NE(message_of<ParameterError>([&] { train(data, wanted); }).find("image: filters are"),
            std::string::npos);
  wanted = with_filters("dmcboost", 2);
  wanted.tree_search = "exact";
  EXPECT_NE(message_of<ParameterError>([&] { train(data, wanted); }).find("not by tree-search"),
            std::string::npos);
  Dataset mixed = data;
  mixed.columns[3] = Column::categorical("p3", std::vector<std::int32_t>(50, 0), {"a"});
  EXPECT_NE(message_of<DataError>([&] {
              train(mixed, with_filters("newton", 2));
            }).find("the pixel 'p3' is not numeric"),
            std::string::npos);
}

// Whatever is wrong with the filters of a file, it is an error.
TEST(Images, ModelsWithUnsoundFiltersAreRefused) {
  const Model model = train(images(100, 10), with_filters("adaboost-mh", 3));
  const auto refused = [&](auto spoil) {
    Ensemble ensemble = ensemble_of(model);
    spoil(ensemble.forest);
    return !message_of<ModelError>([&] { check_ensemble(ensemble); }).empty();
  };
  EXPECT_FALSE(refused([](Forest&) {}));
  EXPECT_TRUE(refused([](Forest& f) { f.filters[0].x = 6; }));
  EXPECT_TRUE(refused([](Forest& f) { f.filters[0].width = 0; }));
  EXPECT_TRUE(refused([](Forest& f) { f.filters.clear(); }));
  EXPECT_TRUE(refused([](Forest& f) { f.image = {}; }));
  EXPECT_TRUE(refused([](Forest& f) { f.image.width = 5; }));
  EXPECT_TRUE(refused([](Forest& f) { f.image.scale = 0; }));
  EXPECT_TRUE(refused([](Forest& f) { f.image.scale = std::numeric_limits<double>::infinity(); }));
}

}  // namespace
}  // namespace simplexboost
