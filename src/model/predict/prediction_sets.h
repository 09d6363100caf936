// Sets of classes that hold the true one with a given probability, whatever the model is worth:
// conformal prediction. The score of class k of a row is what the classes that are likelier have
// together, a drawn part of its own probability, and a penalty for its rank (Romano, Sesia and
// Candes 2020; the penalty is that of Angelopoulos et al. 2021, which keeps long tails out):
//
//   s_k = sum_{p_j > p_k} p_j + U p_k + penalty max(0, rank_k - free_ranks)
//
// The set has the classes of no larger score than that share of the true classes of rows that the
// model had not seen. U is drawn by the probabilities themselves, so that a row always gets the
// same set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ensemble.h"

namespace simplexboost {

// A number in [0, 1) by the bits of a row's probabilities.
double row_draw(std::span<const float> proba);

// The classes of one row, likeliest first, the lower one of equals, and the score of each.
struct RankedClasses {
  std::vector<std::uint32_t> classes;
  std::vector<double> scores;  // ascending where the penalty is not negative

  void rank(std::span<const float> proba, double penalty, std::uint32_t free_ranks);
};

// The score that a true class exceeds in no more than 1 - coverage of new rows; infinite where too
// few rows tell.
double set_threshold(const SetTable& table, double coverage);

// From scores of true classes and the weights of their rows (empty: all 1), in any order; no more
// than `most` entries, rounded so that no set becomes smaller by it.
SetTable make_set_table(std::vector<double> scores, std::vector<double> weights, std::size_t most);

}  // namespace simplexboost
