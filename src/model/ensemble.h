// Everything that a model is: what prediction needs, and the record of how it came to be.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loss/loss_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"
#include "simplexboost/training_log.h"

namespace simplexboost {

// How scores f in R^d become class scores u and probabilities p.
enum class Link : std::uint8_t {
  kSoftmax,   // p_k = exp(scale u_k) / sum_j exp(scale u_j)
  kLoss,      // as the loss says for which the model was trained (Posterior::kFormula), u being
              // scale / 2 times the scores
  kLogistic,  // each class on its own, p_k = 1 / (1 + exp(shift - scale u_k)); single-label:
              // normalised
  kNone,      // a user's loss, which the model does not have; u is scale / 2 times the scores
};

struct Ensemble {
  std::string algorithm;
  std::map<std::string, std::string> parameters;  // as given, by name
  Schema schema;
  // Codewords, classes x outputs, row-major; u_k = <y_k, f> / 2. Empty: those of the regular
  // simplex, which need not be stored, or none, u = f (outputs = classes).
  std::vector<float> codewords;
  bool simplex = false;
  Link link = Link::kSoftmax;
  const LossFacts* link_loss = nullptr;  // kLoss: a row of the loss table
  double link_scale = 1;
  double link_shift = 0;  // kLogistic with one label a row; else 0
  Forest forest;
  std::vector<float> bias;  // f before the first round, length outputs
  TrainingLog log;

  std::size_t classes() const { return schema.classes.size(); }

  bool operator==(const Ensemble&) const = default;
};

// The codewords, classes x outputs, stored or not; empty where the ensemble has none.
std::vector<float> codeword_matrix(const Ensemble& ensemble);

// Throws ModelError unless every size and index fits and every number is finite: after this,
// prediction cannot go out of bounds or fail to end.
void check_ensemble(const Ensemble& ensemble);

}  // namespace simplexboost
