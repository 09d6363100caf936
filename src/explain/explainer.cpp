#include "simplexboost/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "explain/explain_run.h"
#include "explain/explain_state.h"
#include "explain/shap_kernels.h"
#include "simplexboost/error.h"

namespace simplexboost {

struct Explainer::State : ExplainState {
  using ExplainState::ExplainState;
};

Explainer::Explainer(Model model, const ExplainOptions& options)
    : state_(std::make_shared<const State>(std::move(model), options)) {}

const Model& Explainer::model() const { return state_->model; }
const std::vector<double>& Explainer::expected() const { return state_->expected; }

Explained Explainer::explained() const {
  const Ensemble& ensemble = state_->ensemble();
  if (explains_shares(ensemble)) return Explained::kShares;
  if (!ensemble.members.empty()) return Explained::kMemberScores;
  return ensemble.adjusted() ? Explained::kOwnScore : Explained::kScore;
}

std::vector<double> Explainer::sums(const Dataset& data) const {
  const ExplainState& state = *state_;
  check_columns(state.model.schema(), data);
  const std::size_t classes = state.ensemble().classes();
  std::vector<double> result(data.rows * classes);
  const std::vector<double> bias = state.everything.class_values(
      std::vector<double>(state.model.bias().begin(), state.model.bias().end()));
  parallel_blocks(state.threads, data.rows, kShapRows, [&](std::size_t begin, std::size_t end) {
    double* const rows = result.data() + begin * classes;
    for (std::size_t i = 0; i < (end - begin) * classes; ++i) rows[i] = bias[i % classes];
    ShapTask(state.ensemble(), state.players, data, begin, end)
        .add_scores(state.forest, state.everything, rows);
  });
  return result;
}

std::size_t Explainer::rows_for(const ShapRequest& request, std::size_t bytes) const {
  const std::size_t row = std::max<std::size_t>(state_->model.schema().features.size(), 1) *
                          state_->columns_of(request) * sizeof(double);
  return std::max<std::size_t>(bytes / row, 1);
}

ShapValues Explainer::values(const Dataset& data, std::size_t begin, std::size_t end,
                             const ShapRequest& request) const {
  const ExplainRun run(*state_, data, begin, end, request);
  ShapValues result;
  result.rows = end - begin;
  result.features = state_->model.schema().features.size();
  result.columns = run.columns();
  const std::size_t size = result.features * result.columns;
  require_memory("an explanation", result.rows, size, sizeof(double));
  result.values.resize(result.rows * size);
  const PathForest* const forest = &state_->forest;
  if (state_->players.are_features(result.features))
    run.fill(*forest, result.values.data());
  else
    run.each_row({&forest, 1}, [&](std::size_t row, const auto& sums) {
      double* const out = result.values.data() + row * size;
      std::fill_n(out, size, 0.0);
      state_->players.spread(sums[0].data(), result.columns, result.columns, out);
    });
  result.base = run.base();
  result.classes = run.row_classes();
  return result;
}

ShapValues Explainer::interactions(const Dataset& data, std::size_t begin, std::size_t end,
                                   const ShapRequest& request) const {
  const Players& players = state_->players;
  if (players.has_filters())
    throw ModelError(
        "interactions are those of features, and this model cuts images by filters of many pixels");
  const ExplainRun run(*state_, data, begin, end, request);
  ShapValues result;
  result.rows = end - begin;
  result.features = state_->model.schema().features.size();
  const std::size_t columns = result.columns = run.columns();
  const std::size_t features = result.features;
  require_memory("interactions", result.rows * features, features * columns, sizeof(double));
  result.values.resize(result.rows * features * features * columns);
  const PathForest pairs = state_->prepare(GameKind::kPairs);
  const PathForest* const forests[] = {&state_->forest, &pairs};
  const std::vector<std::uint32_t>& used = players.features();
  run.each_row(forests, [&](std::size_t row, const auto& sums) {
    double* const out = result.values.data() + row * features * features * columns;
    std::fill_n(out, features * features * columns, 0.0);
    for (std::size_t i = 0; i < used.size(); ++i) {
      double* const own = out + (used[i] * features + used[i]) * columns;
      for (std::size_t c = 0; c < columns; ++c) own[c] += sums[0][i * columns + c];
      for (std::size_t j = 0; j < used.size(); ++j) {
        if (i == j) continue;
        const double* const both = sums[1].data() + pair_place(i, j, used.size()) * columns;
        double* const to = out + (used[i] * features + used[j]) * columns;
        for (std::size_t c = 0; c < columns; ++c) {
          to[c] = both[c];
          own[c] -= both[c];
        }
      }
    }
  });
  result.base = run.base();
  result.classes = run.row_classes();
  return result;
}

std::vector<double> Explainer::mean_magnitudes(const Dataset& data,
                                               const ShapRequest& request) const {
  constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
  if (request.top > 0)
    throw ParameterError("the classes of highest score differ from row to row: choose classes");
  std::vector<double> means(state_->model.schema().features.size() * state_->columns_of(request));
  const std::size_t block = rows_for(request, kBlockBytes);
  for (std::size_t begin = 0; begin < data.rows; begin += block) {
    const ShapValues some = values(data, begin, std::min(begin + block, data.rows), request);
    for (std::size_t i = 0; i < some.rows; ++i)
      for (std::size_t j = 0; j < means.size(); ++j) means[j] += std::fabs(some.row(i)[j]);
  }
  for (double& mean : means) mean /= static_cast<double>(std::max<std::size_t>(data.rows, 1));
  return means;
}

}  // namespace simplexboost
