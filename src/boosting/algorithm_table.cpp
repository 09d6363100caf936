#include "boosting/algorithm_table.h"

#include <array>

#include "base/nearest_name.h"
#include "optimizer/hamming_boosting.h"
#include "optimizer/vote_boosting.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

template <VoteStep kStep>
std::unique_ptr<Optimizer> make_vote(const Problem& problem, const Parameters&) {
  return std::make_unique<VoteBoosting>(problem, kStep);
}

std::unique_ptr<Optimizer> make_hamming(const Problem& problem, const Parameters&) {
  return std::make_unique<HammingBoosting>(problem);
}

// Votes f_k are, up to a constant, (K-1)/K of the scores of Zhu et al. (2009), whose posterior is
// exp(f_k / (K-1)).
void link_votes(Ensemble& ensemble) {
  const auto classes = static_cast<double>(ensemble.classes());
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = classes / ((classes - 1) * (classes - 1));
}

void link_hamming(Ensemble& ensemble) {
  ensemble.link = Link::kLogistic;
  ensemble.link_scale = 2;
}

}  // namespace

std::span<const AlgorithmRow> algorithm_table() {
  static constexpr std::array<AlgorithmRow, 3> kRows{{
      {"adaboost-mh", "example-class weights", "one-vs-all", "hamming-tree", "exponential",
       "icml2014", "AdaBoost.MH: trees that vote for or against every class", LearnerFamily::kVote,
       true, make_hamming, link_hamming},
      {"samme", "example weights", "canonical", "tree", "exponential", "Zhu et al. 2009",
       "AdaBoost for K classes; needs learners better than guessing (= AdaBoost.M1W)",
       LearnerFamily::kClassifier, false, make_vote<VoteStep::kSamme>, link_votes},
      {"adaboost-m1", "example weights", "canonical", "tree", "exponential",
       "Freund and Schapire 1997", "AdaBoost.M1: needs learners with less than 50 % error",
       LearnerFamily::kClassifier, false, make_vote<VoteStep::kM1>, link_votes},
  }};
  return kRows;
}

const AlgorithmRow& find_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithm_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw ParameterError(unknown_name_message("algorithm", name, names));
}

}  // namespace simplexboost
