#include "simplexboost/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/message_of.h"
#include "base/random.h"
#include "base/stop.h"
#include "boosting/labelled_data.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/predict/adjusted.h"
#include "quality/blend.h"
#include "quality/class_scales.h"
#include "simplexboost/algorithms.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::message_of;
using testing::multi_label_data;

Parameters one_thread() {
  Parameters parameters;
  parameters.threads = 1;
  return parameters;
}

QualityOptions with(Quality quality, int folds = 3) {
  QualityOptions options;
  options.quality = quality;
  options.folds = folds;
  return options;
}

// Few rounds, so that a test is short.
Parameters short_training() {
  Parameters parameters = one_thread();
  parameters.rounds = 40;
  return parameters;
}

const EstimateFigure& figure(const Model& model, const std::string& name) {
  for (const EstimateFigure& one : ensemble_of(model).estimate.value().figures)
    if (one.name == name && one.label < 0) return one;
  throw std::runtime_error("no figure " + name);
}

double error_on(const Model& model, const Dataset& data) {
  const Metric error = find_metric("error", data.labels.multi_label());
  return error.value(tally_model(model, data, {}, error.parts()));
}

// Wishes to stop after so many rounds of all trainings.
class Impatient : public Progress {
 public:
  explicit Impatient(std::size_t rounds) : rounds_(rounds) {}
  ~Impatient() override { withdraw_stop(); }
  bool round(std::size_t number, std::span<const RoundMetric>) override {
    if (number + 1 >= rounds_) request_stop();
    return true;
  }

 private:
  std::size_t rounds_;
};

TEST(Quality, InterruptedItIsTheModelSoFar) {
  const Dataset data = labelled_data({400, 3, 4, false, 0.2}, 1);
  for (const Quality quality : {Quality::kDefault, Quality::kBest})
    for (const std::size_t rounds : {5U, 50U, 150U}) {
      Impatient impatient(rounds);
      QualityOptions options = with(quality, 4);
      options.progress = &impatient;
      const QualityResult result = train_quality(data, short_training(), options);
      withdraw_stop();
      EXPECT_GT(result.model.rounds(), 0U);
      EXPECT_LT(error_on(result.model, data), 0.6) << rounds;
      const std::string bytes = serialize(ensemble_of(result.model));
      EXPECT_NO_THROW(deserialize(std::as_bytes(std::span(bytes))));
    }
}

TEST(Quality, PlainTrainingIsCrossFittedWhereThereAreRowsForIt) {
  EXPECT_TRUE(cross_fits_by_itself(labelled_data({50, 3, 4, false, 0.2}, 1)));
  EXPECT_FALSE(cross_fits_by_itself(labelled_data({49, 3, 4, false, 0.2}, 1)));
  EXPECT_FALSE(cross_fits_by_itself(multi_label_data({90, 3, 4, false, 0.2}, 1)));
}

TEST(Quality, BestTakesOptionsThatForestsHaveNoPlaceFor) {
  const Dataset data = labelled_data({120, 3, 4, false, 0.2}, 1);
  Parameters parameters = short_training();
  parameters.l2 = 2;
  parameters.learning_rate = 0.2;
  parameters.leaves = 6;
  EXPECT_GT(train_quality(data, parameters, with(Quality::kBest)).model.rounds(), 0U);
}

TEST(Quality, DefaultTakesTinyDataAndClassesOfOneRow) {
  for (const std::size_t rows : {2U, 3U, 7U, 25U}) {
    Dataset data = labelled_data({rows, 3, 3, true, 0.5}, rows);
    for (std::size_t i = 0; i < rows; ++i)
      data.labels.codes[i] = i == 0 ? 2 : static_cast<std::int32_t>(i % 2);
    const Model model = train_quality(data, one_thread(), with(Quality::kDefault, 0)).model;
    EXPECT_EQ(model.predict_proba(data).columns, 3U) << rows;
  }
}

