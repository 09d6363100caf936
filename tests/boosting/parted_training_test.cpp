// One model from many ranks: whatever the algorithm, the options and the way the rows are parted,
// its bytes are those that one rank with all rows writes.
#include "boosting/parted_training.h"

#include <gtest/gtest.h>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/training_log.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::expect_same_model;
using testing::labelled_data;
using testing::message_of;
using testing::multi_label_data;
using testing::parted_bytes;
using testing::shares_of;
using testing::trained_bytes;

constexpr std::size_t kAllRows = 3300;

// Numbers, categories, missing values and weights.
Dataset mixed_data(std::uint64_t seed, std::size_t rows = kAllRows) {
  Dataset data = labelled_data({.rows = rows, .classes = 4, .numbers = 3, .mixed = true}, seed);
  Random random(seed, 7);
  for (std::size_t i = 0; i < rows; ++i) data.weights.push_back(0.25 + 3 * random.uniform());
  return data;
}

Parameters with(const std::string& algorithm,
                const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = 3;
  parameters.seed = 5;
  for (const auto& [name, value] : settings) set_parameter(parameters, name, value);
  return parameters;
}

std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const AlgorithmRow& row : algorithm_table())
    if (!row.sorts_rows) names.emplace_back(row.name);
  return names;
}

class EveryPartedAlgorithm : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPartedAlgorithm, GivesTheBytesOfOneRank) {
  const Dataset data = mixed_data(1);
  expect_same_model({data}, with(GetParam()));
}

TEST_P(EveryPartedAlgorithm, ValidatesAndStopsAsOneRankDoes) {
  const Dataset data = mixed_data(2);
  const Dataset valid = mixed_data(3, 2500);
  Parameters parameters = with(GetParam(), {{"early-stopping", "1"}, {"class-weight", "balanced"}});
  parameters.rounds = 4;
  expect_same_model({data, &valid}, parameters);
}

