#include "boosting/past_model.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (before.parameters.at("loss") != now.parameters.at("loss"))
    throw ParameterError(fmt::format("loss: the model to go on from was trained with {}, not {}",
                                     before.parameters.at("loss"), now.parameters.at("loss")));
  if (before.forest.rounds() > rounds)
    throw ParameterError(
        fmt::format("rounds: the model to go on from has {}, which count; give no fewer than that",
                    before.forest.rounds()));
}

std::optional<double> logged_value(const TrainingLog& log, std::string_view column,
                                   std::size_t round) {
  const auto found = std::find(log.columns.begin(), log.columns.end(), column);
  const std::size_t at =
      round * log.columns.size() + static_cast<std::size_t>(found - log.columns.begin());
  if (found == log.columns.end() || at >= log.values.size()) return std::nullopt;
  return log.values[at];
}

}  // namespace simplexboost
