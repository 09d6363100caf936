// Weights of what rows say about labels, and labels that are unknown: adaboost-mh, one-vs-all and
// adaboost-mr.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/message_of.h"
#include "boosting/algorithms/naive_binary.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "optimizer/target/pulls.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::every_cut;
using testing::labelled_data;
using testing::message_of;
using testing::multi_label_data;

Dataset data_of(bool sets, const testing::DataShape& shape, std::uint64_t seed) {
  return sets ? multi_label_data(shape, seed) : labelled_data(shape, seed);
}

// icml2014, section 2: what adaboost-mh starts with, but for 1/n, or 1/(n K) for sets.
std::vector<float> usual_weights(const Labels& labels, std::size_t rows) {
  const auto classes = static_cast<double>(labels.classes.size());
  std::vector<float> weights;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t l = 0; l < labels.classes.size(); ++l)
      weights.push_back(static_cast<float>(labels.multi_label()        ? 1
                                           : label_holds(labels, i, l) ? 0.5
                                                                       : 0.5 / (classes - 1)));
  return weights;
}

// Each with the given probability.
void forget_labels(Dataset& data, double share, std::uint64_t seed) {
  Random random(seed, 2);
  data.labels.weights.assign(data.rows * data.labels.classes.size(), 1);
  for (float& weight : data.labels.weights)
    if (random.uniform() < share) weight = 0;
}

// Other words about what is unknown.
Dataset flip_unknown(Dataset data) {
  const Labels given = data.labels;
  data.labels.codes.clear();
  data.labels.offsets = {0};
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (std::size_t l = 0; l < given.classes.size(); ++l)
      if (label_holds(given, i, l) != (given.row_weights(i)[l] == 0))
        data.labels.codes.push_back(static_cast<std::int32_t>(l));
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  return data;
}

// The share of the known labels that a model gets wrong, counted by hand.
double wrong_share(const Model& model, const Dataset& data) {
  const Matrix scores = model.predict_scores(data);
  double wrong = 0;
  double known = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < scores.columns; ++l) {
      if (!data.labels.weights.empty() && data.labels.row_weights(i)[l] == 0) continue;
      known += 1;
      if (label_holds(data.labels, i, l) != (scores.row(i)[l] > 0)) wrong += 1;
    }
  return wrong / known;
}

TEST(LabelWeights, TheUsualOnesGiveTheSameModelToTheByte) {
  for (const bool sets : {false, true})
    for (const std::size_t classes : {2U, 4U, 7U})
      for (const std::string learner : {"hamming-stump", "hamming-tree", "stump", "confidence"}) {
        Dataset data = data_of(sets, {200, classes, 3, true, 0.2}, classes);
        for (std::size_t i = 0; i < data.rows; ++i)
          data.weights.push_back(0.5 + static_cast<double>(i % 3));
        Parameters wanted = every_cut("adaboost-mh", learner, 8);
        if (learner == "confidence") {
          wanted.learner = "hamming-tree";
          wanted.leaf_values = "confidence";
        }
        const Model plain = train(data, wanted);
        data.labels.weights = usual_weights(data.labels, data.rows);
        wanted.threads = 3;
        const Model weighted = train(data, wanted);
        EXPECT_TRUE(serialize(ensemble_of(plain)) == serialize(ensemble_of(weighted)))
            << learner << " " << classes << " " << sets;
      }
}

TEST(LabelWeights, OnlyTheirRatiosCount) {
  Dataset data = multi_label_data({200, 4, 3, true, 0.2}, 1);
  Random random(1);
  for (std::size_t at = 0; at < data.rows * 4; ++at)
    data.labels.weights.push_back(static_cast<float>(random.uniform()));
  for (const std::string algorithm : {"adaboost-mh", "one-vs-all"}) {
    const Model model = train(data, every_cut(algorithm, "stump", 6));
    Dataset scaled = data;
    for (float& weight : scaled.labels.weights) weight *= 1024;
    const Model same = train(scaled, every_cut(algorithm, "stump", 6));
    EXPECT_TRUE(model.forest().nodes == same.forest().nodes);
    const std::vector<double> risk = column(model, "log_risk");
    const std::vector<double> same_risk = column(same, "log_risk");
    EXPECT_NEAR(risk[0], 0, 1e-6);
    for (std::size_t t = 0; t < risk.size(); ++t) EXPECT_NEAR(risk[t], same_risk[t], 1e-6);
  }
}

