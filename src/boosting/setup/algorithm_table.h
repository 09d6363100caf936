// The named algorithms: each is one row that picks an optimiser, codewords, a weak learner and a
// loss (jmlr2019 Table 5). Adding an algorithm means adding a row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "codeword/codebook.h"
#include "learner/learner_table.h"
#include "loss/loss.h"
#include "model/ensemble.h"
#include "optimizer/gradient_rows.h"
#include "optimizer/newton_rows.h"
#include "optimizer/optimizer.h"
#include "optimizer/vote_rows.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

// What an optimiser is made from, beside the problem.
struct Parts {
  const Parameters& parameters;  // resolved: no "auto" left
  LearnerFamily family;
  bool own_learner;                  // a user's: its values know no bounds
  const Codebook* codebook;          // null where the row has no codewords to choose
  std::shared_ptr<const Loss> loss;  // null where the row has no loss to choose
  const Problem& problem;
  // Who has the rows, if not this process.
  NewtonRows* newton_rows = nullptr;
  GradientRows* gradient_rows = nullptr;
  VoteRows* vote_rows = nullptr;
};

// Whether gd-mcboost tells these learners the pull of each class, else that on each output.
bool pulls_by_class(const Parts& parts);

struct AlgorithmRow {
  // Names for people, and the defaults where `composed`: there codewords and loss may be chosen.
  std::string_view name, optimiser, codewords, learner, loss, paper, summary;
  bool composed;
  bool multi_label;  // takes several labels a row
  std::span<const LearnerFamily> families;
  // What training keeps of each row, for memory_plan.h: arrays of a float for each output (0: what
  // NewtonBoosting::floats_of_row() says), and whether trees are grown from statistics of all
  // outputs, else of one at a time.
  int arrays;
  bool whole_statistics;
  // Null where trees know nothing of each other (bagging.h).
  std::unique_ptr<Optimizer> (*make_optimizer)(const Problem&, const Parts&);
  // Fills in what the user left to the algorithm.
  void (*set_defaults)(Parameters&, const Problem&);
  // Sets how the scores become probabilities.
  void (*set_link)(Ensemble&, const Parts&);
  bool label_weights = false;  // takes Labels::weights other than 0 and 1
  bool sorts_rows = false;     // so all of them must be in one process
  bool output_code = false;    // the codewords are its own, and their columns two-class problems
  // Leaves of all classes are added by a rate alone, and later rounds see what came of it: so
  // values may be bounded or rounded, and training is given more rounds than it needs.
  bool rated_steps = false;
};

std::span<const AlgorithmRow> algorithm_table();

// "auto" is newton, or adaboost-mh for several labels a row. Throws ParameterError with the nearest
// names.
const AlgorithmRow& find_algorithm(std::string_view name, bool multi_label = false);

// Twice the class scores u of a codebook, over those of a model that has it: canonical codewords
// are left out of models, whose scores f are 2 u then.
double class_score_scale(const Codebook& codebook);

// The parameters with every "auto" replaced; throws ParameterError where the row has no such
// choice.
Parameters resolve_parameters(const AlgorithmRow& row, Parameters parameters,
                              const Problem& problem);

}  // namespace simplexboost