TEST(Quality, BestIsBetterThanOneTrainingAndForetellsIt) {
  const Dataset data = labelled_data({500, 4, 5, true, 0.15}, 1);
  const Dataset test = labelled_data({4000, 4, 5, true, 0.15}, 2);
  const Model best = train_quality(data, short_training(), with(Quality::kBest)).model;
  const Model fast = train_quality(data, one_thread(), with(Quality::kFast, 0)).model;
  const double loss = tally_model(best, test).log_loss.value();
  EXPECT_LT(loss, tally_model(fast, test).log_loss.value());
  EXPECT_GT(figure(best, "error").high, error_on(best, test));
  EXPECT_LT(figure(best, "error").low, error_on(best, test));
  EXPECT_NEAR(figure(best, "log-loss").value, loss, 0.12);
  double weight = 0;
  for (const Member& member : ensemble_of(best).members) weight += member.weight;
  EXPECT_NEAR(weight, 1, 1e-9);
  EXPECT_GE(ensemble_of(best).members.size(), 2U);
  EXPECT_EQ(ensemble_of(best).parameters.at("quality"), "best");
}

// Where no feature says anything on its own, so that the linear member has no part in it. The
// forest is grown once, on all rows: as many trees as it has rounds, where newton has three.
TEST(Quality, DefaultWeighsAForestThatRowsOutOfTheBagJudge) {
  Dataset data = labelled_data({400, 3, 4, true, 0.3}, 1);
  std::vector<double> x(data.rows), y(data.rows);
  data.columns[0].copy(0, data.rows, x.data());
  data.columns[2].copy(0, data.rows, y.data());
  for (std::size_t i = 0; i < data.rows; ++i)
    if (i % 4 != 0) data.labels.codes[i] = (x[i] > 0) == (y[i] > 0) ? 1 : x[i] > 1 ? 2 : 0;
  const QualityResult result = train_quality(data, one_thread(), with(Quality::kDefault));
  const Ensemble& both = ensemble_of(result.model);
  ASSERT_GE(both.members.size(), 2U);
  EXPECT_EQ(both.members[1].link, Link::kShares);
  const auto of_forest = [](const TreeSpan& tree) { return tree.output >= 3 && tree.output < 6; };
  EXPECT_EQ(std::count_if(both.forest.trees.begin(), both.forest.trees.end(), of_forest), 100);
  // Twins of a row in the bag would tell its label: with groups it is cross-fitted.
  QualityOptions grouped = with(Quality::kDefault);
  for (std::uint32_t i = 0; i < data.rows; ++i) grouped.groups.push_back(i / 4);
  const Model kept = train_quality(data, one_thread(), grouped).model;
  if (ensemble_of(kept).members[1].link == Link::kShares) {
    EXPECT_EQ(std::count_if(kept.forest().trees.begin(), kept.forest().trees.end(), of_forest),
              300);
  }
}

// Two classes of which one is told far too surely: a temperature cannot mend both.
TEST(Quality, ClassScalesWhereRowsSpeakForThem) {
  Labels labels;
  labels.classes = {"a", "b", "c"};
  Random random(5);
  const auto rows_with = [&](bool crooked, std::size_t rows) {
    Matrix proba{rows, 3, {}};
    labels.codes.clear();
    for (std::size_t i = 0; i < rows; ++i) {
      std::array<double, 3> truth{};
      double sum = 0;
      for (double& p : truth) sum += p = std::exp(2 * random.normal());
      const double at = random.uniform() * sum;
      labels.codes.push_back(at < truth[0] ? 0 : at < truth[0] + truth[1] ? 1 : 2);
      double told = 0;
      std::array<double, 3> says = truth;
      if (crooked) says[0] = std::pow(truth[0] / sum, 2.5) * sum;
      for (const double p : says) told += p;
      for (const double p : says) proba.values.push_back(static_cast<float>(p / told));
    }
    return proba;
  };
  for (const bool crooked : {false, true}) {
    const Matrix raw = rows_with(crooked, 3000);
    std::vector<std::uint8_t> first(3000);
    std::fill_n(first.begin(), 1500, 1);
    const ProbabilityMap map = fit_class_scales({labels, {}, raw, first}, 1);
    EXPECT_EQ(map.method, "vector");
    Matrix plain{1500, 3, {raw.values.begin() + 4500, raw.values.end()}};
    Matrix scaled = plain;
    std::vector<double> row(3);
    for (std::size_t i = 0; i < 1500; ++i) {
      std::copy_n(scaled.row(i), 3, row.begin());
      apply_map(map, false, row);
      std::copy(row.begin(), row.end(), scaled.row(i));
    }
    Labels judged = labels;
    judged.codes.erase(judged.codes.begin(), judged.codes.begin() + 1500);
    EXPECT_EQ(speaks_for_class_scales(judged, {}, plain, scaled), crooked);
    EXPECT_FALSE(speaks_for_class_scales(judged, {}, plain, plain));
  }
}

