// The built-in losses: a row for each says all there is to know of it (loss_facts.h), and names the
// formula that its figures come from. Adding a loss means a file in formulas/ and a row here.
//
// Like the formulas it is read by the vector loops, by ordinary code and by a CUDA compiler (see
// base/simd/lanes.h).
#pragma once

#include "loss/exported_posterior.h"
#include "loss/formulas/exponential.h"
#include "loss/formulas/logistic.h"
#include "loss/formulas/savage.h"
#include "loss/formulas/tangent.h"
#include "loss/loss_facts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class Formula>
struct LossRow {
  LossFacts facts;
  ExportedPosterior exported_posterior = ExportedPosterior::kNone;
};

template <class... Formulas>
struct LossTable {
  static constexpr std::size_t kSize = sizeof...(Formulas);
  LossFacts rows[kSize];
  ExportedPosterior exported_posteriors[kSize];

  constexpr LossTable(const LossRow<Formulas>&... row)
      : rows{row.facts...}, exported_posteriors{row.exported_posterior...} {
    for (std::size_t i = 0; i < kSize; ++i) rows[i].formula = static_cast<int>(i);
  }

  template <class Visit>
  static LANES_INLINE void visit_formula(int row, const Visit& visit) {
    int at = 0;
    static_cast<void>(((at++ == row && (visit(Formulas{}), true)) || ...));
  }
};

inline constexpr LossTable kLossTable{
    LossRow<Exponential>{{.name = "exponential",
                          .convex = true,
                          .closed_form_step = true,
                          .posterior = Posterior::kSoftmax}},
    LossRow<Logistic>{{.name = "logistic",
                       .convex = true,
                       .curvature_from_pulls = true,
                       .bounded_newton_step = true,
                       .posterior = Posterior::kSoftmax}},
    LossRow<Savage>{{.name = "savage", .posterior = Posterior::kFormula},
                    ExportedPosterior::kSquaredSigmoid},
    LossRow<Tangent>{
        {.name = "tangent", .falls_with_margin = false, .posterior = Posterior::kFormula}},
};

// Calls visit(Formula{}) with the formula of a row.
template <class Visit>
LANES_INLINE void visit_formula(int row, const Visit& visit) {
  decltype(kLossTable)::visit_formula(row, visit);
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
