#include "learner/learner_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "base/parallel.h"
#include "learner/tree_learner.h"
#include "simplexboost/error.h"

namespace simplexboost {

std::span<const LearnerRow> learner_table() {
  static constexpr std::array<LearnerRow, 4> kRows{{
      {"stump", LearnerFamily::kClassifier, CriterionKind::kLeastSquares, LeafRule::kClass, 1, 0,
       "one cut, a class on each side (weighted Gini)"},
      {"tree", LearnerFamily::kClassifier, CriterionKind::kLeastSquares, LeafRule::kClass, 6, 0,
       "a tree with a class in each leaf (weighted Gini)"},
      {"hamming-stump", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 1, 0,
       "one cut, a vote for or against every class (icml2014, Appendix B)"},
      {"hamming-tree", LearnerFamily::kVote, CriterionKind::kVote, LeafRule::kVote, 0, 21,
       "a tree of such cuts, grown where the edge gains most (icml2014, Figure 2)"},
  }};
  return kRows;
}

const LearnerRow& find_learner(std::string_view name, LearnerFamily family) {
  std::vector<std::string_view> names;
  for (const LearnerRow& row : learner_table()) {
    if (row.family != family) continue;
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw ParameterError(unknown_name_message("learner for this algorithm", name, names));
}

std::unique_ptr<WeakLearner> make_learner(const LearnerRow& row, const BinnedDataset& data,
                                          const Parameters& parameters) {
  TreeLearnerOptions options;
  options.criterion = row.criterion;
  options.leaf_rule = row.leaf_rule;
  options.l2 = parameters.l2;
  GrowthOptions& growth = options.growth;
  const bool sized = parameters.depth > 0 || parameters.leaves > 0;
  growth.max_depth = sized ? parameters.depth : row.depth;
  growth.max_leaves = sized ? parameters.leaves : row.leaves;
  growth.best_first = growth.max_leaves > 0;
  growth.min_rows = parameters.min_rows;
  growth.min_weight = parameters.min_weight;
  growth.min_gain = parameters.min_gain;
  growth.histogram_memory = parameters.histogram_memory;
  growth.threads = resolve_threads(parameters.threads);
  return std::make_unique<TreeLearner>(data, options);
}

}  // namespace simplexboost