TEST_P(EveryPartedAlgorithm, DrawsTheRowsAndFeaturesThatOneRankDraws) {
  Dataset data = mixed_data(4);
  data.weights.clear();
  expect_same_model({data},
                    with(GetParam(), {{"row-fraction", "0.4"}, {"feature-fraction", "0.7"}}));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EveryPartedAlgorithm, ::testing::ValuesIn(algorithms()),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct Case {
  const char* name;
  Parameters parameters;
};

std::vector<Case> cases() {
  return {
      {"sketch of the largest pulls", with("newton", {{"sketch", "2"}, {"sketch-kind", "top"}})},
      {"sampled sketch", with("newton", {{"sketch", "2"}, {"sketch-kind", "sample"}})},
      {"all channels", with("newton", {{"sketch", "0"}, {"codewords", "simplex"}})},
      {"guarded steps", with("newton", {{"loss", "exponential"}})},
      {"savage loss", with("newton", {{"loss", "savage"}})},
      {"lines", with("newton", {{"learner", "linear"}})},
      {"lines for each class", with("logitboost", {{"learner", "linear"}})},
      {"logistic loss", with("gd-mcboost", {{"loss", "logistic"}})},
      {"costs", with("gd-mcboost", {{"costs", "0,1,2,1;1,0,5,1;1,2,0,1;3,1,1,0"}})},
      {"vector leaves", with("gd-mcboost", {{"leaf-values", "vector"}})},
      {"costs by coordinates",
       with("cd-mcboost", {{"costs", "0,1,2,1;1,0,5,1;1,2,0,1;3,1,1,0"}, {"loss", "logistic"}})},
      {"trees by coordinates", with("cd-mcboost", {{"learner", "tree"}, {"loss", "savage"}})},
      {"other codewords", with("cd-mcboost", {{"codewords", "one-vs-all"}})},
      {"confident votes", with("adaboost-mh", {{"leaf-values", "confidence"}})},
      {"products", with("adaboost-mh", {{"learner", "hamming-product"}})},
      {"a cut of pairs", with("adaboost-mh", {{"learner", "augmented-stump"}})},
      {"trees on pairs",
       with("adaboost-mh",
            {{"learner", "augmented-tree"}, {"depth", "4"}, {"row-fraction", "0.5"}})},
      {"class votes", with("adaboost-mh", {{"leaf-values", "class"}, {"learner", "tree"}})},
      {"numbers for each class", with("one-vs-all", {{"leaf-values", "scalar"}})},
      {"confidences for each class", with("one-vs-all", {{"leaf-values", "confidence"}})},
      {"shares", with("adaboost-m2", {{"leaf-values", "proportion"}})},
      {"rows drawn by weight", with("samme", {{"resample", "weights"}})},
      {"some rows drawn by weight",
       with("grploss",
            {{"resample", "weights"}, {"row-fraction", "0.3"}, {"weight-floor", "0.0001"}})},
      {"values drawn by weight",
       with("newton", {{"resample", "weights"}, {"row-fraction", "0.5"}})},
      {"all bases", with("abc-logitboost", {{"base-candidates", "0"}})},
      {"one category against the rest", with("newton", {{"categorical-splits", "one-vs-rest"}})},
      {"statistics of categories", with("newton", {{"subset-values", "0"}})},
      {"statistics for votes", with("adaboost-mh", {{"subset-values", "2"}})},
      {"scores that rise", with("newton", {{"monotone", "x0:+k1,x1:-k3"}})},
      {"scores that rise, drawn cuts",
       with("newton", {{"monotone", "x0:+k1"}, {"thresholds", "drawn"}, {"subset-values", "0"}})},
      {"level by level", with("newton", {{"depth", "5"}, {"min-rows", "20"}})},
      {"few bins", with("robust-logitboost", {{"max-bins", "16"}})},
      {"classes with weights", with("mart", {{"class-weight", "k0=0,k2=3.5"}})},
      {"more trees than threads", with("forest", {{"rounds", "41"}, {"min-rows", "20"}})},
      {"trees of the best cuts", with("forest", {{"thresholds", "best"}, {"depth", "6"}})},
      {"trees on all rows", with("forest", {{"bootstrap", "none"}, {"max-bins", "300"}})},
      {"trees that count rows by chance",
       with("forest", {{"bootstrap", "bayesian"}, {"row-fraction", "0.6"}})},
      {"trees on statistics", with("forest", {{"subset-values", "0"}, {"node-features", "3"}})},
  };
}

TEST(PartedTraining, GivesTheBytesOfOneRankWithManyOptions) {
  const Dataset data = mixed_data(11);
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    expect_same_model({data}, one.parameters);
  }
}

// Each rank makes the values of some leaves, as many as there are, or of none.
TEST(PartedTraining, SharesTheLeavesOfManyClasses) {
  const Dataset data =
      labelled_data({.rows = kAllRows, .classes = 60, .numbers = 3, .mixed = true}, 14);
  for (const char* leaves : {"3", "31"})
    for (const char* loss : {"logistic", "savage"}) {
      SCOPED_TRACE(std::string(leaves) + " leaves, " + loss);
      expect_same_model({data}, with("newton", {{"leaves", leaves}, {"loss", loss}}));
    }
}

TEST(PartedTraining, WatchesAnyMetric) {
  const Dataset data = mixed_data(12);
  Dataset valid = mixed_data(13, 2500);
  valid.labels.codes[17] = -1;
  for (const char* metric :
       {"auc", "top-2-error", "margin-lowest-25", "calibration-error", "kappa", "macro-f1",
        "maxlabel-error", "pseudo-loss-error", "hamming-loss", "risk"}) {
    SCOPED_TRACE(metric);
    expect_same_model({data, &valid}, with("gd-mcboost", {{"early-stopping", "2"},
                                                          {"early-stopping-metric", metric}}));
  }
}

