// Losses of one's own in training: gamma-phi pairs and objectives.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "data/data_files.h"
#include "loss/sample_pairs.h"
#include "metric/evaluation.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::labelled_data;
using testing::message_of;

const std::vector<std::string> kComposed{"newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"};

// A pair of ours under another name.
template <class Pair>
class Renamed : public Pair {
 public:
  std::string name() const override { return "mine"; }
};

// The cross entropy of the softmax of the scores: the logistic loss, by its derivatives.
class CrossEntropy : public Objective {
 public:
  explicit CrossEntropy(bool with_losses = true, float stretch = 1)
      : with_losses_(with_losses), stretch_(stretch) {}

  std::string name() const override { return "cross-entropy"; }
  void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::vector<double> p = softmax(rows, i);
      for (std::size_t k = 0; k < rows.classes; ++k) {
        const std::size_t at = i * rows.classes + k;
        const bool own = static_cast<std::size_t>(rows.labels[i]) == k;
        pulls[at] = static_cast<float>((own ? 1 : 0) - p[k]);
        if (curvature) curvature[at] = stretch_ * static_cast<float>(p[k] * (1 - p[k]));
      }
    }
  }
  bool has_losses() const override { return with_losses_; }
  void losses(const ObjectiveRows& rows, double* losses) const override {
    for (std::size_t i = 0; i < rows.rows; ++i)
      losses[i] = -std::log(softmax(rows, i)[static_cast<std::size_t>(rows.labels[i])]);
  }

 private:
  static std::vector<double> softmax(const ObjectiveRows& rows, std::size_t row) {
    const float* scores = rows.scores + row * rows.classes;
    std::vector<double> p(scores, scores + rows.classes);
    double sum = 0;
    for (double& value : p) sum += value = std::exp(value);
    for (double& value : p) value /= sum;
    return p;
  }

  bool with_losses_;
  float stretch_;
};

// Says what it was made with.
class Constant : public CrossEntropy {
 public:
  Constant(float pull, float curvature) : pull_(pull), curvature_(curvature) {}
  void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
    std::fill_n(pulls, rows.rows * rows.classes, pull_);
    if (curvature) std::fill_n(curvature, rows.rows * rows.classes, curvature_);
  }

 private:
  float pull_;
  float curvature_;
};

Parameters parameters_of(const std::string& algorithm, int rounds = 10) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = rounds;
  return parameters;
}

TrainOptions with_pair(std::shared_ptr<const GammaPhi> pair) {
  TrainOptions options;
  options.loss = std::move(pair);
  return options;
}

TrainOptions with_objective(std::shared_ptr<const Objective> objective) {
  TrainOptions options;
  options.objective = std::move(objective);
  return options;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<double>(a.values[i] - b.values[i])));
  return largest;
}

// All classes weigh the same: newton, which begins with their shares where it knows the loss,
// begins with scores of 0 then.
Dataset with_equal_classes(Dataset data) {
  std::vector<double> counts(data.labels.classes.size());
  for (const std::int32_t code : data.labels.codes) ++counts[static_cast<std::size_t>(code)];
  for (const std::int32_t code : data.labels.codes)
    data.weights.push_back(1 / counts[static_cast<std::size_t>(code)]);
  return data;
}

std::string error_of(const Parameters& parameters, const TrainOptions& options) {
  return message_of([&] { train(labelled_data({}, 1), parameters, options); });
}

// ---- gamma-phi pairs ----

class OwnPairIn : public ::testing::TestWithParam<std::string> {};

TEST_P(OwnPairIn, OfABuiltInLossTrainsTheSameModel) {
  const Dataset data = with_equal_classes(labelled_data({.rows = 200, .mixed = true}, 3));
  Parameters parameters = parameters_of(GetParam());
  const auto compare = [&](const std::string& loss, std::shared_ptr<const GammaPhi> pair) {
    parameters.loss = loss;
    const Matrix expected = train(data, parameters).predict_scores(data);
    parameters.loss = "auto";
    const Model own = train(data, parameters, with_pair(std::move(pair)));
    EXPECT_LT(largest_difference(own.predict_scores(data), expected), 0.02) << loss;
    EXPECT_EQ(own.parameters().at("loss"), "mine");
  };
  compare("logistic", std::make_shared<Renamed<LogisticPair>>());
  compare("exponential", std::make_shared<Renamed<ExponentialPair>>());
}

