// Trees do not depend on where their histograms come from, nor on how rows are parted among ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/fake_peers.h"
#include "tree/grower.h"
#include "tree/histogram/gathered_source.h"
#include "tree/histogram/whole_source.h"
#include "tree/parted_problem.h"
#include "tree/random_problem.h"
#include "tree/tree_text.h"

namespace simplexboost {
namespace {

using testing::large_problem;
using testing::on_clusters;
using testing::RandomCodewords;
using testing::RandomProblem;
using testing::share_of;
using testing::text_of;
using testing::text_of_nodes;

constexpr CriterionKind kKinds[] = {CriterionKind::kLeastSquares, CriterionKind::kVote,
                                    CriterionKind::kClass,        CriterionKind::kSubset,
                                    CriterionKind::kCodeword,     CriterionKind::kConfidence,
                                    CriterionKind::kShare};

// Ways to grow that differ in what is cut together, kept and left out.
std::vector<GrowthOptions> ways_to_grow() {
  std::vector<GrowthOptions> ways(4);
  ways[0].best_first = true;
  ways[0].max_leaves = 25;
  ways[1].max_depth = 6;
  ways[1].min_rows = 20;
  ways[1].min_weight = 3;
  ways[2].max_depth = 7;
  ways[2].max_leaves = 40;
  ways[2].histogram_memory = 0.4;
  ways[2].categorical = CategoricalSplits::kOneAgainstRest;
  ways[3].best_first = true;
  ways[3].max_leaves = 12;
  ways[3].min_gain = 0.5;
  return ways;
}

CriterionSpec criterion_of(const RowStats& stats, CriterionKind kind,
                           const RandomCodewords& codewords) {
  CriterionSpec criterion = stats.criterion(kind, 0.5);
  codewords.give_to(criterion);
  return criterion;
}

RandomCodewords some_codewords(const RandomProblem& problem) {
  Random random(4);
  return RandomCodewords(problem.width, 9, random);
}

TEST(PartedGrowth, WholeHistogramsGiveTheTreesOfFusedOnes) {
  for (const int max_bins : {32, 700}) {
    const RandomProblem problem = large_problem(3000, max_bins);
    const RandomCodewords codewords = some_codewords(problem);
    const BinnedDataset data = problem.binned();
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < 3000; row += 1 + row % 3) rows.push_back(row);
    const std::vector<std::uint32_t> features = {0, 1, 4, 9, 10, 20, 36};
    for (const CriterionKind kind : kKinds) {
      const RowStats stats = stats_for(problem, kind);
      const CriterionSpec criterion = criterion_of(stats, kind, codewords);
      for (const GrowthOptions& options : ways_to_grow())
        for (const int threads : {1, 3})
          for (const Sample& sample : {Sample{}, Sample{rows, features, true}}) {
            const RowSpace space(data.rows(), threads);
            TreeGrower fused(data, space, options);
            TreeGrower whole(data, options, std::make_unique<WholeSource>(data, space));
            const std::string expected = text_of(fused.grow(stats, criterion, sample));
            EXPECT_EQ(text_of(whole.grow(stats, criterion, sample)), expected);
            // A second tree in the same buffers.
            EXPECT_EQ(text_of(whole.grow(stats, criterion, sample)), expected);
          }
    }
  }
}

// A tree as all ranks see it, and the leaves of all rows.
struct PartedTree {
  std::string nodes;
  std::vector<std::uint32_t> leaves;
};

enum class SourceKind { kChosen, kWhole, kGathered };

TreeGrower make_grower(const BinnedDataset& data, const RowSpace& space,
                       const GrowthOptions& options, SourceKind kind) {
  if (kind == SourceKind::kWhole)
    return {data, options, std::make_unique<WholeSource>(data, space)};
  if (kind == SourceKind::kGathered)
    return {data, options, std::make_unique<GatheredSource>(data, space)};
  return {data, space, options};
}

PartedTree grow(const RandomProblem& problem, const RowSpace& space, const GrowthOptions& options,
                CriterionKind kind, const RandomCodewords& codewords, const Sample& sample,
                SourceKind source = SourceKind::kChosen) {
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_for(problem, kind, space);
  TreeGrower grower = make_grower(data, space, options, source);
  // The second tree in the same buffers is the one that is looked at.
  grower.grow(stats, criterion_of(stats, kind, codewords), sample);
  const GrownTree& tree = grower.grow(stats, criterion_of(stats, kind, codewords), sample);
  PartedTree grown{text_of_nodes(tree), std::vector<std::uint32_t>(data.rows())};
  std::vector<std::int32_t> leaf_of_node(tree.nodes.size());
  std::iota(leaf_of_node.begin(), leaf_of_node.end(), 0);
  grower.assign_leaves(leaf_of_node, grown.leaves.data());
  grown.leaves = gather_values<std::uint32_t>(space.ranks(), grown.leaves);
  return grown;
}

void expect_same_trees(const RandomProblem& problem, const Sample& sample) {
  const RandomCodewords codewords = some_codewords(problem);
  for (const CriterionKind kind : kKinds) {
    for (const GrowthOptions& options : ways_to_grow()) {
      const PartedTree alone =
          grow(problem, {problem.data.rows, 1}, options, kind, codewords, sample);
      on_clusters(problem.data.rows, [&](const RowSpace& space) {
        const std::vector<std::uint32_t> rows = share_of(sample.rows, space);
        const Sample share{rows, sample.features, sample.rows_drawn};
        for (const SourceKind source : {SourceKind::kWhole, SourceKind::kGathered}) {
          const PartedTree parted =
              grow(share_of(problem, space), space, options, kind, codewords, share, source);
          EXPECT_EQ(parted.nodes, alone.nodes);
          EXPECT_EQ(parted.leaves, alone.leaves);
        }
      });
    }
  }
}

TEST(PartedGrowth, TreesDoNotDependOnHowRowsAreParted) {
  for (const std::size_t rows : {500U, 4100U}) expect_same_trees(large_problem(rows, 64), {});
}

TEST(PartedGrowth, NorDoThoseOfSamplesWhichSomeRanksHaveNothingOf) {
  const RandomProblem problem = large_problem(4100, 64);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 1100; row < 3600; row += 1 + row % 2) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 3, 5, 11, 20};
  expect_same_trees(problem, {rows, features, true});
  expect_same_trees(problem, {std::span(rows).first(3), {}, true});
}