TEST(Quality, DefaultOfOneAlgorithmIsAPlainModelThatChoseItsRounds) {
  const Dataset data = labelled_data({400, 3, 4, false, 0.3}, 1);
  Parameters parameters = one_thread();
  parameters.algorithm = "newton";
  parameters.rounds = 200;
  const QualityResult result = train_quality(data, parameters, with(Quality::kDefault));
  EXPECT_TRUE(ensemble_of(result.model).members.empty());
  EXPECT_LT(result.model.rounds(), 100U);  // noisy rows want few
  EXPECT_EQ(ensemble_of(result.model).forest.trees.size(), 3 * result.model.rounds());
  EXPECT_EQ(result.oof_proba.rows, 400U);
  double loss = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    loss -= std::log(static_cast<double>(result.oof_proba.row(i)[data.labels.codes[i]])) / 400;
  EXPECT_NEAR(figure(result.model, "log-loss").value, loss, 1e-6);
}

TEST(Quality, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = labelled_data({200, 3, 4, true, 0.2}, 1);
  for (const Quality quality : {Quality::kDefault, Quality::kBest}) {
    Parameters parameters = short_training();
    const QualityResult one = train_quality(data, parameters, with(quality));
    parameters.threads = 3;
    const QualityResult three = train_quality(data, parameters, with(quality));
    EXPECT_EQ(serialize(ensemble_of(one.model)), serialize(ensemble_of(three.model)));
    EXPECT_EQ(one.oof_scores.values, three.oof_scores.values);
  }
}

TEST(Quality, KeepsGroupsTogether) {
  // Rows that come twice: with their twins in other folds, a forest would know them by heart.
  const Dataset half = labelled_data({150, 3, 3, false, 0.9}, 1);
  std::vector<std::uint32_t> twice;
  for (std::uint32_t i = 0; i < 150; ++i) twice.insert(twice.end(), {i, i, i});
  const Dataset data = select_rows(half, twice);
  Parameters parameters = short_training();
  parameters.algorithm = "forest";
  QualityOptions options = with(Quality::kBest);
  const double parted = figure(train_quality(data, parameters, options).model, "error").value;
  options.groups = twice;
  const double together = figure(train_quality(data, parameters, options).model, "error").value;
  EXPECT_LT(parted, 0.1);
  EXPECT_GT(together, 0.4);
  options.groups.pop_back();
  EXPECT_EQ(message_of<ParameterError>([&] { train_quality(data, parameters, options); }),
            "groups: 449 numbers for 450 rows; give one a row");
}

// Before it trains: members of other algorithms would refuse them in the midst of it.
TEST(Quality, CodewordsNeedAnAlgorithmThatHasThem) {
  const Dataset data = labelled_data({60, 3, 3, false, 0.1}, 1);
  Parameters parameters = short_training();
  parameters.algorithm = "auto";
  parameters.dimension = 2;
  const auto refusal = [&] {
    return message_of<ParameterError>(
        [&] { train_quality(data, parameters, with(Quality::kDefault)); });
  };
  EXPECT_EQ(
      refusal(),
      "dimension: of the algorithms of an ensemble some have no codewords to choose; name one "
      "that has, such as gd-mcboost, or train once (quality fast)");
  parameters.dimension = 0;
  parameters.codewords = "maxmin";
  EXPECT_EQ(refusal().substr(0, 11), "codewords: ");
}

// Folds have the same codewords, which their mean must have, too.
TEST(Quality, EveryAlgorithmWithProbabilitiesIsCrossFitted) {
  const Dataset data = labelled_data({150, 4, 4, false, 0}, 1);
  Parameters parameters = one_thread();
  parameters.rounds = 5;
  for (const Algorithm& one : algorithms()) {
    SCOPED_TRACE(one.name);
    parameters.algorithm = one.name;
    if (one.name == "ecoc") {
      EXPECT_THROW(train_quality(data, parameters, with(Quality::kDefault)), ModelError);
      continue;
    }
    const QualityResult result = train_quality(data, parameters, with(Quality::kDefault));
    EXPECT_EQ(result.model.codewords(), train(data, parameters).codewords());
    EXPECT_LT(error_on(result.model, data), 0.6);
  }
  parameters.algorithm = "gd-mcboost";
  for (const char* const codewords : {"canonical", "one-vs-all", "maxmin"}) {
    SCOPED_TRACE(codewords);
    parameters.codewords = codewords;
    parameters.dimension = parameters.codewords == "maxmin" ? 4 : 0;
    const QualityResult result = train_quality(data, parameters, with(Quality::kDefault));
    EXPECT_EQ(result.model.codewords(), train(data, parameters).codewords());
    EXPECT_LT(error_on(result.model, data), 0.6);
  }
}