TEST(LabelWeights, TwoForAllLabelsOfARowIsTheRowTwice) {
  for (const std::string algorithm : {"adaboost-mh", "one-vs-all"})
    for (const bool sets : {false, true}) {
      Dataset weighted = data_of(sets, {.rows = 400}, 2);
      weighted.labels.weights = usual_weights(weighted.labels, weighted.rows);
      std::vector<std::uint32_t> rows;
      for (std::uint32_t i = 0; i < weighted.rows; ++i)
        rows.insert(rows.end(), i % 4 == 0 ? 2 : 1, i);
      const Dataset repeated = select_rows(weighted, rows);
      for (std::size_t at = 0; at < weighted.labels.weights.size(); ++at)
        if (at / 3 % 4 == 0) weighted.labels.weights[at] *= 2;
      const Forest a = train(weighted, every_cut(algorithm, "stump", 8)).forest();
      const Forest b = train(repeated, every_cut(algorithm, "stump", 8)).forest();
      ASSERT_EQ(a.nodes.size(), b.nodes.size());
      for (std::size_t k = 0; k < a.nodes.size(); ++k) {
        EXPECT_EQ(a.nodes[k].feature, b.nodes[k].feature);
        EXPECT_EQ(a.nodes[k].threshold, b.nodes[k].threshold);
      }
      for (std::size_t k = 0; k < a.leaf_values.size(); ++k)
        EXPECT_NEAR(a.leaf_values[k], b.leaf_values[k], 1e-5) << algorithm;
    }
}

// AdaBoost.MH with Hamming stumps as icml2014 has it, with any W, in double: the edges.
std::vector<double> naive_edges(const Dataset& data, int rounds) {
  const std::size_t classes = data.labels.classes.size();
  std::vector<double> pulls;  // W y
  double sum = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < classes; ++l) {
      const double weight = static_cast<double>(data.labels.row_weights(i)[l]) *
                            (data.weights.empty() ? 1 : data.weights[i]);
      pulls.push_back(label_holds(data.labels, i, l) ? weight : -weight);
      sum += weight;
    }
  std::vector<double> edges;
  for (int t = 0; t < rounds; ++t) {
    double best = -1;
    std::vector<double> vote;  // rows: on which side of the best cut
    std::vector<double> signs;
    for (std::size_t f = 0; f < data.columns.size(); ++f) {
      const std::vector<double> x = testing::values(data, f);
      for (std::size_t cut = 0; cut < data.rows; ++cut) {
        std::vector<double> gap(classes);
        for (std::size_t i = 0; i < data.rows; ++i)
          for (std::size_t l = 0; l < classes; ++l)
            gap[l] += (x[i] > x[cut] ? 1 : -1) * pulls[i * classes + l];
        double edge = 0;
        for (const double one : gap) edge += std::fabs(one);
        if (edge <= best + 1e-12) continue;
        best = edge;
        vote.clear();
        signs.clear();
        for (const double value : x) vote.push_back(value > x[cut] ? 1 : -1);
        for (const double one : gap) signs.push_back(one < 0 ? -1 : 1);
      }
    }
    edges.push_back(best / sum);
    const double alpha = std::atanh(edges.back());
    sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i)
      for (std::size_t l = 0; l < classes; ++l) {
        double& pull = pulls[i * classes + l];
        pull *= std::exp((pull < 0 ? 1 : -1) * alpha * signs[l] * vote[i]);
        sum += std::fabs(pull);
      }
  }
  return edges;
}

