#include "boosting/past_model.h"

#include <fmt/format.h>

#include "simplexboost/error.h"

namespace simplexboost {

void check_past_model(const Ensemble& before, const Ensemble& now, std::size_t rounds,
                      const std::string& source) {
  if (before.algorithm != now.algorithm)
    throw ParameterError(
        fmt::format("algorithm: the model to go on from is of {}, not of {}; train a new one",
                    before.algorithm, now.algorithm));
  if (before.schema.classes != now.schema.classes ||
      before.schema.multi_label != now.schema.multi_label)
    throw DataError(Place{source}, "the classes are not those of the model to go on from");
  if (before.codewords != now.codewords || before.simplex != now.simplex)
    throw ParameterError("codewords: they are not those of the model to go on from");
  const auto loss = before.parameters.find("loss");  // a model may hold any parameters
  if (loss == before.parameters.end() || loss->second != now.parameters.at("loss"))
    throw ParameterError(
        fmt::format("loss: the model to go on from was trained with {}, not {}",
                    loss == before.parameters.end() ? "one it does not tell" : loss->second,
                    now.parameters.at("loss")));
  if (before.forest.rounds() > rounds)
    throw ParameterError(
        fmt::format("rounds: the model to go on from has {}, which count; give no fewer than that",
                    before.forest.rounds()));
}

}  // namespace simplexboost