TEST(PartedGrowth, CutsForEachPullDoNotDependOnHowRowsAreParted) {
  const RandomProblem problem = large_problem(4100, 64);
  const auto cuts_text = [](const RandomProblem& share, const RowSpace& space, SourceKind source) {
    const BinnedDataset data = share.binned();
    TreeGrower grower = make_grower(data, space, GrowthOptions{}, source);
    std::string text;
    for (const ChannelCut& cut : grower.best_cuts(stats_of(share, space))) {
      text += std::to_string(cut.split.feature) + " " + std::to_string(cut.split.bin) + " " +
              std::to_string(cut.split.score) + (cut.split.missing_left ? " missing left" : "") +
              (cut.split.constant ? " constant" : "") + (cut.right_up ? " up" : "");
      for (const std::uint32_t word : cut.split.left_set) text += " " + std::to_string(word);
      text += "\n";
    }
    return text;
  };
  const std::string alone = cuts_text(problem, {4100, 1}, SourceKind::kChosen);
  on_clusters(4100, [&](const RowSpace& space) {
    for (const SourceKind source : {SourceKind::kWhole, SourceKind::kGathered})
      EXPECT_EQ(cuts_text(share_of(problem, space), space, source), alone);
  });
}

// The other one is what is left of their parent's, which is kept though there are more bins than
// rows. Level by level no node is cut in vain.
TEST(PartedGrowth, OfTwoChildrenOneHistogramIsSent) {
  const RandomProblem problem = large_problem(4100, 700);
  const RandomCodewords codewords = some_codewords(problem);
  GrowthOptions options;
  options.max_depth = 6;
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::size_t> most = 0;
  testing::FakePeers(2).run([&](PeerCommunicator& ranks) {
    const RowSpace space(ranks.rank() == 0 ? 2048 : 2052, 1, ranks);
    const RandomProblem share = share_of(problem, space);
    const BinnedDataset data = share.binned();
    const RowStats stats = stats_for(share, CriterionKind::kLeastSquares, space);
    TreeGrower grower = make_grower(data, space, options, SourceKind::kWhole);
    const std::uint64_t before = ranks.traffic().bytes;
    const GrownTree& tree =
        grower.grow(stats, criterion_of(stats, CriterionKind::kLeastSquares, codewords));
    sent += ranks.traffic().bytes - before;
    std::size_t bins = 0;
    for (const FeatureBins& feature : data.all_bins()) bins += feature.histogram_bins();
    // Children at the greatest depth are not to be split.
    const auto cuts = static_cast<std::size_t>(std::count_if(
        tree.nodes.begin(), tree.nodes.end(),
        [&](const GrownNode& node) { return !node.leaf() && node.depth + 1 < options.max_depth; }));
    EXPECT_GT(cuts, 20U);
    most = (cuts + 1) * bins * stats.channels() * sizeof(std::int32_t);
  });
  EXPECT_LT(sent, most + most / 20);  // sums of nodes and splits, too
}

// Histograms are fewer than the statistics of many rows; and some growth must see its own rows.
TEST(PartedGrowth, StatisticsOfFewRowsAreGathered) {
  const RandomProblem problem = large_problem(4100, 64);
  const BinnedDataset data = problem.binned();
  GrowthOptions options;
  options.max_leaves = 31;
  EXPECT_FALSE(gathering_pays(data, {4100, 1}, options));
  on_clusters(4100, [&](const RowSpace& space) {
    EXPECT_TRUE(gathering_pays(data, space, options));
    GrowthOptions stump = options;
    stump.max_depth = 1;
    EXPECT_FALSE(gathering_pays(data, space, stump));
    GrowthOptions own = options;
    own.stats_of_nodes = true;
    EXPECT_FALSE(gathering_pays(data, space, own));
  });
}

TEST(PartedGrowth, ARankThatFailsEndsTheGrowthOfAll) {
  const RandomProblem problem = large_problem(4100, 64);
  const std::vector<std::size_t> shares = testing::uneven_shares(4100, 3, 1);
  EXPECT_THROW(testing::FakeCluster(3).run([&](Communicator& ranks) {
    const RowSpace space(shares[static_cast<std::size_t>(ranks.rank())], 1, ranks);
    if (ranks.rank() == 2) throw std::bad_alloc();
    const RandomProblem share = share_of(problem, space);
    grow(share, space, ways_to_grow()[1], CriterionKind::kLeastSquares, some_codewords(share), {});
  }),
               std::bad_alloc);
}

}  // namespace
}  // namespace simplexboost
