// How programs that do not have the formulas of losses can be told a posterior (exchange/). A row
// of loss_table.h says it.
#pragma once

#include <cstdint>

namespace simplexboost {

struct LossFacts;

enum class ExportedPosterior : std::uint8_t {
  kNone,            // in no way that is known
  kSquaredSigmoid,  // that of gamma(s) = (s / (1 + s))^2 at rate 2
};

// What the row of the loss says; kNone for a user's.
ExportedPosterior exported_posterior(const LossFacts& loss);

}  // namespace simplexboost
