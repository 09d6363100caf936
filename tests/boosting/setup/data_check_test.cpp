#include "boosting/setup/data_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

Dataset single() {
  Dataset data;
  data.rows = 3;
  data.columns = {Column::numeric("x", {1, 2, 3})};
  data.labels.classes = {"a", "b"};
  data.labels.codes = {0, 1, 1};
  data.weights = {1, 0, 2};
  return data;
}

Dataset multi() {
  Dataset data = single();
  data.labels.codes = {0, 1, 1};
  data.labels.offsets = {0, 2, 2, 3};
  return data;
}

void check_training(const Dataset& data) { check_training_data(data, RowSpace(data.rows, 1)); }

void check_validation(const Dataset& valid, const Dataset& data) {
  check_validation_data(valid, data, RowSpace(valid.rows, 1));
}

struct Damage {
  const char* name;
  std::function<void(Dataset&)> apply;
};

TEST(DataCheck, AcceptsSoundData) {
  EXPECT_NO_THROW(check_training(single()));
  EXPECT_NO_THROW(check_training(multi()));
  EXPECT_NO_THROW(check_validation(multi(), multi()));
  Dataset unknown = single();
  unknown.labels.codes[0] = -1;
  EXPECT_NO_THROW(check_validation(unknown, single()));
}

TEST(DataCheck, RefusesEveryKindOfDamage) {
  const std::vector<Damage> damages = {
      {"one row", [](Dataset& d) { d.rows = 1; }},
      {"no column", [](Dataset& d) { d.columns.clear(); }},
      {"no class", [](Dataset& d) { d.labels.classes.clear(); }},
      {"code too large", [](Dataset& d) { d.labels.codes[1] = 2; }},
      {"code unknown", [](Dataset& d) { d.labels.codes[1] = -1; }},
      {"codes missing", [](Dataset& d) { d.labels.codes.pop_back(); }},
      {"weights missing", [](Dataset& d) { d.weights.pop_back(); }},
      {"weight negative", [](Dataset& d) { d.weights[0] = -1; }},
      {"weight no number", [](Dataset& d) { d.weights[0] = std::nan(""); }},
      {"too few weights of labels",
       [](Dataset& d) {
         d.labels.weights = {1, 1, 1, 1, 1};
       }},
      {"too many weights of labels",
       [](Dataset& d) { d.labels.weights = std::vector<float>(7, 1); }},
      {"weight of a label negative", [](Dataset& d) { d.labels.weights = {1, 1, -1, 1, 1, 1}; }},
      {"weight of a label no number",
       [](Dataset& d) { d.labels.weights = {1, 1, 1, 1, std::nanf(""), 1}; }},
      {"weight of a label infinite",
       [](Dataset& d) { d.labels.weights = {1, 1, 1, 1, HUGE_VALF, 1}; }},
      {"all labels unknown", [](Dataset& d) { d.labels.weights = std::vector<float>(6, 0); }},
  };
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  for (const Damage& damage : damages) {
    for (Dataset data : {single(), multi()}) {
      damage.apply(data);
      EXPECT_THROW(check_training(data), DataError) << damage.name;
      EXPECT_THROW(train(data, parameters), DataError) << damage.name;
    }
  }
}

TEST(DataCheck, RefusesDamagedSetsOfLabels) {
  const std::vector<Damage> damages = {
      {"too few offsets", [](Dataset& d) { d.labels.offsets.pop_back(); }},
      {"offsets fall",
       [](Dataset& d) {
         d.labels.offsets = {0, 2, 1, 3};
       }},
      {"offsets begin late",
       [](Dataset& d) {
         d.labels.offsets = {1, 2, 2, 3};
       }},
      {"offsets too large", [](Dataset& d) { d.labels.offsets.back() = 4; }},
      {"label twice",
       [](Dataset& d) {
         d.labels.codes = {1, 1, 1};
       }},
      {"labels fall",
       [](Dataset& d) {
         d.labels.codes = {1, 0, 1};
       }},
  };
  for (const Damage& damage : damages) {
    Dataset data = multi();
    damage.apply(data);
    EXPECT_THROW(check_training(data), DataError) << damage.name;
  }
}

TEST(DataCheck, ValidationMustMatchTraining) {
  EXPECT_THROW(check_validation(multi(), single()), DataError);
  Dataset data = single();
  data.labels.codes.clear();
  EXPECT_THROW(check_validation(data, single()), DataError);
  data = single();
  data.columns.push_back(data.columns[0]);
  EXPECT_THROW(check_validation(data, single()), DataError);
}

}  // namespace
}  // namespace simplexboost
