// What a training is composed of: the parameters and a user's own parts turned into an algorithm,
// codewords, a weak learner and a loss that fit the data and each other.
#pragma once

#include <memory>
#include <optional>

#include "boosting/setup/algorithm_table.h"
#include "learner/tree_constraints.h"
#include "metric/metric_table.h"
#include "simplexboost/train.h"

namespace simplexboost {

struct Composition {
  const AlgorithmRow& algorithm;
  Problem problem;
  Parameters parameters;  // resolved: no "auto" left
  const LearnerRow& learner;
  bool own_learner;  // a user's stands in for that row
  std::optional<Codebook> chosen_codebook;
  std::shared_ptr<const Loss> loss;  // null where the algorithm has no choice
  std::optional<Metric> watched;     // on the validation data; nothing where it is the risk
  ImageShape image;                  // empty: the rows are no images
  std::shared_ptr<const TreeConstraints> constraints;  // null: none

  const Codebook* codebook() const { return chosen_codebook ? &*chosen_codebook : nullptr; }
  std::size_t outputs() const {
    return chosen_codebook ? chosen_codebook->dimension() : problem.classes;
  }
  // Refer to this composition.
  Parts parts() const {
    return {parameters, learner.family, own_learner, codebook(), loss, problem};
  }
};

// `data`, checked by check_training_data, must outlive it. Throws ParameterError or DataError that
// says which parts do not fit.
Composition compose(const Dataset& data, const Parameters& wanted, const TrainOptions& options,
                    Communicator& ranks = no_others());

// The parameters alone, with the data's own defaults.
Parameters resolve_parameters(const Dataset& data, const Parameters& wanted);

}  // namespace simplexboost