TEST(Quality, RareClassesAreNoProblem) {
  Dataset data = labelled_data({120, 3, 3, false, 0.1}, 1);
  data.labels.classes.emplace_back("rare");
  data.labels.codes[7] = 3;
  const Model model = train_quality(data, short_training(), with(Quality::kBest, 5)).model;
  EXPECT_EQ(model.schema().classes.size(), 4U);
  for (const float p : model.predict_proba(data).values) EXPECT_TRUE(std::isfinite(p));
}

// Each class in half of the rows of every value, so that no first cut of all rows gains anything.
Dataset balanced_xor(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  data.labels.classes = {"a", "b"};
  data.labels.columns = {"class"};
  std::vector<double> x, y;
  for (std::size_t i = 0; i < rows; ++i) {
    x.push_back(static_cast<double>(i & 1U));
    y.push_back(static_cast<double>((i >> 1U) & 1U));
    data.labels.codes.push_back(x.back() == y.back() ? 0 : 1);
  }
  data.columns = {Column::numeric("x", x), Column::numeric("y", y)};
  return data;
}

void expect_whole(const QualityResult& result, const Dataset& data) {
  EXPECT_EQ(result.oof_proba.rows, data.rows);
  EXPECT_GE(figure(result.model, "log-loss").value, 0);
  for (const float p : result.model.predict_proba(data).values) EXPECT_TRUE(std::isfinite(p));
  const std::string bytes = serialize(ensemble_of(result.model));
  EXPECT_NO_THROW(deserialize(std::as_bytes(std::span(bytes))));
}

TEST(Quality, FoldsWithoutARoundAreConstants) {
  const Dataset data = balanced_xor(80);
  QualityOptions options = with(Quality::kDefault, 5);
  options.distil = true;
  const QualityResult distilled = train_quality(data, one_thread(), options);
  expect_whole(distilled, data);
  EXPECT_LE(error_on(distilled.model, data), figure(distilled.model, "error").value);
  for (const Quality quality : {Quality::kDefault, Quality::kBest})
    expect_whole(train_quality(data, short_training(), with(quality, 4)), data);
  Parameters parameters = one_thread();
  for (const Algorithm& one : algorithms()) {
    if (one.name == "ecoc") continue;  // it has no probabilities
    SCOPED_TRACE(one.name);
    parameters.algorithm = one.name;
    expect_whole(train_quality(data, parameters, with(Quality::kDefault, 4)), data);
  }
  // Where no fold has a cut, ...
  parameters.algorithm = "newton";
  options = with(Quality::kDefault, 4);
  for (std::uint32_t i = 0; i < data.rows; ++i) options.groups.push_back(i / 4);
  const Model constant = train_quality(data, parameters, options).model;
  EXPECT_EQ(constant.rounds(), 0U);
  for (const float p : constant.predict_proba(data).values) EXPECT_FLOAT_EQ(p, 0.5F);
  // ... and few rows, too, have an estimate.
  for (std::size_t rows = 4; rows < 16; ++rows) {
    SCOPED_TRACE(rows);
    const Dataset few = balanced_xor(rows);
    expect_whole(train_quality(few, one_thread(), with(Quality::kDefault, 0)), few);
  }
}

TEST(Quality, NoiseAloneHasAnEstimate) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Dataset data = labelled_data({60, 2, 2, false, 1}, seed);
    data.columns.resize(1);
    expect_whole(train_quality(data, one_thread(), with(Quality::kDefault, 0)), data);
  }
}

TEST(Quality, SetsOfLabelsWeightsAndCosts) {
  const Dataset sets = multi_label_data({250, 4, 4, true, 0.1}, 1);
  const Model model = train_quality(sets, short_training(), with(Quality::kBest)).model;
  EXPECT_LT(error_on(model, multi_label_data({500, 4, 4, true, 0.1}, 2)), 0.3);
  EXPECT_EQ(ensemble_of(model).link, Link::kLogistic);

  const Dataset data = labelled_data({200, 2, 3, false, 0.4}, 1);
  Parameters parameters = short_training();
  const auto first = [&](const Parameters& given) {
    std::size_t count = 0;
    for (const std::int32_t k :
         train_quality(data, given, with(Quality::kBest)).model.predict(data))
      count += k == 0 ? 1 : 0;
    return count;
  };
  const std::size_t plain = first(parameters);
  parameters.class_weight = "k0=8";
  EXPECT_GT(first(parameters), plain);
  parameters.class_weight = "none";
  parameters.costs = "0,8;1,0";
  EXPECT_GT(first(parameters), plain);
}

