// What there is to know of a loss beside its figures: a row of the table (loss_table.h), or what a
// user's loss says of itself. Who needs to know asks here, never for a name.
#pragma once

#include <cstdint>

namespace simplexboost {

// How the scores u of a model become probabilities.
enum class Posterior : std::uint8_t {
  kNone,     // by what the model does not have: the loss is a user's
  kSoftmax,  // p_k in proportion to e^{2 u_k}
  kFormula,  // as jmlr2019 (113) has it for the formula of the row
};

struct LossFacts {
  const char* name = "";
  // The risk is a convex function of the scores.
  bool convex = false;
  // Along hypotheses that name codewords of the simplex, the risk is P e^-a + Q e^a + const.
  bool closed_form_step = false;
  // H_k = |P_k| (2 - |P_k|) for rows of weight 1, so that nobody need keep both.
  bool curvature_from_pulls = false;
  // Its pulls are those of a softmax, r_k - p_k, by which leaves bound their Newton steps
  // (optimizer/target/leaf_step.h).
  bool bounded_newton_step = false;
  // A larger margin is never worse, so that the risk bounds the smallest one (jmlr2019, Theorem 5).
  bool falls_with_margin = true;
  Posterior posterior = Posterior::kNone;

  // What holds of every gamma-phi loss, and not of every user's objective: rows may be looked at in
  // parts, by several threads and ranks; there is a risk; only differences of scores matter.
  bool takes_parts = true;
  bool knows_risk = true;
  bool of_margins = true;

  // The number of the row, which is that of the formula; a user's loss has none.
  static constexpr int kNoFormula = -1;
  int formula = kNoFormula;
};

}  // namespace simplexboost
