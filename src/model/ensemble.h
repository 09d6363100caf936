// Everything that a model is: what prediction needs, and the record of how it came to be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loss/loss_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/estimate.h"
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
  kShares,    // of members only: p_k in proportion to scale u_k + shift; several labels:
              // (1 + scale u_k) / 2
};

// One of several models whose probabilities are pooled. It has as many outputs of the forest as
// there are classes: those of member m begin at m * classes.
struct Member {
  std::string name;  // what it is, for people
  Link link = Link::kSoftmax;
  double scale = 1;  // as those of the ensemble
  double shift = 0;
  double weight = 1;

  bool operator==(const Member&) const = default;
};

// A setting as a training took it, and why it is as it is.
struct Choice {
  std::string name;
  std::string value;
  std::string why;

  bool operator==(const Choice&) const = default;
};

// What training decided of a member, whether it is pooled in the end or not; or, as the first of
// them, of the pool. For people alone: prediction does not look at it.
struct MemberRecord {
  std::string name;
  double weight = 0;
  std::string why;       // it was tried
  std::string left_out;  // why it has no weight; empty: it has some
  std::vector<Choice> choices;

  bool operator==(const MemberRecord&) const = default;
};

// How the probabilities p_m of members become class scores.
enum class Pool : std::uint8_t {
  kMean,     // u = log of sum_m w_m p_m; several labels a row: its log-odds
  kProduct,  // u = sum_m w_m log p_m; several labels a row: of their log-odds
};

// How rows that the model had not seen say that its probabilities p shall be told (simplexboost
// calibrate): as q, by one of these.
//   scaled   q_k ~ exp(scale_k log p_k + shift_k), one scale for all classes or one each; several
//            labels a row: of their log-odds
//   curves   q_k ~ g_k(p_k), g_k linear between its knots
struct ProbabilityMap {
  std::string method;  // "temperature", "vector" or "isotonic"; empty: p stays
  std::vector<double> scale;
  std::vector<double> shift;
  std::vector<std::uint64_t> knot_end;  // of each class; those of all follow each other
  std::vector<double> knot_p;           // ascending
  std::vector<double> knot_q;

  bool empty() const { return method.empty(); }
  bool operator==(const ProbabilityMap&) const = default;
};

// Scores of the true classes of rows that the model had not seen (prediction_sets.h), ascending,
// and the share of the rows that have no more than each.
struct SetTable {
  double rows = 0;
  std::vector<float> score;
  std::vector<float> share;

  bool operator==(const SetTable&) const = default;
};

// What sets of classes that hold the true one with a given probability are made by.
struct SetScores {
  std::string method;  // where the rows come from: "out-of-fold", "out-of-bag", ...
  double penalty = 0;  // for each rank of a class beyond the first `free_ranks`
  std::uint32_t free_ranks = 0;
  SetTable all;
  std::vector<SetTable> classes;  // of the rows of each class

  bool empty() const { return method.empty(); }
  bool operator==(const SetScores&) const = default;
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
  // Where not empty, the outputs are those of these members, there are no codewords, and the class
  // scores come from their pooled probabilities.
  std::vector<Member> members = {};
  Pool pool = Pool::kMean;
  Forest forest;
  std::vector<float> bias;  // f before the first round, length outputs
  TrainingLog log;
  std::optional<Estimate> estimate = {};
  std::vector<double> class_shares = {};  // of the training rows, by weight; empty: not known
  // What is made of the probabilities of the link. Class scores are the logarithms (several labels
  // a row: the log-odds) of what comes of it, where there is any.
  ProbabilityMap map = {};
  std::vector<double> priors = {};  // shares of the classes where it predicts; empty: class_shares
  SetScores sets = {};
  std::vector<MemberRecord> records = {};  // empty: it was trained as `parameters` say

  bool adjusted() const { return !map.empty() || !priors.empty(); }
  // Whether a class score above 0 says yes.
  bool signed_scores() const {
    return link == Link::kLogistic && (schema.multi_label || !adjusted());
  }

  std::size_t classes() const { return schema.classes.size(); }

  bool operator==(const Ensemble&) const = default;
};

// The codewords, classes x outputs, stored or not; empty where the ensemble has none.
std::vector<float> codeword_matrix(const Ensemble& ensemble);

// Throws ModelError unless every size and index fits and every number is finite: after this,
// prediction cannot go out of bounds or fail to end.
void check_ensemble(const Ensemble& ensemble);

}  // namespace simplexboost
