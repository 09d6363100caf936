// Every weak learner but those of dmcboost fits the same hypothesis however rows are parted.
#include <gtest/gtest.h>

#include <cmath>

#include "base/message_of.h"
#include "codeword/codebook.h"
#include "learner/learner_table.h"
#include "simplexboost/error.h"
#include "tree/parted_problem.h"

namespace simplexboost {
namespace {

using testing::large_problem;
using testing::on_clusters;
using testing::RandomProblem;
using testing::share_of;

constexpr std::size_t kRows = 4100;

// As AOSO-LogitBoost has them: slopes w (r - p) and curvatures w p (1 - p) of probabilities.
void make_slopes(RandomProblem& problem) {
  Random random(11);
  const std::size_t width = problem.width;
  for (std::size_t i = 0; i < problem.data.rows; ++i) {
    double sum = 0;
    std::vector<double> p(width);
    for (double& share : p) sum += share = 0.05 + random.uniform();
    const std::size_t own = random.below(width);
    for (std::size_t k = 0; k < width; ++k) {
      const double weight = problem.weights[i];
      problem.pulls[i * width + k] = static_cast<float>(weight * ((k == own ? 1 : 0) - p[k] / sum));
      problem.curvature[i * width + k] = static_cast<float>(weight * p[k] / sum * (1 - p[k] / sum));
    }
  }
}

// The problem of a learner: with slopes, one pull, or those of classes.
RandomProblem problem_for(LearnerFamily family) {
  RandomProblem problem = large_problem(kRows, 64);
  if (family == LearnerFamily::kPair) make_slopes(problem);
  if (family == LearnerFamily::kScalar) {
    problem.width = 1;
    problem.pulls.resize(kRows);
    problem.sizes.resize(kRows);
    problem.curvature.resize(kRows);
  }
  return problem;
}

enum class Values { kSame, kKept, kFromPulls, kComputed };

// What fills leaves, without arrays of all rows: pulls like the sizes, curvatures as they are.
class ComputedTarget : public LeafTarget {
 public:
  ComputedTarget(const RandomProblem& share, float damping) : share_(share) {
    width_ = share.width;
    damping_ = damping;
  }
  bool curvature_from_pulls() const override { return false; }
  LeafNumbers numbers(std::span<const std::uint32_t> rows,
                      AlignedVector<float>& scratch) const override {
    const std::size_t size = rows.size() * width();
    scratch.resize(2 * size);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < width(); ++j) {
        scratch[i * width() + j] = share_.sizes[rows[i] * width() + j];
        scratch[size + i * width() + j] = share_.curvature[rows[i] * width() + j];
      }
    return {scratch.data(), scratch.data() + size, false};
  }