TEST(PartedTraining, TakesSeveralLabelsARow) {
  const testing::DataShape shape{.rows = kAllRows, .classes = 4, .numbers = 3, .mixed = true};
  Dataset data = multi_label_data(shape, 21);
  const Dataset valid =
      multi_label_data({.rows = 1500, .classes = 4, .numbers = 3, .mixed = true}, 22);
  for (const char* algorithm : {"adaboost-mh", "one-vs-all", "adaboost-mr", "forest"}) {
    SCOPED_TRACE(algorithm);
    data.labels.weights.clear();
    expect_same_model({data, &valid}, with(algorithm, {{"early-stopping", "2"},
                                                       {"early-stopping-metric", "log-loss"}}));
    // Some are unknown.
    data.labels.weights.assign(data.rows * 4, 1);
    for (std::size_t i = 0; i < data.labels.weights.size(); i += 13) data.labels.weights[i] = 0;
    expect_same_model({data}, with(algorithm));
  }
}

TEST(PartedTraining, TakesWeightsOfLabels) {
  Dataset data = mixed_data(23);
  Random random(24);
  for (std::size_t i = 0; i < data.rows * 4; ++i)
    data.labels.weights.push_back(static_cast<float>(random.below(3)) / 2);
  for (const char* algorithm : {"adaboost-mh", "one-vs-all"}) {
    SCOPED_TRACE(algorithm);
    expect_same_model({data}, with(algorithm));
  }
}

TEST(PartedTraining, LeavesOutRowsOfNoWeight) {
  Dataset data = mixed_data(25);
  for (std::size_t i = 0; i < data.rows; ++i)
    if (i % 3 == 0 || i < 800) data.weights[i] = 0;
  expect_same_model({data}, with("newton"));
  expect_same_model({data}, with("adaboost-mh", {{"class-weight", "balanced"}}));
  expect_same_model({data}, with("forest", {{"class-weight", "balanced"}}));
}

TEST(PartedTraining, GoesOnFromAModel) {
  const Dataset data = mixed_data(26);
  const Dataset valid = mixed_data(27, 1500);
  for (const std::string& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm);
    TrainOptions options;
    options.valid = algorithm == "forest" ? nullptr : &valid;  // one that goes on has none
    const Model begun = train(data, with(algorithm, {{"rounds", "2"}}), options);
    expect_same_model({data, options.valid, &begun}, with(algorithm, {{"rounds", "4"}}));
  }
}

TEST(PartedTraining, StartsFromAForest) {
  const Dataset data = mixed_data(28);
  const Dataset valid = mixed_data(29, 1500);
  TrainOptions options;
  const Model forest = train(data, with("forest", {{"rounds", "20"}}), options);
  expect_same_model({data, &valid, &forest}, with("newton"));
  options.init = &forest;
  const Model begun = train(data, with("newton", {{"rounds", "2"}}), options);
  expect_same_model({data, &valid, &begun}, with("newton", {{"rounds", "4"}}));
}

// As a reader of a part of a file would have it: it knows the names that it has met.
Dataset local_names(const Dataset& share) {
  const auto used = [](std::vector<std::string>& names, std::vector<std::int32_t>& codes) {
    std::vector<std::int32_t> place(names.size(), -1);
    for (const std::int32_t code : codes)
      if (code >= 0) place[static_cast<std::size_t>(code)] = 0;
    std::vector<std::string> kept;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (place[k] < 0) continue;
      place[k] = static_cast<std::int32_t>(kept.size());
      kept.push_back(names[k]);
    }
    names = kept;
    for (std::int32_t& code : codes)
      if (code >= 0) code = place[static_cast<std::size_t>(code)];
  };
  Dataset local = share;
  used(local.labels.classes, local.labels.codes);
  for (Column& column : local.columns) {
    if (column.schema.type != FeatureType::kCategorical) continue;
    std::vector<double> values(local.rows);
    column.copy(0, local.rows, values.data());
    std::vector<std::int32_t> codes;
    for (const double value : values)
      codes.push_back(value >= 0 ? static_cast<std::int32_t>(value) : -1);
    std::vector<std::string> names = column.schema.categories;
    used(names, codes);
    column = Column::categorical(column.schema.name, codes, names);
  }
  return local;
}

