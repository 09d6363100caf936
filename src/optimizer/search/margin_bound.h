// The bound on the generalisation error of votes by their smallest margins (kdd2014, Theorem 2).
#pragma once

#include <cstddef>

namespace simplexboost {

// ln |H| of trees with a class in each leaf: at most leaves - 1 nodes, each one of `cuts` or none,
// and `classes` to choose from in each leaf.
double log_tree_count(double leaves, double cuts, double classes);

// What the theorem is about.
struct MarginBoundProblem {
  double rows;            // n
  double bottom;          // n'
  double classes;         // K
  double log_hypotheses;  // ln |H|
  double delta = 0.05;    // it holds with probability 1 - delta
};

// The right-hand side for theta, the sum of the n' smallest margins over n. Above 1 it says
// nothing; where theta is too small for the theorem it is what it tends to as theta does to 0.
double margin_bound(const MarginBoundProblem& problem, double theta);

// The largest p >= share whose relative entropy D(share || p) is at most `divergence`: the inverse
// D^-1(share, divergence) of the theorem.
double inverse_divergence(double share, double divergence);

}  // namespace simplexboost