TEST(LabelWeights, AdaBoostMhIsItsNaiveTwinWithAnyWeights) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Dataset data = data_of(seed % 2 == 1, {50 + 5 * seed, 2 + seed % 3, 3, false, 0.3}, seed);
    Random random(seed, 5);
    for (std::size_t i = 0; i < data.rows; ++i) {
      data.weights.push_back(0.2 + random.uniform());
      for (std::size_t l = 0; l < data.labels.classes.size(); ++l)
        data.labels.weights.push_back(
            random.below(4) == 0 ? 0 : static_cast<float>(0.1 + 3 * random.uniform()));
    }
    const std::vector<double> expected = naive_edges(data, 8);
    const Model model = train(data, every_cut("adaboost-mh", "hamming-stump", 8));
    const std::vector<double> edge = column(model, "edge");
    const std::vector<double> log_risk = column(model, "log_risk");
    ASSERT_EQ(edge.size(), expected.size()) << seed;
    EXPECT_NEAR(log_risk[0], 0, 1e-6);
    for (std::size_t t = 0; t < edge.size(); ++t) EXPECT_NEAR(edge[t], expected[t], 2e-5) << t;
  }
}

// Each label is the AdaBoost of the rows that know of it.
TEST(LabelWeights, OneVsAllIsBinaryAdaBoostOfTheRowsThatKnow) {
  constexpr int kRounds = 12;
  Dataset data = multi_label_data({250, 4, 3, false, 0.15}, 4);
  forget_labels(data, 0.3, 4);
  Random random(4);
  for (float& weight : data.labels.weights) weight *= static_cast<float>(0.5 + random.uniform());
  const Matrix scores = train(data, every_cut("one-vs-all", "stump", kRounds)).predict_scores(data);
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<std::uint32_t> known;
    for (std::uint32_t i = 0; i < data.rows; ++i)
      if (data.labels.row_weights(i)[k] > 0) known.push_back(i);
    Dataset alone = select_rows(data, known);
    alone.labels = {{"it", "rest"}, {}, {}, {"class"}};
    for (const std::uint32_t i : known) {
      alone.labels.codes.push_back(label_holds(data.labels, i, k) ? 0 : 1);
      alone.weights.push_back(static_cast<double>(data.labels.row_weights(i)[k]));
    }
    testing::NaiveBinaryBoosting twin(alone, testing::binary_weight("exponential"),
                                      testing::StumpKind::kVote);
    for (int t = 0; t < kRounds; ++t) twin.round();
    for (std::size_t j = 0; j < known.size(); ++j)
      ASSERT_NEAR(static_cast<double>(scores.row(known[j])[k]), twin.scores()[j], 1e-3)
          << k << " " << j;
  }
}

struct Way {
  const char* algorithm;
  const char* learner;
  const char* leaf_values;
};

const std::vector<Way> kWays = {{"adaboost-mh", "hamming-stump", "auto"},
                                {"adaboost-mh", "hamming-tree", "auto"},
                                {"adaboost-mh", "hamming-product", "auto"},
                                {"adaboost-mh", "tree", "auto"},
                                {"adaboost-mh", "hamming-tree", "confidence"},
                                {"adaboost-mr", "hamming-tree", "auto"},
                                {"one-vs-all", "tree", "auto"},
                                {"one-vs-all", "stump", "confidence"},
                                {"one-vs-all", "tree", "scalar"}};

Parameters parameters_of(const Way& way, int rounds) {
  Parameters result = every_cut(way.algorithm, way.learner, rounds);
  result.leaf_values = way.leaf_values;
  return result;
}

TEST(UnknownLabels, CountForNothing) {
  Dataset data = multi_label_data({200, 4, 3, true, 0.2}, 6);
  forget_labels(data, 0.3, 6);
  for (const Way& way : kWays) {
    Parameters wanted = parameters_of(way, 10);
    const Model model = train(data, wanted);
    wanted.threads = 4;
    EXPECT_TRUE(serialize(ensemble_of(model)) ==
                serialize(ensemble_of(train(flip_unknown(data), wanted))))
        << way.algorithm << " " << way.learner << " " << way.leaf_values;
    EXPECT_NEAR(column(model, "train_error").back(), wrong_share(model, data), 1e-9);
  }
}