// A pair of one's own may be anything, so the greedy choice searches along every component; of the
// built-in convex losses it leaves out those that cannot be the best one. Both choose the same.
TEST(OwnPair, GreedyChoiceLeavesOutOnlyComponentsThatLose) {
  std::size_t rounds = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = labelled_data({.rows = 150, .classes = 7, .numbers = 5}, seed);
    Parameters parameters = parameters_of("cd-mcboost", 40);
    parameters.learner = "linear";
    const auto compare = [&](const std::string& loss, std::shared_ptr<const GammaPhi> pair) {
      parameters.loss = loss;
      const auto fast = testing::column(train(data, parameters), "coordinate");
      parameters.loss = "auto";
      const auto all =
          testing::column(train(data, parameters, with_pair(std::move(pair))), "coordinate");
      EXPECT_EQ(fast, all) << loss;
      rounds += all.size();
    };
    compare("logistic", std::make_shared<Renamed<LogisticPair>>());
    compare("exponential", std::make_shared<Renamed<ExponentialPair>>());
  }
  EXPECT_GT(rounds, 200U);
}

TEST_P(OwnPairIn, LowersItsRiskEveryRoundAndLearns) {
  const Dataset data = labelled_data({.rows = 300}, 4);
  const Model model =
      train(data, parameters_of(GetParam(), 30), with_pair(std::make_shared<SoftPlusPair>()));
  if (GetParam() != "newton") {
    const std::vector<double> risks = testing::column(model, "log_risk");
    for (std::size_t t = 1; t < risks.size(); ++t) EXPECT_LE(risks[t], risks[t - 1] + 1e-6);
  }
  EXPECT_LT(testing::column(model, "train_error").back(), 0.3);
}