// Categories of which some ranks see few, and a class that one rank sees alone.
TEST(PartedTraining, RanksAgreeOnTheCodesThatOneProcessWouldGive) {
  Dataset data = mixed_data(31);
  std::vector<std::int32_t> codes;
  std::vector<std::string> names;
  for (int c = 0; c < 33; ++c) names.push_back(std::to_string(c));  // by number, not by bytes
  for (std::size_t i = 0; i < data.rows; ++i) codes.push_back(static_cast<std::int32_t>(i / 100));
  data.columns.push_back(Column::categorical("place", codes, names));
  for (std::size_t i = 0; i < data.rows; ++i)
    if (data.labels.codes[i] == 2 && i < 2500) data.labels.codes[i] = 1;
  const Dataset valid = testing::rows_of(data, 300, 1900);
  for (const char* algorithm : {"newton", "samme", "forest"}) {
    const Parameters parameters = with(algorithm, {{"early-stopping", "2"}});
    const std::string wanted = trained_bytes({data, &valid}, parameters);
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(ranks);
      std::vector<Dataset> shares;
      for (const Dataset& share : shares_of(data, ranks)) shares.push_back(local_names(share));
      EXPECT_TRUE(parted_bytes(shares, shares_of(valid, ranks), parameters) == wanted) << algorithm;
    }
  }
}

// Float columns on one rank, doubles on another, sparse ones on a third.
TEST(PartedTraining, MovesRowsBetweenColumnsOfAnyStorage) {
  Dataset data = labelled_data({.rows = kAllRows, .classes = 3}, 32);
  std::vector<double> zeros(data.rows);
  for (std::size_t i = 0; i < data.rows; i += 5) zeros[i] = static_cast<double>(i % 7) - 3;
  data.columns.push_back(Column::numeric("sparse", zeros));
  const std::string wanted = trained_bytes({data}, with("newton"));
  const std::string forest = trained_bytes({data}, with("forest"));
  for (const int ranks : {3, 5}) {
    std::vector<Dataset> shares = shares_of(data, ranks);
    for (std::size_t r = 0; r < shares.size(); ++r) {
      Dataset& share = shares[r];
      std::vector<double> values(share.rows);
      Column& last = share.columns.back();
      last.copy(0, share.rows, values.data());
      if (r % 2 == 1) {
        auto few = std::make_shared<std::vector<std::int8_t>>();
        for (const double value : values) few->push_back(static_cast<std::int8_t>(value));
        const FeatureSchema schema = last.schema;
        last = Column{};
        last.schema = schema;
        last.scalar = Scalar::kInt8;
        last.data = reinterpret_cast<const std::byte*>(few->data());
        last.stride = 1;
        last.owner = few;
      } else {
        std::vector<std::uint32_t> rows;
        std::vector<double> kept;
        for (std::size_t i = 0; i < values.size(); ++i)
          if (values[i] != 0)
            rows.push_back(static_cast<std::uint32_t>(i)), kept.push_back(values[i]);
        last = Column::sparse_numeric("sparse", rows, kept);
      }
    }
    EXPECT_TRUE(parted_bytes(shares, {}, with("newton")) == wanted) << ranks;
    EXPECT_TRUE(parted_bytes(shares, {}, with("forest")) == forest) << ranks;
  }
}

// What ends a training of three ranks: the error of the rank that has it, and that of another.
struct Ends {
  std::string own;
  std::string other;
};

Ends ends_of(const std::vector<Dataset>& shares, const Parameters& parameters,
             std::size_t culprit) {
  testing::FakeCluster cluster(static_cast<int>(shares.size()));
  Ends ends;
  EXPECT_ANY_THROW(cluster.run([&](Communicator& ranks) {
    const auto r = static_cast<std::size_t>(ranks.rank());
    try {
      trained_bytes({shares[r]}, parameters, ranks);
    } catch (const Error& error) {
      (r == culprit ? ends.own : ends.other) = error.what();
      throw;
    }
  }));
  return ends;
}