TEST(UnknownLabels, ARowOfNothingElseIsLeftOut) {
  Dataset data = multi_label_data({120, 3, 3, true, 0.2}, 7);
  forget_labels(data, 0.2, 7);
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < data.rows; ++i) {
    if (i % 5 == 0)
      std::fill_n(data.labels.weights.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, 0.0F);
    const float* said = data.labels.row_weights(i);
    if (std::any_of(said, said + 3, [](float w) { return w > 0; })) others.push_back(i);
  }
  for (const Way& way : kWays)
    EXPECT_TRUE(ensemble_of(train(data, parameters_of(way, 6))) ==
                ensemble_of(train(select_rows(data, others), parameters_of(way, 6))))
        << way.algorithm << " " << way.learner;
}

TEST(UnknownLabels, ThirtyPercentCostLittle) {
  const Dataset whole = multi_label_data({1500, 4, 3, true, 0.02}, 8);
  const Dataset test = multi_label_data({1000, 4, 3, true, 0.02}, 9);
  Dataset part = whole;
  forget_labels(part, 0.3, 8);
  // What one would do without them: take "unknown" for "no".
  Dataset taken_for_no = part;
  Labels& labels = taken_for_no.labels;
  labels.codes.clear();
  labels.offsets = {0};
  for (std::size_t i = 0; i < part.rows; ++i) {
    for (std::size_t l = 0; l < 4; ++l)
      if (part.labels.row_weights(i)[l] > 0 && label_holds(part.labels, i, l))
        labels.codes.push_back(static_cast<std::int32_t>(l));
    labels.offsets.push_back(labels.codes.size());
  }
  labels.weights.clear();
  for (const Way& way : {kWays[0], kWays[1], kWays[4], kWays[6]}) {
    const Parameters wanted = parameters_of(way, 30);
    const double loss = wrong_share(train(part, wanted), test);
    EXPECT_LT(loss, wrong_share(train(whole, wanted), test) + 0.02) << way.algorithm << way.learner;
    EXPECT_LT(loss, wrong_share(train(taken_for_no, wanted), test) - 0.015)
        << way.algorithm << way.learner;
  }
}

TEST(UnknownLabels, AreInNoFigure) {
  Dataset train_data = multi_label_data({300, 4, 3, true, 0.1}, 10);
  forget_labels(train_data, 0.3, 10);
  Dataset valid = multi_label_data({200, 4, 3, true, 0.1}, 11);
  forget_labels(valid, 0.4, 11);
  for (std::size_t i = 0; i < valid.rows; ++i)
    valid.weights.push_back(1 + static_cast<double>(i % 2));
  TrainOptions options;
  options.valid = &valid;
  const Model model = train(train_data, every_cut("adaboost-mh", "hamming-tree", 10), options);
  const Evaluation judged = tally_model(model, valid, {}, kTallyAll);
  const Evaluation flipped = tally_model(model, flip_unknown(valid), {}, kTallyAll);
  for (const Metric& metric : all_metrics(true))
    EXPECT_DOUBLE_EQ(metric.value(judged), metric.value(flipped)) << metric.name();
  EXPECT_NEAR(column(model, "valid_error").back(), find_metric("error", true).value(judged), 1e-9);
  const Matrix scores = model.predict_scores(valid);
  double wrong = 0;
  double known = 0;
  std::size_t unknown = 0;
  std::vector<double> label_wrong(4);
  std::vector<double> label_known(4);
  for (std::size_t i = 0; i < valid.rows; ++i)
    for (std::size_t l = 0; l < 4; ++l) {
      if (valid.labels.row_weights(i)[l] == 0) {
        ++unknown;
        continue;
      }
      const bool error = label_holds(valid.labels, i, l) != (scores.row(i)[l] > 0);
      known += valid.weights[i];
      label_known[l] += valid.weights[i];
      wrong += error ? valid.weights[i] : 0;
      label_wrong[l] += error ? valid.weights[i] : 0;
    }
  EXPECT_DOUBLE_EQ(judged.counts.pair_error(), wrong / known);
  for (std::size_t l = 0; l < 4; ++l)
    EXPECT_DOUBLE_EQ(judged.counts.pair_error(l), label_wrong[l] / label_known[l]);
  EXPECT_EQ(judged.unknown_pairs, unknown);
}

