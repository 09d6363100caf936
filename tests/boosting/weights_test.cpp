// Weights of rows and of classes, and costs of mistakes, in training.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/setup/class_weights.h"
#include "boosting/setup/cost_matrix.h"
#include "boosting/training_log.h"
#include "data/data_files.h"
#include "loss/sample_pairs.h"
#include "optimizer/search/margin_risk.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::labelled_data;
using testing::message_of;

Parameters plain_parameters(std::string_view algorithm, int rounds = 5) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = rounds;
  return parameters;
}

std::vector<std::int32_t> counts_of(const std::vector<std::int32_t>& codes, std::size_t classes) {
  std::vector<std::int32_t> counts(classes);
  for (const std::int32_t code : codes) ++counts[static_cast<std::size_t>(code)];
  return counts;
}

class SingleLabel : public ::testing::TestWithParam<std::string> {};

TEST_P(SingleLabel, WeightTwoIsTheRowTwice) {
  if (GetParam() == "forest") GTEST_SKIP() << "what it draws depends on the number of rows";
  if (GetParam() == "all-pairs")
    GTEST_SKIP() << "of the few rows of a pair several cuts are equally good, up to rounding";
  Dataset weighted = labelled_data({.rows = 400}, 11);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < weighted.rows; ++i) {
    weighted.weights.push_back(i % 4 == 0 ? 2 : 1);
    rows.push_back(i);
    if (i % 4 == 0) rows.push_back(i);
  }
  Dataset repeated = select_rows(weighted, rows);
  repeated.weights.clear();
  Parameters parameters = plain_parameters(GetParam());
  parameters.depth = 2;  // deep in a tree, cuts of a few rows are equally good
  Forest a = train(weighted, parameters).forest();
  Forest b = train(repeated, parameters).forest();
  // Where a node has no missing values, those to come go where most rows are: rows, not weight.
  for (Forest* forest : {&a, &b})
    for (Node& node : forest->nodes) node.missing_left = false;
  EXPECT_TRUE(a.nodes == b.nodes);
  EXPECT_TRUE(a.trees == b.trees);
  ASSERT_EQ(a.leaf_values.size(), b.leaf_values.size());
  // Sums of other numbers of terms: equal up to their rounding.
  for (std::size_t i = 0; i < a.leaf_values.size(); ++i)
    EXPECT_NEAR(a.leaf_values[i], b.leaf_values[i], 2e-5 * (1 + std::fabs(a.leaf_values[i])));
}

TEST_P(SingleLabel, ClassWeightsAreRowWeights) {
  Dataset data = labelled_data({.rows = 150, .mixed = true}, 12);
  Parameters parameters = plain_parameters(GetParam());
  parameters.class_weight = "k1=3, k2=0.5";
  const Model by_class = train(data, parameters);
  parameters.class_weight = "none";
  for (const std::int32_t code : data.labels.codes)
    data.weights.push_back(code == 1 ? 3 : code == 2 ? 0.5 : 1);
  const Model by_row = train(data, parameters);
  EXPECT_TRUE(by_class.forest() == by_row.forest());
  EXPECT_EQ(by_class.parameters().at("class-weight"), "k0=1,k1=3,k2=0.5");
}

TEST_P(SingleLabel, UnitOfTheWeightsIsOfNoAccount) {
  Dataset data = labelled_data({.rows = 200, .mixed = true}, 24);
  const Parameters parameters = plain_parameters(GetParam());
  const Model plain = train(data, parameters);
  for (const double unit : {3.0, 1e-40, 1e39, 1e-320, 1e308}) {
    data.weights.assign(data.rows, unit);
    EXPECT_TRUE(train(data, parameters).forest() == plain.forest()) << unit;
  }
  Random random(25);
  for (double& weight : data.weights) weight = 0.6 + 1.5 * random.uniform();
  const Model weighted = train(data, parameters);
  for (const double unit : {0x1p-1000, 0x1p1000}) {
    Dataset other = data;
    for (double& weight : other.weights) weight *= unit;
    EXPECT_TRUE(train(other, parameters).forest() == weighted.forest()) << unit;
  }
}