TEST(PartedTraining, BadDataOnOneRankEndAll) {
  std::vector<Dataset> shares = shares_of(mixed_data(41), 2);
  shares[1].source = "second.csv";
  shares[1].weights[5] = -1;
  const Ends ends = ends_of(shares, with("newton"), 1);
  EXPECT_EQ(ends.own, "second.csv: weights must be finite numbers of 0 or more");
  EXPECT_EQ(ends.other, "rank 1: second.csv: weights must be finite numbers of 0 or more");
}

TEST(PartedTraining, SaysWhichRankHasOtherColumns) {
  const std::vector<Dataset> shares = shares_of(mixed_data(42), 2);
  const auto message = [&](const auto& change) {
    std::vector<Dataset> changed = shares;
    change(changed[1]);
    return ends_of(changed, with("newton"), 1).own;
  };
  EXPECT_EQ(message([](Dataset& data) { data.columns.pop_back(); }),
            "4 features, but 3 in the rows of process 1; expected the same");
  EXPECT_EQ(message([](Dataset& data) { data.columns[1].schema.name = "y"; }),
            "feature 2 is 'x1', but 'y' in the rows of process 1; expected the same");
  EXPECT_EQ(message([](Dataset& data) {
              data.columns[0] =
                  Column::categorical("x0", std::vector<std::int32_t>(data.rows), {"one"});
            }),
            "column 'x0' holds numbers in some processes and categories in others; say "
            "--categorical x0 (in Python categorical_features=['x0'])");
  EXPECT_EQ(message([](Dataset& data) { data.labels.columns = {"other"}; }),
            "named columns, labels in class, but named columns, labels in other in the rows of "
            "process 1; expected the same");
}

TEST(PartedTraining, SaysWhichRankHasOtherSettings) {
  const std::vector<Dataset> shares = shares_of(mixed_data(43), 2);
  testing::FakeCluster cluster(2);
  const std::string message = message_of([&] {
    cluster.run([&](Communicator& ranks) {
      trained_bytes({shares[static_cast<std::size_t>(ranks.rank())]},
                    with("newton", {{"depth", ranks.rank() == 0 ? "3" : "4"}}), ranks);
    });
  });
  // Its own error, or what the other rank heard of it, whichever came first.
  EXPECT_TRUE(message.ends_with("depth: 3, but in process 1 depth: 4; give all processes the same"))
      << message;
}

TEST(PartedTraining, RefusesWhatSeesAllRowsAtOnce) {
  const std::vector<Dataset> shares = shares_of(mixed_data(44), 2);
  EXPECT_EQ(ends_of(shares, with("dmcboost"), 0).own,
            "algorithm: dmcboost sorts all rows in one process, and the rows of this training are "
            "parted among several; use another one");
}

// A user who has had enough on one rank ends all of them, after the same round.
TEST(PartedTraining, EndsOnAllRanksWhereOneIsInterrupted) {
  class Impatient : public Progress {
   public:
    bool round(std::size_t round, std::span<const RoundMetric>) override { return round < 1; }
  };
  const std::vector<Dataset> shares = shares_of(mixed_data(45), 3);
  for (const char* algorithm : {"samme", "forest"}) {
    testing::FakeCluster cluster(3);
    std::vector<std::string> reasons(3);
    cluster.run([&](Communicator& ranks) {
      const auto r = static_cast<std::size_t>(ranks.rank());
      Impatient impatient;
      TrainOptions options;
      if (r == 2) options.progress = &impatient;
      Training training = make_training(shares[r], with(algorithm), options, {.ranks = ranks});
      training.boost(10);
      reasons[r] = ensemble_of(training.finish()).log.stop_reason;
    });
    for (const std::string& reason : reasons) EXPECT_EQ(reason, "interrupted after round 2");
  }
}

}  // namespace
}  // namespace simplexboost
