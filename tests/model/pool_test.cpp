#include "model/predict/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/message_of.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/predict/link.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost {
namespace {

using testing::message_of;

Model model_of(const Ensemble& ensemble) { return make_model(ensemble); }

// One leaf that says these numbers, for each of the members.
Ensemble constant(const std::vector<Member>& members, const std::vector<float>& outputs) {
  Ensemble ensemble;
  ensemble.algorithm = "test";
  ensemble.schema.features = {{"x", FeatureType::kNumeric, {}}};
  ensemble.schema.classes = {"a", "b"};
  ensemble.members = members;
  ensemble.forest.outputs = static_cast<std::uint32_t>(outputs.size());
  ensemble.bias = outputs;
  return ensemble;
}

std::vector<float> proba_of(const Ensemble& ensemble) {
  Dataset data;
  data.rows = 1;
  data.columns.push_back(Column::numeric("x", {0}));
  return model_of(ensemble).predict_proba(data).values;
}

TEST(Pool, MeanOfProbabilities) {
  const std::vector<Member> members{{"one", Link::kSoftmax, 1, 0, 0.25},
                                    {"two", Link::kShares, 1, 0, 0.75}};
  const Ensemble ensemble = constant(members, {0, std::log(3.0F), 0.5F, 0.5F});
  EXPECT_NEAR(proba_of(ensemble)[1], 0.25 * 0.75 + 0.75 * 0.5, 1e-6);
}

TEST(Pool, ProductOfProbabilities) {
  Ensemble ensemble = constant({{"one", Link::kSoftmax, 1, 0, 1}, {"two", Link::kShares, 1, 0, 2}},
                               {0, std::log(3.0F), 0.8F, 0.2F});
  ensemble.pool = Pool::kProduct;
  const double a = 0.25 * 0.8 * 0.8;
  const double b = 0.75 * 0.2 * 0.2;
  EXPECT_NEAR(proba_of(ensemble)[0], a / (a + b), 1e-6);
}

TEST(Pool, SharesAreSmoothedAndScaled) {
  const Ensemble ensemble = constant({{"one", Link::kShares, 0.1, 0.05, 1}}, {9, 1});
  EXPECT_NEAR(proba_of(ensemble)[0], 0.95 / 1.1, 1e-6);
  EXPECT_NEAR(proba_of(constant({{"one", Link::kShares, 1, 0, 1}}, {0, 0}))[0], 0.5, 1e-6);
}

TEST(Pool, SetsOfLabelsArePooledLabelByLabel) {
  Ensemble ensemble = constant(
      {{"one", Link::kShares, 1, 0, 0.5}, {"two", Link::kLogistic, 1, 0, 0.5}}, {0.5F, -1, 0, 0});
  ensemble.schema.multi_label = true;
  ensemble.link = Link::kLogistic;
  const std::vector<float> p = proba_of(ensemble);
  EXPECT_NEAR(p[0], 0.5 * 0.75 + 0.5 * 0.5, 1e-6);
  EXPECT_NEAR(p[1], 0.25, 1e-6);
}

TEST(Pool, OneRowAndManyAgree) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Model model = model_of(random_pooled_ensemble(seed));
    const Dataset data = random_data(model.schema(), 33, seed);
    const Matrix scores = model.predict_scores(data);
    std::vector<double> row(data.columns.size());
    std::vector<float> one(3);
    for (std::size_t i = 0; i < data.rows; ++i) {
      for (std::size_t f = 0; f < row.size(); ++f) data.columns[f].copy(i, i + 1, &row[f]);
      model.predict_row(row, one);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one[k], scores.row(i)[k]);
    }
    const std::vector<std::size_t> rounds{2, 4};
    Matrix last;
    model.predict_staged(data, rounds, [&](std::size_t, const Matrix& stage) { last = stage; });
    EXPECT_EQ(last.values, scores.values);
  }
}

TEST(Pool, FilesKeepMembersSparseLeavesAndEstimates) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Ensemble ensemble = random_pooled_ensemble(seed);
    const std::string bytes = serialize(ensemble);
    EXPECT_EQ(deserialize(std::as_bytes(std::span(bytes))), ensemble);
  }
}

TEST(Pool, UnsoundMembersAreRejected) {
  const auto message = [](auto change) {
    Ensemble ensemble = random_pooled_ensemble(1);
    change(ensemble);
    return message_of<ModelError>([&] { check_ensemble(ensemble); });
  };
  EXPECT_EQ(message([](Ensemble& e) { e.members.pop_back(); }),
            "unsound model: 12 outputs for 3 members of 3 classes");
  EXPECT_EQ(message([](Ensemble& e) { e.members[0].weight = -1; }),
            "unsound model: a member has the weight -1");
  EXPECT_EQ(message([](Ensemble& e) { e.members[1].shift = -0.5; }),
            "unsound model: a member has the shift -0.5");
  EXPECT_EQ(message([](Ensemble& e) { e.link = Link::kShares; }),
            "unsound model: pooled members have no such link");
  EXPECT_EQ(message([](Ensemble& e) { e.forest.entry_outputs[0] = 99; }),
            "unsound model: a leaf adds to outputs that are not its tree's");
  EXPECT_EQ(message([](Ensemble& e) { e.forest.entry_ends[0] = 99; }),
            "unsound model: the entries of leaves are out of order");
  EXPECT_EQ(message([](Ensemble& e) { e.estimate->figures[0].label = 3; }),
            "unsound model: a figure is of class 3 of 3");
  EXPECT_EQ(message([](Ensemble& e) {
              for (Member& member : e.members) member.weight = 0;
            }),
            "unsound model: its members weigh nothing");
}

TEST(Forest, KeepsRoundsOfSparseTreesToo) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Ensemble ensemble = random_pooled_ensemble(seed);
    const Dataset data = random_data(ensemble.schema, 20, seed);
    const Matrix before = model_of(ensemble).predict_scores(data, {1, 2});
    keep_rounds(ensemble.forest, 2);
    EXPECT_EQ(model_of(ensemble).predict_scores(data).values, before.values);
  }
}

}  // namespace
}  // namespace simplexboost
