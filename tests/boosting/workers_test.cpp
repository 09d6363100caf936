#include "boosting/workers.h"

#include <gtest/gtest.h>

#include <set>

#include "base/fake_cluster.h"
#include "boosting/labelled_data.h"
#include "boosting/trainer.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::labelled_data;

// A target for each class, which wants it for its rows; or, where they are alike, the first one for
// each.
class ClassByClass : public Optimizer, public SeveralTargets, public TargetGroups {
 public:
  ClassByClass(const Problem& problem, bool at_once, std::size_t group = 0, bool alike = false)
      : problem_(problem), at_once_(at_once), group_(group), pulls_(problem.classes) {
    for (std::size_t k = 0; k < problem.classes; ++k)
      for (const std::int32_t code : problem.labels.codes)
        pulls_[k].push_back(code == static_cast<std::int32_t>(alike ? 0 : k) ? 1.0F : -1.0F);
  }

  RoundTarget target(const float* /*scores*/) override { return target_at(0); }
  SeveralTargets* several() override { return this; }
  std::size_t targets() const override { return pulls_.size(); }
  RoundTarget target_at(std::size_t index) override {
    asked.push_back(index);
    RoundTarget target{{problem_.rows(), 1, pulls_[index].data(), nullptr, nullptr}};
    target.to.output = index;
    target.to.minus_output = 7;
    return target;
  }
  bool at_once() const override { return at_once_; }
  TargetGroups* groups() override { return group_ > 0 ? this : nullptr; }
  std::size_t group() const override { return group_; }
  Step step(const RowVectors& /*hypothesis*/) override { return {}; }
  void resume(const Past& /*past*/) override {}
  std::vector<RoundMetric> metrics() const override { return {}; }

  std::vector<std::size_t> asked = {};

 private:
  const Problem& problem_;
  bool at_once_;
  std::size_t group_;
  std::vector<std::vector<float>> pulls_;
};

struct WorkersProblem {
  Dataset data = labelled_data({RowSpace::kShareRows, 10, 6}, 1);
  Composition chosen;
  BinnedDataset bins;

  static Parameters parameters(int threads) {
    Parameters result;
    result.algorithm = "logitboost";
    result.threads = threads;
    result.depth = 2;
    result.feature_fraction = 0.5;
    return result;
  }
  explicit WorkersProblem(int threads, Communicator& ranks = no_others())
      : chosen(compose(data, parameters(threads), {}, ranks)),
        bins(bin_rows(data, chosen, TrainOptions{}, nullptr)) {}

  LearnerData learner_data() const { return {data, bins, nullptr, chosen.problem.space}; }
};

struct Fitted {
  std::vector<std::size_t> outputs;
  std::vector<std::vector<float>> values;  // on all rows
  std::set<const Worker*> workers;
};

Fitted fit_all(const WorkersProblem& problem, ClassByClass& optimizer, std::size_t begin,
               std::size_t end, std::size_t round = 0) {
  Workers workers(problem.chosen, problem.learner_data(), {}, optimizer);
  optimizer.asked.clear();
  Fitted fitted;
  workers.each_fit(begin, end, round, [&](const RowVectors& hypothesis, Worker& worker) {
    fitted.outputs.push_back(hypothesis.output);
    fitted.workers.insert(&worker);
    std::vector<float>& values = fitted.values.emplace_back();
    for (std::size_t i = 0; i < problem.data.rows; ++i) values.push_back(*hypothesis.of(i));
    EXPECT_EQ(hypothesis.minus_output, 7U);
  });
  return fitted;
}

const std::vector<std::size_t> kAll{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Workers, FitEveryTargetInItsOrder) {
  for (const bool at_once : {false, true}) {
    const WorkersProblem problem(2);
    ClassByClass optimizer(problem.chosen.problem, at_once);
    const Fitted fitted = fit_all(problem, optimizer, 0, 10);
    EXPECT_EQ(fitted.outputs, kAll);
    EXPECT_EQ(optimizer.asked, kAll);
    const Fitted some = fit_all(problem, optimizer, 3, 5);
    EXPECT_EQ(some.outputs, (std::vector<std::size_t>{3, 4}));
    EXPECT_EQ(some.values[0], fitted.values[3]);
  }
}

TEST(Workers, SideBySideTheyFitWhatOneFits) {
  const WorkersProblem one(1);
  ClassByClass alone(one.chosen.problem, true);
  const Fitted expected = fit_all(one, alone, 0, 10, 3);
  EXPECT_EQ(expected.workers.size(), 1U);
  const WorkersProblem several(2);
  ClassByClass together(several.chosen.problem, true);
  const Fitted fitted = fit_all(several, together, 0, 10, 3);
  EXPECT_EQ(fitted.workers.size(), 8U) << "four for a thread";
  EXPECT_EQ(fitted.values, expected.values);
}

TEST(Workers, ThereIsOneWhereTargetsComeOneByOne) {
  const WorkersProblem problem(2);
  ClassByClass in_turn(problem.chosen.problem, false);
  EXPECT_EQ(fit_all(problem, in_turn, 0, 10).workers.size(), 1U);
  // And where more threads than targets would be idle.
  const WorkersProblem many(12);
  ClassByClass optimizer(many.chosen.problem, true);
  EXPECT_EQ(fit_all(many, optimizer, 0, 10).workers.size(), 1U);
}

TEST(Workers, ThereIsOneWhereRowsAreParted) {
  FakeCluster(2).run([](Communicator& ranks) {
    WorkersProblem problem(2, ranks);
    ClassByClass optimizer(problem.chosen.problem, true);
    Workers workers(problem.chosen, problem.learner_data(), {}, optimizer);
    std::set<const Worker*> seen;
    workers.each_fit(0, 10, 0, [&](const RowVectors&, Worker& worker) { seen.insert(&worker); });
    EXPECT_EQ(seen.size(), 1U);
  });
}

TEST(Workers, GroupsSeeTheSameFeatures) {
  const WorkersProblem problem(1);
  const auto values = [&](std::size_t group) {
    ClassByClass optimizer(problem.chosen.problem, true, group, true);
    return fit_all(problem, optimizer, 0, 10).values;
  };
  const std::vector<std::vector<float>> alone = values(0);
  const std::vector<std::vector<float>> pairs = values(2);
  for (std::size_t target = 0; target < 10; ++target)
    EXPECT_EQ(pairs[target], alone[target % 2]) << target;
  EXPECT_GT(std::set(alone.begin(), alone.end()).size(), 2U);
}

TEST(Workers, RoundsDrawOtherFeatures) {
  const WorkersProblem problem(1);
  ClassByClass optimizer(problem.chosen.problem, true);
  const Fitted first = fit_all(problem, optimizer, 0, 10, 0);
  EXPECT_EQ(fit_all(problem, optimizer, 0, 10, 0).values, first.values);
  EXPECT_NE(fit_all(problem, optimizer, 0, 10, 1).values, first.values);
}

}  // namespace
}  // namespace simplexboost