TEST(Quality, WeightsAtTheEndsOfTheirRangeAreThoseOfAnyOther) {
  Dataset one = labelled_data({120, 3, 3, false, 0.2}, 1);
  Dataset sets = multi_label_data({120, 3, 3, false, 0.2}, 1);
  const auto with_weights = [](Dataset data, double factor) {
    for (std::size_t i = 0; i < data.rows; ++i)
      data.weights.push_back(static_cast<double>(i % 3 + 1) * factor / 2);
    return data;
  };
  QualityOptions distilled = with(Quality::kDefault);
  distilled.distil = true;
  Parameters parameters = one_thread();
  parameters.rounds = 5;
  const auto bytes = [&](const Dataset& data, const QualityOptions& how) {
    return train_quality(data, parameters, how).model.to_bytes();
  };
  for (const double factor : {0x1p-1000, 0x1p-500, 0x1p500, 0x1p1022}) {
    for (const QualityOptions& how : {with(Quality::kDefault), with(Quality::kBest), distilled})
      EXPECT_EQ(bytes(with_weights(one, factor), how), bytes(with_weights(one, 1), how)) << factor;
    EXPECT_EQ(bytes(with_weights(sets, factor), with(Quality::kBest)),
              bytes(with_weights(sets, 1), with(Quality::kBest)))
        << factor;
  }
  parameters.class_weight = "k0=1e308,k1=1e308,k2=1e308";
  EXPECT_TRUE(train_quality(one, parameters, with(Quality::kBest)).model.has_proba());
}

TEST(Quality, WeightsOfOneFoldAloneAreRefusedAsSuch) {
  Dataset data = labelled_data({60, 2, 2, false, 0.2}, 1);
  data.weights.assign(60, 0);
  data.weights[3] = 1;
  const std::string said =
      message_of([&] { train_quality(data, short_training(), with(Quality::kDefault)); });
  EXPECT_NE(said.find("in one of the 3 folds"), std::string::npos) << said;
}

TEST(Quality, ANamedAlgorithmIsTheOnlyOne) {
  const Dataset data = labelled_data({200, 3, 3, false, 0.2}, 1);
  Parameters parameters = short_training();
  parameters.algorithm = "adaboost-mh";
  const Model model = train_quality(data, parameters, with(Quality::kBest)).model;
  EXPECT_EQ(ensemble_of(model).algorithm, "adaboost-mh");
  EXPECT_TRUE(ensemble_of(model).members.empty());
}

TEST(Quality, ABudgetEndsIt) {
  const Dataset data = labelled_data({300, 3, 3, false, 0.2}, 1);
  QualityOptions options = with(Quality::kBest);
  options.budget = 1e-9;
  const Model model = train_quality(data, one_thread(), options).model;
  EXPECT_EQ(model.rounds(), 1U);
  EXPECT_NE(ensemble_of(model).log.stop_reason.find("1 member on 3 folds, of 6 that were planned"),
            std::string::npos);
  const std::vector<MemberRecord>& records = ensemble_of(model).records;
  ASSERT_EQ(records.size(), 7U);  // the pool, and all that were planned
  EXPECT_EQ(records[1].left_out, "");
  EXPECT_EQ(records[6].left_out, "training was ended before it was done");
}

const Choice& choice(const MemberRecord& record, const std::string& name) {
  for (const Choice& one : record.choices)
    if (one.name == name) return one;
  throw std::runtime_error(record.name + " has no choice " + name);
}

const MemberRecord& record_of(const Model& model, const std::string& name) {
  for (const MemberRecord& record : ensemble_of(model).records)
    if (record.name == name) return record;
  throw std::runtime_error("no record of " + name);
}