// Heavy rows, light ones, light classes: whatever the learner makes of it, it is sound.
TEST_P(SingleLabel, ExtremeRatiosOfWeightsGiveASoundModel) {
  Parameters parameters = plain_parameters(GetParam(), 12);
  for (const double ratio : {1e-10, 1e-20, 1e-29})
    for (int kind = 0; kind < 3; ++kind) {
      Dataset data = labelled_data({.rows = 120, .classes = 4, .mixed = true}, 26);
      for (std::size_t i = 0; i < data.rows; ++i) {
        const bool light = kind == 0 ? i % 10 == 0 : kind == 1 ? i != 3 : data.labels.codes[i] == 1;
        data.weights.push_back(light ? ratio : 1);
      }
      const Model model = train(data, parameters);
      EXPECT_EQ(model.predict(data).size(), data.rows) << ratio << " " << kind;
    }
}

std::vector<std::string> single_label_algorithms() {
  std::vector<std::string> names;
  for (const AlgorithmRow& row : algorithm_table()) names.emplace_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SingleLabel, ::testing::ValuesIn(single_label_algorithms()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- class weights ----

std::vector<double> weights_of(const std::string& text, const Dataset& data) {
  return class_weights(text, data, RowSpace(data.rows, 1));
}

TEST(ClassWeights, BalancedGivesEveryClassTheSameWeight) {
  Dataset data = labelled_data({.rows = 90}, 13);
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(1 + static_cast<double>(i % 3));
  const Dataset weighted = weight_classes(data, weights_of("balanced", data));
  std::vector<double> sums(3);
  double before = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    sums[static_cast<std::size_t>(data.labels.codes[i])] += weighted.weights[i];
    before += data.weights[i];
  }
  for (const double sum : sums) EXPECT_NEAR(sum, before / 3, 1e-9);
}

TEST(ClassWeights, OfAClassThatDoesNotOccurIsOne) {
  Dataset data = labelled_data({.rows = 30}, 14);
  data.labels.classes.emplace_back("none of these");
  EXPECT_EQ(weights_of("balanced", data).back(), 1);
}

TEST(ClassWeights, ComeFromAFileAndZeroLeavesAClassOut) {
  const Dataset data = labelled_data({.rows = 120}, 15);
  const DataFolder folder;
  const std::string path = folder.write("weights.txt", "k2 = 0\r\n\nk0=2\n");
  EXPECT_EQ(weights_of(path, data), (std::vector<double>{2, 1, 0}));
  Parameters parameters = plain_parameters("newton");
  parameters.class_weight = path;
  const Model model = train(data, parameters);
  EXPECT_EQ(counts_of(model.predict(data), 3)[2], 0);
  EXPECT_EQ(model.parameters().at("class-weight"), "k0=2,k1=1,k2=0");
}

TEST(ClassWeights, OfATenMillionthAreNotFittedOneRoundLater) {
  const Dataset data = labelled_data({.rows = 120}, 15);
  for (const char* algorithm : {"adaboost-m1", "samme", "adaboost-mm"}) {
    Parameters parameters = plain_parameters(algorithm, 50);
    parameters.class_weight = "k0=1000,k1=0.0001,k2=0.0001";
    const Model model = train(data, parameters);
    EXPECT_EQ(model.log().stop_reason,
              "the first weak hypothesis errs on less than a millionth of the weight");
    EXPECT_EQ(counts_of(model.predict(data), 3), (std::vector<std::int32_t>{120, 0, 0}));
  }
}

TEST(ClassWeights, MistakesAreNamed) {
  const Dataset data = labelled_data({.rows = 30}, 16);
  const auto say = [&](const std::string& text) {
    return message_of([&] { weights_of(text, data); });
  };
  EXPECT_EQ(say("k1=x"), "class-weight: the weight of 'k1' must be a number, 0 or more, not 'x'");
  EXPECT_NE(say("K1=2").find("did you mean 'k1'"), std::string::npos) << say("K1=2");
  EXPECT_EQ(say("k1=1,k1=2"), "class-weight: the class 'k1' is there twice");
  EXPECT_EQ(say("k1=1,k2"), "class-weight: 'k2' is not class=weight");
  EXPECT_NE(say("balance").find("give none, balanced"), std::string::npos);
  const DataFolder folder;
  const std::string path = folder.write("w", "k0=1\nk1=-2\n");
  EXPECT_EQ(say(path), path + ":2:1: the weight of 'k1' must be a number, 0 or more, not '-2'");
  Parameters parameters = plain_parameters("newton");
  parameters.class_weight = "k0=0,k1=0,k2=0";
  EXPECT_NE(message_of([&] { train(data, parameters); }), "");
}

TEST(ClassWeights, BeyondSinglePrecisionAreRefusedByName) {
  Dataset data = labelled_data({.rows = 30}, 16);
  const auto say = [&](const std::string& text) {
    Parameters parameters = plain_parameters("newton");
    parameters.class_weight = text;
    return message_of([&] { train(data, parameters); });
  };
  EXPECT_EQ(say("k0=1e39"),
            "class-weight: class 'k1': the weight 1 is less than 8e-31 of the mean weight; give 0 "
            "or more than that");
  const DataFolder folder;
  const std::string path = folder.write("w", "k0=1\nk1=1e-100\n");
  EXPECT_EQ(say(path), path +
                           ":2:1: class 'k1': the weight 1e-100 is less than 8e-31 of the mean "
                           "weight; give 0 or more than that");
  EXPECT_EQ(say("k0=1e39,k1=1e39,k2=2e39"), "");
  EXPECT_EQ(say("k0=1e-300,k1=2e-300,k2=0"), "");
  // Each is sound by itself, but not their product.
  data.source = "rows.csv";
  data.weights.assign(30, 1);
  const auto light = std::find(data.labels.codes.begin(), data.labels.codes.end(), 0);
  data.weights[static_cast<std::size_t>(light - data.labels.codes.begin())] = 1e-20;
  EXPECT_EQ(say("k0=1e-20").rfind("rows.csv: row ", 0), 0U) << say("k0=1e-20");
}

TEST(ClassWeights, NeedOneLabelARow) {
  Dataset data = labelled_data({.rows = 4}, 17);
  data.labels.offsets = {0, 1, 2, 3, 4};
  Parameters parameters;
  parameters.class_weight = "balanced";
  EXPECT_NE(message_of([&] { train(data, parameters); }).find("one label a row"),
            std::string::npos);
}

// ---- costs ----

const std::vector<std::string> kWeighted{"newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"};

TEST(Costs, OfOneChangeNothing) {
  const Dataset data = labelled_data({.rows = 150, .mixed = true}, 18);
  for (const std::string& algorithm : kWeighted)
    for (const std::string loss : {"exponential", "logistic", "savage"}) {
      Parameters parameters = plain_parameters(algorithm, 4);
      parameters.loss = loss;
      const Model plain = train(data, parameters);
      parameters.costs = "7,1,1;1,0,1;1,1,0";  // the diagonal does not matter
      const Model with_costs = train(data, parameters);
      EXPECT_TRUE(with_costs.forest() == plain.forest()) << algorithm << loss;
      EXPECT_EQ(with_costs.parameters().at("costs"), "7,1,1;1,0,1;1,1,0");
    }
}

// For gamma(s) = s a row of costs c is a class of weight c.
TEST(Costs, OfAWholeRowAreTheWeightOfAClass) {
  const Dataset data = labelled_data({.rows = 150}, 19);
  for (const std::string& algorithm : kWeighted) {
    Parameters parameters = plain_parameters(algorithm, 4);
    parameters.loss = "exponential";
    parameters.costs = "0,1,1;4,0,4;1,1,0";
    const Matrix by_costs = train(data, parameters).predict_scores(data);
    parameters.costs = "none";
    parameters.class_weight = "k1=4";
    // Trees of real values look at weights beside pulls.
    if (algorithm == "newton") continue;
    const Matrix by_weight = train(data, parameters).predict_scores(data);
    for (std::size_t i = 0; i < by_costs.values.size(); ++i)
      EXPECT_NEAR(by_costs.values[i], by_weight.values[i], 1e-4) << algorithm;
  }
}

TEST(Costs, MakeDearMistakesRarer) {
  const Dataset data = labelled_data({.rows = 400, .noise = 0.4}, 20);
  for (const std::string& algorithm : kWeighted)
    for (const std::string loss : {"exponential", "logistic", "softplus"}) {
      Parameters parameters = plain_parameters(algorithm, 12);
      TrainOptions options;
      if (loss == "softplus")
        options.loss = std::make_shared<SoftPlusPair>();
      else
        parameters.loss = loss;
      const auto taken = [&](const std::string& costs) {  // rows of k1 taken for k0
        parameters.costs = costs;
        const std::vector<std::int32_t> predicted = train(data, parameters, options).predict(data);
        int count = 0;
        for (std::size_t i = 0; i < data.rows; ++i)
          count += data.labels.codes[i] == 1 && predicted[i] == 0 ? 1 : 0;
        return count;
      };
      EXPECT_LT(taken("0,1,1;20,0,1;1,1,0"), taken("none")) << algorithm << " " << loss;
    }
}

// -d risk / d step of a random direction is the edge, whatever the costs.
TEST(Costs, SlopesAreThoseOfTheRisk) {
  const Dataset data = labelled_data({.rows = 40}, 21);
  Problem problem{data.labels, {}, RowSpace(data.rows, 1), 3};
  problem.costs = {0, 2, 0.5, 0, 0, 3, 1, 1, 0};
  const Codebook codebook = Codebook::simplex(3);
  Random random(22);
  std::vector<float> scores(data.rows * 2);
  std::vector<float> direction(data.rows * 2);
  for (float& score : scores) score = static_cast<float>(random.normal());
  for (float& value : direction) value = static_cast<float>(random.normal());
  for (const std::string_view name : loss_names()) {
    const std::shared_ptr<const Loss> loss = make_loss(name);
    MarginRisk risk(problem, codebook, *loss);
    risk.set_scores(scores.data());
    risk.set_direction({nullptr, direction.data(), 2, 0});
    constexpr double kStep = 1e-2;
    const double slope =
        (risk.risk_at(kStep, 0).value - risk.risk_at(-kStep, 0).value) / (2 * kStep);
    EXPECT_NEAR(risk.descent_at(0, 0), -slope, 1e-3 * (1 + std::fabs(slope))) << name;
  }
}

TEST(Costs, AreReadWithAndWithoutNames) {
  const std::vector<std::string> classes{"a", "b", "c"};
  const DataFolder folder;
  const std::vector<float> expected{0, 1, 2, 3, 0, 5, 6, 7, 0};
  const auto read = [&](const char* text) {
    return read_costs(folder.write("costs.csv", text), classes);
  };
  EXPECT_EQ(read("0,1,2\n3,0,5\n6,7,0\n"), expected);
  EXPECT_EQ(read(",c,a,b\nc,0,6,7\na,2,0,1\nb,5,3,0\n"), expected);
  EXPECT_EQ(read("\"c\",a,b\r\n0,6,7\r\n2,0,1\r\n5,3,0\r\n\r\n"), expected);
  EXPECT_EQ(read_costs("0,1,2;3,0,5;6,7,0", classes), expected);
  EXPECT_EQ(read_costs(costs_text(expected, 3), classes), expected);
}

TEST(Costs, MistakesAreNamed) {
  const std::vector<std::string> classes{"a", "b"};
  const DataFolder folder;
  const auto say = [&](const char* text) {
    const std::string path = folder.write("costs.csv", text);
    const std::string message = message_of([&] { read_costs(path, classes); });
    return message.rfind(path, 0) == 0 ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(say("0,1\n"),
            ":1:1: 1 lines of costs for 2 classes: give one for each, after one of "
            "names or none");
  EXPECT_EQ(say("0,1\n-1,0\n"), ":2:1: '-1' is no cost; give a number from 0 to 3e38");
  EXPECT_EQ(say("0,1\n1\n"), ":2:1: 1 cells where 2 are expected");
  EXPECT_EQ(say("a,a\n0,1\n1,0\n"), ":1:3: the class 'a' has two columns");
  EXPECT_EQ(say(",a,b\nb,0,1\nb,0,1\n"), ":3:1: the class 'b' has two lines");
  EXPECT_EQ(say("a,x\n0,1\n1,0\n").rfind(":1:3: unknown class 'x'", 0), 0U);
  EXPECT_EQ(say("0,0\n0,0\n"), "costs: no mistake costs anything, so there is nothing to learn");
  EXPECT_EQ(say(""),
            ":1:1: 0 lines of costs for 2 classes: give one for each, after one of names "
            "or none");
  EXPECT_NE(message_of([&] { read_costs("nowhere.csv", classes); }).find("is no file"),
            std::string::npos);
  const Dataset data = labelled_data({.rows = 20}, 23);
  Parameters parameters = plain_parameters("samme");
  parameters.costs = "0,1,1;1,0,1;1,1,0";
  EXPECT_NE(message_of([&] { train(data, parameters); }).find("use newton"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
