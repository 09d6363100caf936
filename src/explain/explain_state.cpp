#include "explain/explain_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/threads/parallel.h"
#include "data/rows/row_split.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::vector<std::int32_t> all_classes(const Ensemble& ensemble) {
  std::vector<std::int32_t> classes(ensemble.classes());
  std::iota(classes.begin(), classes.end(), 0);
  return classes;
}

void check_class(const Ensemble& ensemble, std::int32_t label) {
  if (label < 0 || static_cast<std::size_t>(label) >= ensemble.classes())
    throw ParameterError(
        fmt::format("the model has no class {}: it has {}", label, ensemble.classes()));
}

// The classes of highest score, best first, the lower ones of equals.
void take_top(const float* scores, std::size_t classes, std::size_t top, std::int32_t* out) {
  std::vector<std::int32_t> order(classes);
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  std::copy_n(order.begin(), top, out);
}

std::vector<PathTree> make_paths(const Ensemble& ensemble, std::size_t trees,
                                 const Players& players, GameKind kind, bool covers) {
  std::vector<PathTree> paths;
  paths.reserve(trees);
  for (std::size_t t = 0; t < trees; ++t)
    paths.emplace_back(ensemble.forest, t, players, kind, covers);
  return paths;
}

std::vector<double> mean_positions(const Forest& forest, const Dataset* background) {
  std::vector<double> means(forest.linear_features.size());
  if (!background) return means;
  std::vector<double> column(background->rows);
  for (std::size_t k = 0; k < means.size(); ++k) {
    const LinearFeature& linear = forest.linear_features[k];
    background->columns[linear.feature].copy(0, background->rows, column.data());
    for (const double x : column) means[k] += linear.position(x);
    means[k] /= static_cast<double>(background->rows);
  }
  return means;
}

std::size_t rounds_of(const Model& model, std::size_t rounds) {
  if (rounds > model.rounds())
    throw ParameterError(
        fmt::format("the model has {} rounds, {} cannot be explained", model.rounds(), rounds));
  return rounds == 0 ? model.rounds() : rounds;
}

}  // namespace

ExplainState::ExplainState(Model whole, const ExplainOptions& options)
    : model(std::move(whole)),
      threads(resolve_threads(options.threads)),
      trees(model.forest().trees_of(rounds_of(model, options.rounds))),
      rounds(rounds_of(model, options.rounds)),
      players(model.forest(), trees, model.schema().features.size()),
      everything(ensemble(), all_classes(ensemble()), ensemble().classes()) {
  if (options.background) {
    check_columns(model.schema(), *options.background);
    if (options.background->rows == 0)
      throw DataError({options.background->source}, "no background rows to compare with");
    background = *options.background;
  } else if (model.forest().leaf_cover.empty() && trees > 0) {
    throw ModelError(
        "the model has no covers of its nodes, which version 0.2 writes with every training; give "
        "background rows to compare with, or train it again");
  }
  forest = prepare(GameKind::kFeatures);
  expected = everything.class_values(mean_outputs());
  // Shares that do not sum to 1 are made to, as far as that is linear (Link::kShares).
  if (explains_shares(ensemble()))
    for (const Member& member : ensemble().members) {
      const double whole_share = 1 + static_cast<double>(ensemble().classes()) * member.shift;
      for (double& one : expected)
        one += member.weight * (model.schema().multi_label ? 0.5 : member.shift / whole_share);
    }
}

PathForest ExplainState::prepare(GameKind kind) const {
  PathForest made;
  made.kind = kind;
  const bool covers = background.rows == 0;
  made.trees = make_paths(ensemble(), trees, players, kind, covers);
  made.linear_means = mean_positions(model.forest(), covers ? nullptr : &background);
  if (covers) return made;
  std::vector<std::optional<BackgroundAnswers>> answers(trees);
  parallel_for(threads, trees,
               [&](std::size_t t) { answers[t].emplace(made.trees[t], players, background); });
  for (auto& one : answers) made.background.push_back(std::move(*one));
  return made;
}

std::vector<double> ExplainState::mean_outputs() const {
  const Forest& whole = model.forest();
  std::vector<double> means(model.bias().begin(), model.bias().end());
  for (std::size_t t = 0; t < trees; ++t) {
    const TreeSpan& span = whole.trees[t];
    const auto give = [&](std::size_t c, double value) {
      means[span.output + c] += value;
      if (span.minus_output != kNoOutput) means[span.minus_output + c] -= value;
    };
    for (std::size_t leaf = 0; leaf < span.leaves; ++leaf) {
      const double reach = forest.background.empty() ? forest.trees[t].reach(leaf)
                                                     : forest.background[t].reach(leaf);
      const std::vector<float> values = leaf_vector(whole, span, leaf);
      for (std::size_t c = 0; c < values.size(); ++c)
        give(c, reach * static_cast<double>(values[c]));
    }
    for (std::size_t k = span.linear_begin; k < span.linear_end; ++k)
      for (std::size_t c = 0; c < span.width; ++c)
        give(c, forest.linear_means[k] *
                    static_cast<double>(
                        whole.slopes[span.slope_begin + (k - span.linear_begin) * span.width + c]));
  }
  return means;
}

std::size_t ExplainState::columns_of(const ShapRequest& request) const {
  const std::size_t classes = ensemble().classes();
  if (request.contrast) return 1;
  if (request.top > 0) return std::min(request.top, classes);
  return request.classes.empty() ? classes : request.classes.size();
}

void ExplainState::check(const ShapRequest& request) const {
  for (const std::int32_t label : request.classes) check_class(ensemble(), label);
  if (!request.contrast) return;
  for (const std::int32_t label : {request.contrast->for_class, request.contrast->against_class})
    if (label != -1) check_class(ensemble(), label);
  if (ensemble().classes() < 2)
    throw ParameterError("the model has one class: there is none to compare it with");
  if (request.contrast->for_class != -1 &&
      request.contrast->for_class == request.contrast->against_class)
    throw ParameterError("a class cannot be compared with itself");
}

bool ExplainState::choose(const Dataset& data, std::size_t begin, std::size_t end,
                          const ShapRequest& request, std::vector<std::int32_t>& labels) const {
  check(request);
  const Contrast wanted = request.contrast.value_or(Contrast{});
  if (request.contrast && wanted.for_class != -1 && wanted.against_class != -1) {
    labels = {wanted.for_class, wanted.against_class};
    return false;
  }
  if (!request.contrast && request.top == 0) {
    labels = request.classes.empty() ? all_classes(ensemble()) : request.classes;
    return false;
  }
  const std::size_t classes = ensemble().classes();
  const std::size_t a_row = request.contrast ? 2 : std::min(request.top, classes);
  labels.resize((end - begin) * a_row);
  predictor_of(model).score_blocks(
      slice_features(data, begin, end), rounds, threads,
      [&](std::size_t first, const Matrix& scores) {
        for (std::size_t i = 0; i < scores.rows; ++i) {
          std::int32_t* const row = labels.data() + (first + i) * a_row;
          take_top(scores.row(i), classes, a_row, row);
          if (!request.contrast) continue;
          const std::int32_t best = row[0];
          const std::int32_t next = row[1];
          const auto best_but = [&](std::int32_t other) { return best != other ? best : next; };
          row[0] = wanted.for_class != -1 ? wanted.for_class : best_but(wanted.against_class);
          row[1] = wanted.against_class != -1 ? wanted.against_class : best_but(row[0]);
        }
      });
  return true;
}

}  // namespace simplexboost