TEST(Quality, TellsWhatItsMembersTookAndWhy) {
  const Dataset data = labelled_data({300, 3, 4, false, 0.2}, 1);
  Parameters parameters = one_thread();
  parameters.row_fraction = 0.8;
  const Model model = train_quality(data, parameters, with(Quality::kDefault, 0)).model;
  EXPECT_EQ(choice(record_of(model, "the pool"), "folds").value, "5");
  const MemberRecord& newton = record_of(model, "newton");
  // Not what was asked for, 0 and -1, but what trainings took.
  EXPECT_EQ(choice(newton, "learning-rate").value, "0.3");
  EXPECT_EQ(choice(newton, "l2").value, "0.3");
  EXPECT_EQ(choice(newton, "leaves").value, "8");
  EXPECT_EQ(choice(newton, "sketch").value, "2");
  EXPECT_EQ(choice(newton, "max-bins").value, "256");
  EXPECT_EQ(choice(newton, "early-stopping").value, "15");
  EXPECT_EQ(choice(newton, "row-fraction").why, "asked for");
  EXPECT_NE(choice(newton, "rounds").why.find("200 at most, by the size of the data"),
            std::string::npos);
  EXPECT_EQ(choice(record_of(model, "extra trees"), "trees").value, "100");
  EXPECT_GT(std::stod(choice(record_of(model, "linear"), "penalty").value), 0);
  for (const MemberRecord& record : ensemble_of(model).records) {
    EXPECT_EQ(record.weight > 0 || record.name == "the pool", record.left_out.empty());
    for (const Choice& one : record.choices) EXPECT_NE(one.why, "") << one.name;
  }
}

// Signs of two features, multiplied; and labels of chance.
Dataset noisy_signs(std::uint64_t seed) {
  Dataset data = labelled_data({150, 2, 6, false, 1}, seed);
  std::vector<double> x(data.rows), y(data.rows);
  data.columns[0].copy(0, data.rows, x.data());
  data.columns[1].copy(0, data.rows, y.data());
  for (std::size_t i = 0; i < data.rows; ++i)
    if (i % 5 < 3) data.labels.codes[i] = x[i] * y[i] > 0 ? 1 : 0;
  return data;
}

std::size_t trees_of(const Model& model, const std::string& member) {
  const Ensemble& ensemble = ensemble_of(model);
  return static_cast<std::size_t>(std::count_if(
      ensemble.forest.trees.begin(), ensemble.forest.trees.end(), [&](const TreeSpan& tree) {
        return ensemble.members[tree.output / ensemble.classes()].name.starts_with(member);
      }));
}

// What rows out of fold were judged by is as many trees as the model has, of all folds together.
TEST(Quality, ForestsOfAllFoldsKeepTheTreesOfOne) {
  std::size_t forests = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model model =
        train_quality(noisy_signs(seed), one_thread(), with(Quality::kBest, 4)).model;
    for (const char* const name : {"extra trees", "random forest"}) {
      const Choice& trees = choice(record_of(model, name), "trees");
      EXPECT_EQ(trees.value, "125");
      EXPECT_NE(trees.why.find("of each fold's 500"), std::string::npos);
      if (!(record_of(model, name).weight > 0)) continue;
      EXPECT_EQ(trees_of(model, name), 500U);
      ++forests;
    }
  }
  EXPECT_GT(forests, 0U);
  // One that is asked for is as it is asked for.
  Parameters forest = one_thread();
  forest.algorithm = "forest";
  forest.rounds = 200;
  const Model asked = train_quality(noisy_signs(1), forest, with(Quality::kBest, 4)).model;
  EXPECT_EQ(asked.forest().trees.size(), 800U);
}

TEST(Quality, TellsThatLabelsLookWrong) {
  Dataset data = labelled_data({600, 3, 4, false, 0}, 1);
  Random random(1);
  for (std::int32_t& code : data.labels.codes)
    if (random.uniform() < 0.3) code = static_cast<std::int32_t>(random.below(3));
  const Model model = train_quality(data, one_thread(), with(Quality::kDefault, 0)).model;
  EXPECT_NE(choice(record_of(model, "the pool"), "wrong labels").value, "");
  EXPECT_EQ(choice(record_of(model, "extra trees, doubting labels"), "min-weight").value, "0.5");
}

