#include "boosting/bagging/past_votes.h"

#include <cmath>
#include <optional>

#include "base/stop.h"
#include "boosting/bagging/bag.h"
#include "model/predict/predictor.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// What says which rows a tree was grown on; nothing where the model does not tell.
std::optional<Parameters> bag_parameters(const Ensemble& forest) {
  Parameters parameters;
  try {
    for (const char* name : {"seed", "bootstrap", "row-fraction"})
      set_parameter(parameters, name, forest.parameters.at(name));
    check_parameters(parameters);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  } catch (const Error&) {  // a model may hold any parameters
    return std::nullopt;
  }
  return leaves_rows_out(parameters) ? std::optional(parameters) : std::nullopt;
}

bool alike(std::optional<double> logged, double now) {
  constexpr double kNear = 1e-6;
  return logged && std::fabs(*logged - now) <= kNear * (1 + std::fabs(now));
}

}  // namespace

bool add_past_votes(const Ensemble& forest, const Dataset& data, const RowWeights& weights,
                    const RowSpace& space, VoteBoard& board) {
  const std::size_t trees = forest.forest.rounds();
  const std::optional<Parameters> parameters = bag_parameters(forest);
  if (!parameters || trees == 0) return false;
  const Predictor predictor(forest);
  Matrix says{data.rows, forest.forest.outputs, {}};
  VoteBoard::Figures last;
  for (std::size_t t = 0; t < trees; ++t) {
    check_stop();
    Random random = tree_random(*parameters, t);
    const std::vector<std::uint32_t> unseen =
        rows_left_out(draw_bag(*parameters, space.all(), weights, random), space);
    says.values.assign(says.rows * says.columns, 0);
    predictor.add_rounds(data, t, t + 1, space.threads(), says);
    last = board.add(says, unseen);
  }
  return alike(forest.log.value("oob_error", trees - 1), last.error) &&
         alike(forest.log.value("oob_log_loss", trees - 1), last.log_loss);
}

}  // namespace simplexboost