 private:
  const RandomProblem& share_;
};

// Where leaf values come from a target of their own: that of the sizes as pulls.
std::unique_ptr<LeafTarget> leaf_target(const RandomProblem& share, Values values) {
  constexpr float kDamping = 1.25F;
  constexpr float kFactor = 0.3F;  // no pull is larger than 1 / factor
  switch (values) {
    case Values::kSame: return nullptr;
    case Values::kComputed: return std::make_unique<ComputedTarget>(share, kDamping);
    default:
      return std::make_unique<KeptLeafTarget>(
          share.width, share.sizes.data(),
          values == Values::kFromPulls ? nullptr : share.curvature.data(), kDamping, kFactor);
  }
}

RoundTarget target_for(LearnerFamily family, const RandomProblem& share, const LeafTarget* leaves) {
  RoundTarget target{share.target(family == LearnerFamily::kPair)};
  if (family == LearnerFamily::kConfidence || family == LearnerFamily::kShare)
    target.curvature = share.sizes.data();
  target.leaves = leaves;
  if (leaves) target.leaf_weights = share.weights.data();
  return target;
}

struct Fitted {
  Forest forest;
  std::vector<float> values;       // of all rows
  std::vector<std::int8_t> votes;  // likewise, where the learner has fit_votes()
};

Fitted fit(const LearnerRow& row, const RandomProblem& share, const RowSpace& space,
           const Sample& sample, Values values) {
  const BinnedDataset bins = share.binned();
  const Codebook codebook = Codebook::one_vs_all(share.width);
  const LearnerData data{share.data, bins, &codebook, space};
  Parameters parameters;
  parameters.linear_features = 3;
  parameters.l2 = 0.1;
  const std::unique_ptr<WeakLearner> learner = make_learner(row, data, parameters);
  const std::unique_ptr<LeafTarget> leaves = leaf_target(share, values);
  const RoundTarget target = target_for(row.family, share, leaves.get());
  Fitted fitted;
  // The second one finds the buffers as the first one left them.
  for (int tree = 0; tree < 2; ++tree) {
    const RowVectors hypothesis = learner->fit(target, sample);
    std::vector<float> here;
    for (std::size_t i = 0; i < space.rows(); ++i)
      here.insert(here.end(), hypothesis.of(i), hypothesis.of(i) + hypothesis.width);
    fitted.values = gather_values<float>(space.ranks(), here);
    learner->append_to(fitted.forest, 0.5);
  }
  if (learner->fit_votes(target, sample, fitted.votes))
    fitted.votes = gather_values<std::int8_t>(space.ranks(), fitted.votes);
  return fitted;
}

void expect_same_fits(const LearnerRow& row, const Sample& sample, Values values) {
  SCOPED_TRACE(std::string(row.name) + ": " + std::string(row.summary));
  const RandomProblem problem = problem_for(row.family);
  const Fitted alone = fit(row, problem, {kRows, 1}, sample, values);
  on_clusters(kRows, [&](const RowSpace& space) {
    const std::vector<std::uint32_t> rows = share_of(sample.rows, space);
    const RandomProblem share = share_of(problem, space);
    const Fitted parted =
        fit(row, share, space, {rows, sample.features, sample.rows_drawn}, values);
    EXPECT_TRUE(parted.forest == alone.forest);
    EXPECT_EQ(parted.values, alone.values);
    EXPECT_EQ(parted.votes, alone.votes);
  });
}

TEST(PartedLearner, HypothesesDoNotDependOnHowRowsAreParted) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 1100; row < 3600; row += 1 + row % 2) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 3, 5, 6, 11, 20, 30};
  for (const LearnerRow& row : learner_table()) {
    if (row.family == LearnerFamily::kDirect) continue;  // they say that they want one process
    expect_same_fits(row, {}, Values::kSame);
    expect_same_fits(row, {rows, features, true}, Values::kSame);
  }
}

TEST(PartedLearner, NorDoLeafValuesOfATargetOfTheirOwn) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 1100; row < 3600; row += 1 + row % 2) rows.push_back(row);
  for (const LearnerRow& row : learner_table()) {
    if (row.family != LearnerFamily::kReal || row.name != "tree") continue;
    for (const Values values : {Values::kKept, Values::kFromPulls, Values::kComputed}) {
      expect_same_fits(row, {}, values);
      expect_same_fits(row, {rows, {}, true}, values);
    }
  }
}

TEST(PartedLearner, TreesOfDmcboostRefusePartedRows) {
  const RandomProblem problem = problem_for(LearnerFamily::kDirect);
  for (const LearnerRow& row : learner_table()) {
    if (row.family != LearnerFamily::kDirect) continue;
    on_clusters(kRows, [&](const RowSpace& space) {
      const RandomProblem share = share_of(problem, space);
      EXPECT_EQ(
          testing::message_of<ParameterError>([&] { fit(row, share, space, {}, Values::kSame); }),
          "dmcboost sorts all rows together, so it cannot train on rows that are parted among "
          "processes; train in one process, or choose another algorithm");
    });
  }
}

}  // namespace
}  // namespace simplexboost
