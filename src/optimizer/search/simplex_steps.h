// Exact steps along every coordinate of simplex codewords at once, for hypotheses that vote -1 or
// +1: the greedy choice of CD-MCBoost at O(1) a row, coordinate and trial.
//
// Along coordinate j the simplex (codeword/simplex.h) moves the classes before j not at all, class
// j by s_j, and those after j all by -b_j. With E_l = C[c][l] e^{r (u_l - m)}, l != c, r the rate
// of phi(v) = e^{-r v}, and B, A the sums of E before and after j, a step a along votes h gives
//
//   S(a) = e^{m - r u_c - r a h y_cj / 2} (B + E_j e^{r a h s_j / 2} + A e^{-r a h b_j / 2})
#pragma once

#include <cstdint>
#include <vector>

#include "loss/loss_block.h"
#include "loss/loss_facts.h"
#include "optimizer/optimizer.h"

namespace simplexboost {

class SimplexSteps {
 public:
  // `classes` codewords of a simplex, and a row of the loss table; no step changes a class score by
  // more than `most_change`.
  SimplexSteps(std::size_t classes, const LossFacts& loss, double most_change,
               const RowSpace& space);

  // Takes the scores of a round, of the rows that are here. False where they are too far apart for
  // plain sums.
  bool assign(const LossBlock& all);

  // The sums over the rows of minus the slope, and of the loss, at the step a[j] along coordinate
  // j; `votes`: rows x (classes - 1), -1 or +1.
  std::vector<double> descents(const std::int8_t* votes, const std::vector<double>& a) const;
  std::vector<double> risks(const std::int8_t* votes, const std::vector<double>& a) const;

  struct Best {
    std::size_t coordinate;
    double step;
  };
  // The coordinate whose exact step leads to the lowest risk; `guess` are the steps to try first.
  Best best(const std::int8_t* votes, const std::vector<double>& guess) const;

 private:
  struct Factors;
  template <class Use>
  std::vector<double> sum_rows(const Use& use) const;
  template <class Formula, bool kRisk>
  std::vector<double> evaluate(const std::int8_t* votes, const std::vector<double>& a) const;
  template <bool kRisk>
  std::vector<double> dispatch(const std::int8_t* votes, const std::vector<double>& a) const;

  std::size_t classes_;
  std::size_t dimension_;
  int formula_;
  double rate_ = 0;
  double most_change_;
  RowSpace space_;
  std::vector<double> diagonal_;  // s_j
  std::vector<double> below_;     // b_j
  LossBlock rows_;
  std::vector<double> scale_;  // e^{m - r u_c} of each row
  std::vector<float> before_;  // rows x dimension: B
  std::vector<float> own_;     // E_j
  std::vector<float> after_;   // A
};

}  // namespace simplexboost