TEST(Quality, TellsOfRepeatedRows) {
  const Dataset data = labelled_data({100, 3, 4, false, 0.3}, 1);
  std::vector<std::uint32_t> rows;
  QualityOptions grouped = with(Quality::kDefault);
  for (std::uint32_t i = 0; i < 120; ++i) {
    rows.push_back(i < 90 ? i : 90 + i % 10);
    grouped.groups.push_back(rows.back());
  }
  const Dataset repeated = select_rows(data, rows);
  const QualityResult told = train_quality(repeated, short_training(), with(Quality::kDefault));
  EXPECT_EQ(told.repeats, 0.25);
  EXPECT_EQ(choice(record_of(told.model, "the pool"), "repeated rows").value, "25.0 %");
  EXPECT_EQ(train_quality(repeated, short_training(), grouped).repeats, 0);
  EXPECT_EQ(train_quality(data, short_training(), with(Quality::kDefault)).repeats, 0);
}

TEST(Quality, NamesAndHints) {
  EXPECT_EQ(find_quality("best"), Quality::kBest);
  EXPECT_EQ(quality_name(Quality::kDefault), "default");
  EXPECT_NE(message_of<ParameterError>([] { find_quality("bets"); }).find("best"),
            std::string::npos);
}

TEST(Blend, WeighsMembersByWhatTheyKnow) {
  Labels labels;
  labels.classes = {"a", "b"};
  Matrix good{200, 2, {}};
  Matrix bad{200, 2, {}};
  for (std::int32_t i = 0; i < 200; ++i) {
    labels.codes.push_back(i % 2);
    const bool first = i % 2 == 0;
    good.values.insert(good.values.end(), {first ? 0.9F : 0.1F, first ? 0.1F : 0.9F});
    bad.values.insert(bad.values.end(), {0.5F, 0.5F});
  }
  const std::vector<Matrix> members{bad, good};
  const std::vector<double> none;
  const std::vector<double> weights = blend_weights(members, labels, none, {});
  EXPECT_EQ(weights, (std::vector<double>{0, 1}));
  const Matrix mean = blend(Pool::kMean, members, {0.5, 0.5}, 1);
  EXPECT_NEAR(mean.row(0)[0], 0.7, 1e-6);
}

// Two members that each know another half of the truth, one of them far too unsure: no weights of a
// grid have a lower log loss than those that are found, each with the best of its scales.
TEST(Blend, MultipliesByTheWeightsOfTheLeastLogLoss) {
  Random random(1);
  Labels labels;
  labels.classes = {"a", "b", "c"};
  std::vector<Matrix> members(2, Matrix{600, 3, {}});
  for (std::size_t i = 0; i < 600; ++i) {
    double score[2][3] = {};
    double sum[3] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      for (auto& one : score) sum[k] += one[k] = random.normal();
      sum[k] += random.normal() / 2;
    }
    labels.codes.push_back(static_cast<std::int32_t>(std::max_element(sum, sum + 3) - sum));
    for (std::size_t m = 0; m < 2; ++m) {
      double total = 0;
      for (double& one : score[m]) total += one = std::exp((m == 0 ? 1.0 : 0.2) * one);
      for (const double one : score[m])
        members[m].values.push_back(static_cast<float>(one / total));
    }
  }
  const std::vector<double> none;
  const auto loss = [&](const std::vector<double>& weights) {
    const Matrix pooled = blend(Pool::kProduct, members, weights, 1);
    double least = 1e9;
    for (double scale = 0.5; scale < 12; scale *= 1.1) {
      double sum = 0;
      for (std::size_t i = 0; i < 600; ++i) {
        double all = 0;
        for (std::size_t k = 0; k < 3; ++k) all += std::pow(pooled.row(i)[k], scale);
        sum -= std::log(std::pow(pooled.row(i)[labels.codes[i]], scale) / all);
      }
      least = std::min(least, sum / 600);
    }
    return least;
  };
  const std::vector<double> found = product_weights(members, labels, none, {});
  EXPECT_NEAR(found[0] + found[1], 1, 1e-9);
  EXPECT_GT(found[1], found[0]);  // the unsure one is raised to a higher power
  for (double first = 0; first <= 1; first += 0.05)
    EXPECT_LT(loss(found), loss({first, 1 - first}) + 0.003) << first;
  // The mean cannot make up for that.
  const Matrix mean = blend(Pool::kMean, members, blend_weights(members, labels, none, {}), 1);
  double sum = 0;
  for (std::size_t i = 0; i < 600; ++i)
    sum -= std::log(static_cast<double>(mean.row(i)[labels.codes[i]])) / 600;
  EXPECT_LT(loss(found), 0.9 * sum);
}

}  // namespace
}  // namespace simplexboost