TEST_P(OwnPairIn, ModelFileHasClassesAndMarginsAndTakesThePairForProbabilities) {
  const Dataset data = labelled_data({.rows = 100, .classes = 4}, 5);
  const SoftPlusPair pair;
  const Model made =
      train(data, parameters_of(GetParam()), with_pair(std::make_shared<SoftPlusPair>()));
  const DataFolder folder;
  made.save(folder.path("m.sb"));
  const Model model = Model::load(folder.path("m.sb"));
  EXPECT_EQ(model.predict(data), made.predict(data));
  EXPECT_EQ(model.predict_margins(data), made.predict_margins(data));
  EXPECT_FALSE(model.has_proba());
  try {
    model.predict_proba(data);
    FAIL() << "probabilities without the pair";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'softplus'"), std::string::npos) << error.what();
  }
  const Evaluation evaluation = tally_model(model, data);
  EXPECT_TRUE(std::isnan(evaluation.log_loss.value()));

  const Matrix scores = model.predict_scores(data);
  const Matrix proba = model.predict_proba(data, pair);
  const double scale = GetParam() == "newton" ? 0.5 : 1;  // canonical codewords: u = f / 2
  for (std::size_t i = 0; i < data.rows; ++i) {
    std::vector<double> u(scores.row(i), scores.row(i) + scores.columns);
    for (double& value : u) value *= scale;
    const std::vector<double> expected = posterior(pair, u);
    for (std::size_t k = 0; k < u.size(); ++k) EXPECT_NEAR(proba.row(i)[k], expected[k], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, OwnPairIn, ::testing::ValuesIn(kComposed),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(OwnPair, SameModelForAnyNumberOfThreads) {
  const Dataset data = labelled_data({.rows = 3000, .classes = 5}, 6);
  for (const std::string& algorithm : kComposed) {
    Parameters parameters = parameters_of(algorithm, 3);
    parameters.threads = 1;
    const TrainOptions options = with_pair(std::make_shared<SoftPlusPair>());
    const Model one = train(data, parameters, options);
    parameters.threads = 3;
    EXPECT_EQ(ensemble_of(train(data, parameters, options)), ensemble_of(one)) << algorithm;
  }
}

TEST(OwnPair, StopsEarlyByItsRisk) {
  const Dataset data = labelled_data({.rows = 200, .noise = 0.5}, 7);
  Dataset valid = labelled_data({.rows = 200, .noise = 0.5}, 8);
  valid.labels.codes[0] = -1;  // a class that training did not see
  Parameters parameters = parameters_of("gd-mcboost", 500);
  parameters.early_stopping = 10;
  TrainOptions options = with_pair(std::make_shared<SoftPlusPair>());
  options.valid = &valid;
  const Model model = train(data, parameters, options);
  EXPECT_LT(model.rounds(), 400U);
  const std::vector<double> risks = testing::column(model, "valid_risk");
  ASSERT_FALSE(risks.empty());
  EXPECT_EQ(std::min_element(risks.begin(), risks.end()) - risks.begin() + 1,
            static_cast<std::ptrdiff_t>(model.rounds()));
  EXPECT_THROW(testing::column(model, "valid_log_loss"), std::out_of_range);
}

// ---- objectives ----

TEST(OwnObjective, OfTheLogisticLossTrainsGradientAndCoordinateModelsAlike) {
  const Dataset data = labelled_data({.rows = 300, .mixed = true}, 9);
  for (const std::string algorithm : {"gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"}) {
    Parameters parameters = parameters_of(algorithm);
    parameters.codewords = "canonical";
    parameters.loss = "logistic";
    const Matrix expected = train(data, parameters).predict_scores(data);
    parameters.loss = "auto";
    const Model own = train(data, parameters, with_objective(std::make_shared<CrossEntropy>()));
    EXPECT_LT(largest_difference(own.predict_scores(data), expected), 0.02) << algorithm;
    EXPECT_EQ(own.parameters().at("loss"), "cross-entropy");
    EXPECT_FALSE(own.has_proba());
  }
}

// Newton steps take the curvature as it is; ours is K / (K - 1) times the diagonal.
TEST(OwnObjective, OfTheLogisticLossTrainsNewtonModelsAlike) {
  const Dataset data = with_equal_classes(labelled_data({.rows = 300, .mixed = true}, 10));
  for (const std::string codewords : {"canonical", "simplex"}) {
    Parameters parameters = parameters_of("newton");
    parameters.codewords = codewords;
    parameters.l2 = 0;  // the factor would count against it in the gains of cuts
    parameters.leaves = 8;
    const Matrix expected = train(data, parameters).predict_scores(data);
    const float scale = codewords == "simplex" ? 2 : 1;  // cross entropy of softmax(2 u)
    class Doubled : public CrossEntropy {
     public:
      Doubled(float scale) : CrossEntropy(true, 1.5F), scale_(scale) {}
      void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
        std::vector<float> scores(rows.scores, rows.scores + rows.rows * rows.classes);
        for (float& score : scores) score *= scale_;
        ObjectiveRows scaled = rows;
        scaled.scores = scores.data();
        CrossEntropy::pulls(scaled, pulls, curvature);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          pulls[i] *= scale_;
          if (curvature) curvature[i] *= scale_ * scale_;
        }
      }
      bool has_losses() const override { return false; }

     private:
      float scale_;
    };
    const Model own = train(data, parameters, with_objective(std::make_shared<Doubled>(scale)));
    EXPECT_LT(largest_difference(own.predict_scores(data), expected), 0.02) << codewords;
  }
}

TEST(OwnObjective, WithoutLossesTrainsAllButTheGreedyOne) {
  const auto objective = std::make_shared<CrossEntropy>(false);
  for (const std::string& algorithm : kComposed) {
    const std::string error = error_of(parameters_of(algorithm, 3), with_objective(objective));
    if (algorithm == "cd-mcboost")
      EXPECT_NE(error.find("cd-mcboost-cyclic"), std::string::npos) << error;
    else
      EXPECT_EQ(error, "") << algorithm;
  }
}

TEST(OwnObjective, NumbersThatMakeNoSenseEndTrainingWithTheirPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto say = [](float pull, float curvature) {
    return error_of(parameters_of("newton"),
                    with_objective(std::make_shared<Constant>(pull, curvature)));
  };
  EXPECT_EQ(say(nan, 1), "objective 'cross-entropy': the pull of row 0 on class 0 is nan");
  EXPECT_EQ(say(1, -1),
            "objective 'cross-entropy': the curvature of row 0 in class 0 is -1; it must be finite "
            "and not negative");
  EXPECT_EQ(say(0, 0), "") << "nothing to gain: training ends, and there is a model";
}

// ---- what cannot be ----

TEST(OwnLoss, IsRefusedWithAReason) {
  const auto pair = std::make_shared<SoftPlusPair>();
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  TrainOptions both = with_pair(pair);
  both.objective = std::make_shared<CrossEntropy>();
  has(error_of(parameters_of("newton"), both), "not both");
  has(error_of(parameters_of("samme"), with_pair(pair)), "gd-mcboost");
  has(error_of(parameters_of("newton"), with_pair(std::make_shared<LogisticPair>())), "built-in");
  Parameters parameters = parameters_of("newton");
  parameters.loss = "logistic";
  has(error_of(parameters, with_pair(pair)), "must be 'auto'");
  parameters.loss = "auto";
  parameters.early_stopping_metric = "log-loss";
  has(error_of(parameters, with_pair(pair)), "use 'risk'");
  parameters = parameters_of("samme");
  parameters.early_stopping_metric = "risk";
  has(error_of(parameters, {}), "no loss of margins");
}

}  // namespace
}  // namespace simplexboost