TEST(LabelWeights, WeighTheFiguresOfSets) {
  Dataset data = multi_label_data({200, 3, 3, true, 0.2}, 12);
  data.labels.weights.assign(600, 1);
  for (std::size_t at = 0; at < 600; at += 2) data.labels.weights[at] = 3;
  const Model model = train(data, every_cut("adaboost-mh", "hamming-stump", 6));
  const Matrix scores = model.predict_scores(data);
  double wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < 3; ++l)
      if (label_holds(data.labels, i, l) != (scores.row(i)[l] > 0))
        wrong += static_cast<double>(data.labels.row_weights(i)[l]);
  EXPECT_NEAR(column(model, "train_error").back(), wrong / (300 * 4), 1e-9);
  EXPECT_NEAR(tally_model(model, data).counts.pair_error(), wrong / (300 * 4), 1e-9);
}

TEST(UnknownLabels, AClassThatNoRowKnowsOfIsLeftAlone) {
  Dataset data = multi_label_data({100, 3, 3, true, 0.2}, 13);
  data.labels.weights.assign(300, 1);
  for (std::size_t at = 1; at < 300; at += 3) data.labels.weights[at] = 0;
  const Model model = train(data, every_cut("one-vs-all", "stump", 4));
  for (const TreeSpan& tree : model.forest().trees) EXPECT_NE(tree.output, 1U);
  EXPECT_NE(
      model.log().stop_reason.find("class k1 ended after 0 rounds: no row says whether it holds"),
      std::string::npos);
  for (const Way& way : kWays) {
    const Model other = train(data, parameters_of(way, 4));
    for (const double value : other.log().values) EXPECT_TRUE(std::isfinite(value));
    for (const float value : other.predict_scores(data).values) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(UnknownLabels, AModelCanBeGoneOnFrom) {
  Dataset data = multi_label_data({150, 4, 3, true, 0.1}, 15);
  forget_labels(data, 0.3, 15);
  // A label that a feature tells, where it is known: its AdaBoost ends early.
  std::vector<double> easy;
  for (std::size_t i = 0; i < data.rows; ++i)
    easy.push_back(data.labels.row_weights(i)[2] == 0 || label_holds(data.labels, i, 2) ? 1 : 0);
  data.columns.push_back(Column::numeric("easy", easy));
  for (const Way& way : kWays) {
    const Model part = train(data, parameters_of(way, 4));
    TrainOptions options;
    options.init = &part;
    const Model whole = train(data, parameters_of(way, 9));
    const Model resumed = train(data, parameters_of(way, 9), options);
    EXPECT_TRUE(whole.forest() == resumed.forest()) << way.algorithm << " " << way.learner;
  }
}

TEST(LabelWeights, AlgorithmsWithoutAPlaceForThemSaySo) {
  Dataset one = labelled_data({.rows = 50}, 14);
  one.labels.weights.assign(150, 1);
  Dataset sets = multi_label_data({.rows = 50}, 14);
  sets.labels.weights.assign(150, 2);
  const auto say = [](const Dataset& data, const char* algorithm) {
    Parameters parameters;
    parameters.algorithm = algorithm;
    return message_of([&] { train(data, parameters); });
  };
  for (const char* algorithm : {"newton", "samme", "adaboost-mr", "grploss", "auto"})
    EXPECT_NE(say(one, algorithm).find("no place for weights of labels; use adaboost-mh"),
              std::string::npos)
        << algorithm;
  EXPECT_NE(say(sets, "adaboost-mr").find("no place for weights"), std::string::npos);
  EXPECT_EQ(say(sets, "one-vs-all"), "");
  EXPECT_EQ(say(one, "one-vs-all"), "");
}

}  // namespace
}  // namespace simplexboost
