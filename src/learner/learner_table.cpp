#include "learner/learner_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/image/filter_count.h"
#include "base/text/nearest_name.h"
#include "base/threads/parallel.h"
#include "cuda/training_device.h"
#include "learner/augmented_tree.h"
#include "learner/device_tree.h"
#include "learner/direct_tree.h"
#include "learner/hamming_product.h"
#include "learner/linear_learner.h"
#include "learner/output_trees.h"
#include "learner/pair_tree.h"
#include "learner/tree_learner.h"
#include "simplexboost/error.h"

namespace simplexboost {

namespace {

GrowthOptions growth_options(const LearnerRow& row, const LearnerData& data,
                             const Parameters& parameters) {
  GrowthOptions growth;
  const TreeSize size = tree_size(row, parameters);
  growth.max_depth = size.depth;
  growth.max_leaves = size.leaves;
  growth.best_first = growth.max_leaves > 0;
  growth.min_rows = parameters.min_rows;
  growth.min_weight = parameters.min_weight;
  growth.min_gain = parameters.min_gain;
  growth.categorical = parameters.categorical_splits == "subset"
                           ? CategoricalSplits::kSubset
                           : CategoricalSplits::kOneAgainstRest;
  growth.histogram_memory = parameters.histogram_memory;
  growth.node_features = static_cast<std::size_t>(parameters.node_features);
  growth.drawn_thresholds = parameters.thresholds == "drawn";
  growth.filters = filters_of_a_node(parameters);
  if (data.constraints && data.constraints->interactions)
    growth.interactions = &*data.constraints->interactions;
  growth.filter_threads = resolve_threads(parameters.threads);
  if (data.space.parted()) growth.filter_ranks = &data.space.ranks();
  return growth;
}

std::unique_ptr<WeakLearner> make_tree(const LearnerRow& row, const LearnerData& data,
                                       const Parameters& parameters) {
  const bool codewords = row.family == LearnerFamily::kCodeword;
  CriterionKind criterion = row.criterion;
  if (parameters.criterion != "auto") {
    if (row.family != LearnerFamily::kClassifier && row.family != LearnerFamily::kClassVote)
      throw ParameterError("criterion: only learners with a class in each leaf have a choice");
    criterion =
        parameters.criterion == "error" ? CriterionKind::kClass : CriterionKind::kLeastSquares;
  }
  const bool bounded = data.constraints && !data.constraints->monotone.empty();
  TreeLearnerOptions options{criterion, row.leaf_rule, parameters.l2,
                             growth_options(row, data, parameters),
                             codewords ? data.codebook : nullptr};
  if (bounded) options.growth.monotone = &data.constraints->monotone;
  if (!data.device) return std::make_unique<TreeLearner>(data.bins, data.space, options);
  if (data.device->rounds)
    return std::make_unique<DeviceTree>(data.bins, data.space, options, *data.device->rounds);
  return std::make_unique<TreeLearner>(
      data.bins, data.space, options,
      std::make_unique<DeviceSource>(*data.device->device, data.bins, data.space));
}

std::unique_ptr<WeakLearner> make_direct(const LearnerRow& row, const LearnerData& data,
                                         const Parameters& parameters) {
  if (data.space.parted())
    throw ParameterError(
        "dmcboost sorts all rows together, so it cannot train on rows that are parted among "
        "processes; train in one process, or choose another algorithm");
  if (parameters.criterion != "auto")
    throw ParameterError("criterion: trees of dmcboost are judged by its objective, leave it out");
  return std::make_unique<DirectTree>(data.bins, growth_options(row, data, parameters),
                                      data.space.threads());
}

std::unique_ptr<WeakLearner> make_output_trees(const LearnerRow& row, const LearnerData& data,
                                               const Parameters& parameters) {
  return std::make_unique<OutputTrees>(
      data.bins, data.space,
      TreeLearnerOptions{row.criterion, row.leaf_rule, parameters.l2,
                         growth_options(row, data, parameters)});
}

std::unique_ptr<WeakLearner> make_pair_tree(const LearnerRow& row, const LearnerData& data,
                                            const Parameters& parameters) {
  return std::make_unique<PairTreeLearner>(data.bins, data.space, parameters.l2,
                                           growth_options(row, data, parameters));
}

std::unique_ptr<WeakLearner> make_product(const LearnerRow& row, const LearnerData& data,
                                          const Parameters& parameters) {
  HammingProductOptions options{parameters.factors, growth_options(row, data, parameters)};
  options.growth.max_depth = 1;
  options.growth.max_leaves = 0;
  return std::make_unique<HammingProduct>(data.bins, data.space, options);
}

std::unique_ptr<WeakLearner> make_augmented(const LearnerRow& row, const LearnerData& data,
                                            const Parameters& parameters) {
  return std::make_unique<AugmentedTree>(data.bins, data.space,
                                         growth_options(row, data, parameters));
}

std::unique_ptr<WeakLearner> make_linear(const LearnerRow&, const LearnerData& data,
                                         const Parameters& parameters) {
  return std::make_unique<LinearLearner>(data,
                                         LinearOptions{parameters.linear_features, parameters.l2});
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const LearnerRow> learner_table() {
  static constexpr auto kRows = std::to_array<LearnerRow>({
      {"stump", LearnerFamily::kClassifier, CriterionKind::kLeastSquares, LeafRule::kClass, 1, 0,
       make_tree, "one cut, a class on each side (weighted Gini)"},
      {"tree", LearnerFamily::kClassifier, CriterionKind::kLeastSquares, LeafRule::kClass, 6, 0,
       make_tree, "a tree with a class in each leaf (weighted Gini)"},
      {"stump", LearnerFamily::kPick, CriterionKind::kClass, LeafRule::kClass, 1, 0, make_tree,
       "one cut, the class of the largest pull on each side"},
      {"tree", LearnerFamily::kPick, CriterionKind::kClass, LeafRule::kClass, 6, 0, make_tree,
       "a tree with the class of the largest pull in each leaf"},
      {"stump", LearnerFamily::kDirect, CriterionKind::kClass, LeafRule::kClass, 1, 0, make_direct,
       "one cut, a class on each side, by the objective itself"},
      {"tree", LearnerFamily::kDirect, CriterionKind::kClass, LeafRule::kClass, 3, 0, make_direct,
       "a tree with a class in each leaf, by the objective itself (kdd2014)"},
      {"stump", LearnerFamily::kSubset, CriterionKind::kSubset, LeafRule::kSubset, 1, 0, make_tree,
       "one cut, the classes with a positive pull on each side"},
      {"tree", LearnerFamily::kSubset, CriterionKind::kSubset, LeafRule::kSubset, 6, 0, make_tree,
       "a tree with the classes of positive pull in each leaf"},
      {"stump", LearnerFamily::kPlausibility, CriterionKind::kSubset, LeafRule::kSubset, 1, 0,
       make_tree, "one cut, the classes that are plausible on each side"},
      {"tree", LearnerFamily::kPlausibility, CriterionKind::kSubset, LeafRule::kSubset, 6, 0,
       make_tree, "a tree with the classes that are plausible in each leaf"},
      {"stump", LearnerFamily::kProportion, CriterionKind::kLeastSquares, LeafRule::kProportion, 1,
       0, make_tree, "one cut, the shares of the classes on each side (jmlr2005)"},
      {"tree", LearnerFamily::kProportion, CriterionKind::kLeastSquares, LeafRule::kProportion, 6,
       0, make_tree, "a tree with the shares of the classes in each leaf"},
      {"stump", LearnerFamily::kShare, CriterionKind::kShare, LeafRule::kShare, 1, 0, make_tree,
       "one cut, the shares of the classes on each side, by the pseudo-loss (jmlr2005)"},
      {"tree", LearnerFamily::kShare, CriterionKind::kShare, LeafRule::kShare, 6, 0, make_tree,
       "a tree with the shares of the classes in each leaf, by the pseudo-loss"},
      {"stump", LearnerFamily::kCodeword, CriterionKind::kClass, LeafRule::kClass, 1, 0, make_tree,
       "one cut, a codeword on each side"},
      {"tree", LearnerFamily::kCodeword, CriterionKind::kClass, LeafRule::kClass, 2, 0, make_tree,
       "a tree with a codeword in each leaf (jmlr2019)"},
      {"hamming-stump", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 1, 0,
       make_tree, "one cut, a vote for or against every class (icml2014, Appendix B)"},
      {"hamming-tree", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 0, 21,
       make_tree, "a tree of such cuts, grown where the edge gains most (icml2014, Figure 2)"},
      {"hamming-product", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 1, 0,
       make_product, "a product of such cuts (Kegl and Busa-Fekete 2009)"},
      {"augmented-stump", LearnerFamily::kVote, CriterionKind::kClass, LeafRule::kVote, 1, 0,
       make_augmented, "one cut of the pairs of a row and a class, by a feature or by the class"},
      {"augmented-tree", LearnerFamily::kVote, CriterionKind::kClass, LeafRule::kVote, 2, 0,
       make_augmented, "a tree of such cuts (nips2011, section 4)"},
      {"hamming-stump", LearnerFamily::kTernaryVote, CriterionKind::kVote, LeafRule::kTernary, 1, 0,
       make_tree, "one cut, a vote for or against some classes (icml2014, footnote 5)"},
      {"hamming-tree", LearnerFamily::kTernaryVote, CriterionKind::kVote, LeafRule::kTernary, 0, 21,
       make_tree, "a tree of such cuts, each with a say on some classes"},
      {"stump", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 1, 0,
       make_output_trees, "a cut for every class, -1 on one side and +1 on the other"},
      {"tree", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 0, 8, make_output_trees,
       "a tree for every class that votes for or against it"},
      {"stump", LearnerFamily::kClassVote, CriterionKind::kLeastSquares, LeafRule::kClassVote, 1, 0,
       make_tree, "one cut, a vote for one class and against the others on each side"},
      {"tree", LearnerFamily::kClassVote, CriterionKind::kLeastSquares, LeafRule::kClassVote, 6, 0,
       make_tree, "a tree with a vote for one class and against the others in each leaf"},
      {"hamming-stump", LearnerFamily::kConfidence, CriterionKind::kConfidence,
       LeafRule::kConfidence, 1, 0, make_tree, "one cut, the log-odds of every class on each side"},
      {"hamming-tree", LearnerFamily::kConfidence, CriterionKind::kConfidence,
       LeafRule::kConfidence, 0, 21, make_tree,
       "a tree with the log-odds of every class in a leaf"},
      {"stump", LearnerFamily::kConfidence, CriterionKind::kConfidence, LeafRule::kConfidence, 1, 0,
       make_output_trees, "a cut for every class, its log-odds on each side"},
      {"tree", LearnerFamily::kConfidence, CriterionKind::kConfidence, LeafRule::kConfidence, 0, 8,
       make_output_trees, "a tree for every class, its log-odds in each leaf"},
      {"stump", LearnerFamily::kReal, CriterionKind::kLeastSquares, LeafRule::kMean, 1, 0,
       make_tree, "one cut, a vector on each side (least squares)"},
      {"tree", LearnerFamily::kReal, CriterionKind::kLeastSquares, LeafRule::kMean, 6, 0, make_tree,
       "a tree with a vector in each leaf (least squares)"},
      {"linear", LearnerFamily::kReal, CriterionKind::kLeastSquares, LeafRule::kMean, 0, 0,
       make_linear, "a line in the best numeric feature, or a plane in a few (least squares)"},
      {"linear", LearnerFamily::kScalar, CriterionKind::kLeastSquares, LeafRule::kMean, 0, 0,
       make_linear, "a line in the best numeric feature, or a plane in a few (least squares)"},
      {"stump", LearnerFamily::kScalar, CriterionKind::kVote, LeafRule::kVote, 1, 0, make_tree,
       "one cut, -1 on one side and +1 on the other"},
      {"tree", LearnerFamily::kScalar, CriterionKind::kLeastSquares, LeafRule::kMean, 2, 0,
       make_tree, "a tree with a number in each leaf (least squares)"},
      {"stump", LearnerFamily::kPair, CriterionKind::kLeastSquares, LeafRule::kMean, 1, 0,
       make_pair_tree, "one cut, one class against another on each side"},
      {"tree", LearnerFamily::kPair, CriterionKind::kLeastSquares, LeafRule::kMean, 6, 0,
       make_pair_tree, "a tree with one class against another in each leaf (Sun et al. 2012)"},
  });
  return kRows;
}

std::string_view leaf_values_name(LearnerFamily family) {
  switch (family) {
    case LearnerFamily::kClassifier:
    case LearnerFamily::kPick:
    case LearnerFamily::kDirect:
    case LearnerFamily::kClassVote: return "class";
    case LearnerFamily::kPlausibility:
    case LearnerFamily::kSubset: return "subset";
    case LearnerFamily::kProportion:
    case LearnerFamily::kShare: return "proportion";
    case LearnerFamily::kCodeword: return "codeword";
    case LearnerFamily::kVote: return "vote";
    case LearnerFamily::kTernaryVote: return "ternary";
    case LearnerFamily::kConfidence: return "confidence";
    case LearnerFamily::kReal: return "vector";
    case LearnerFamily::kScalar: return "scalar";
    case LearnerFamily::kPair: return "pair";
  }
  return {};
}

const LearnerRow& find_learner(std::string_view name, std::string_view leaf_values,
                               std::span<const LearnerFamily> families) {
  std::vector<std::string_view> names;
  std::vector<std::string_view> values;
  for (const LearnerFamily family : families) {
    values.push_back(leaf_values_name(family));
    if (leaf_values != "auto" && leaf_values != values.back()) continue;
    for (const LearnerRow& row : learner_table()) {
      if (row.family != family) continue;
      if (row.name == name) return row;
      names.push_back(row.name);
    }
  }
  if (names.empty())
    throw ParameterError(
        unknown_name_message("leaf-values for this algorithm", leaf_values, values));
  throw ParameterError(unknown_name_message("learner for this algorithm", name, names));
}

bool grown_by_histograms(const LearnerRow& row) { return row.make == make_tree; }

TreeSize tree_size(const LearnerRow& row, const Parameters& parameters) {
  if (parameters.depth > 0 || parameters.leaves > 0) return {parameters.depth, parameters.leaves};
  return {row.depth, row.leaves};
}

std::unique_ptr<WeakLearner> make_learner(const LearnerRow& row, const LearnerData& data,
                                          const Parameters& parameters) {
  return row.make(row, data, parameters);
}

}  // namespace simplexboost
