// The named weak learners: each a criterion, a leaf rule, a default size, and what is made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "learner/weak_learner.h"
#include "simplexboost/parameters.h"
#include "tree/kernels/kernels.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

// What a hypothesis says of a row, which is what an optimiser can use.
enum class LearnerFamily : std::uint8_t {
  kClassifier,    // one class, that of most weight: 1 there, 0 elsewhere
  kPick,          // one class, that of the largest pull: 1 there, 0 elsewhere
  kDirect,        // one class, searched for by the objective itself: 1 there, 0 elsewhere
  kSubset,        // some classes: 1 there, 0 elsewhere
  kPlausibility,  // how plausible each class is: 0 to 1, with any sum
  kProportion,    // a share of each class: 0 to 1, summing to 1
  kShare,         // the same, of the target's curvature, for the largest edge over its pulls
  kCodeword,      // the codeword of a class
  kVote,          // for (+1) or against (-1) every class, or output
  kClassVote,     // for (+1) one class, that of the largest pull, and against (-1) the others
  kTernaryVote,   // for (+1), against (-1) or without a say (0) on every class
  kConfidence,    // for or against every class, and how surely: half the log of the odds
  kReal,          // a real vector: least squares
  kScalar,        // one number, for one output
  kPair,          // one class against another: t for one, -t for the other, 0 elsewhere
};

struct LearnerRow {
  std::string_view name;
  LearnerFamily family;
  CriterionKind criterion;
  LeafRule leaf_rule;
  int depth;   // default depth, or 0
  int leaves;  // default number of leaves, or 0
  std::unique_ptr<WeakLearner> (*make)(const LearnerRow&, const LearnerData&, const Parameters&);
  std::string_view summary;
};

std::span<const LearnerRow> learner_table();

// What the leaves of a family say, as the parameter leaf-values names it.
std::string_view leaf_values_name(LearnerFamily family);

// The row of that name in the first family that has it, or in the one that `leaf_values` names;
// throws ParameterError naming those that fit.
const LearnerRow& find_learner(std::string_view name, std::string_view leaf_values,
                               std::span<const LearnerFamily> families);

// Whether its trees are TreeLearner's, which can be grown on a device.
bool grown_by_histograms(const LearnerRow& row);

// How large its trees grow: by the parameters, or as its row has it. 0: no bound.
struct TreeSize {
  int depth;
  int leaves;
};
TreeSize tree_size(const LearnerRow& row, const Parameters& parameters);

// `data` is the training set.
std::unique_ptr<WeakLearner> make_learner(const LearnerRow& row, const LearnerData& data,
                                          const Parameters& parameters);

}  // namespace simplexboost
