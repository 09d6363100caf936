#include "tuning/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/files/record_file.h"
#include "base/text/nearest_name.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/setup/search_table.h"
#include "data/rows/folds.h"
#include "quality/portfolio.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr int kUsualRounds = 1000;

bool is_given(const SearchRequest& request, std::string_view name) {
  return std::find(request.given.begin(), request.given.end(), name) != request.given.end();
}

TrialSplit held_out(const Dataset& data, const RowSplit& rows) {
  if (rows.valid.empty() || rows.train.empty())
    throw DataError({data.source}, fmt::format("{} rows are too few to set some aside", data.rows));
  return {select_rows(data, rows.train), select_rows(data, rows.valid)};
}

// Into how many folds the rows are parted: a share of them is a fold.
int fold_count(const SearchRequest& request) {
  if (request.folds > 0) return request.folds;
  return static_cast<int>(std::clamp(std::round(1 / request.fraction()), 2.0, 1000.0));
}

// The first `count` folds, each held out in turn.
std::vector<TrialSplit> fold_splits(const SearchRequest& request, const Dataset& data,
                                    std::uint64_t seed, int count) {
  const auto fold_of_row =
      make_folds(data.labels, data.rows, {fold_count(request), seed, true, request.groups});
  std::vector<TrialSplit> splits;
  splits.reserve(static_cast<std::size_t>(count));
  for (int fold = 0; fold < count; ++fold)
    splits.push_back(held_out(data, hold_out_fold(fold_of_row, fold)));
  return splits;
}

// What tells this data and its splits from others: sizes, and a hash of labels and values.
std::string data_name(const std::vector<TrialSplit>& splits) {
  std::string text;
  for (const TrialSplit& split : splits)
    for (const Dataset* part : {&split.train, &split.valid}) {
      text += fmt::format("{}x{} {} ", part->rows, part->columns.size(),
                          fmt::join(part->labels.codes, ","));
      std::vector<double> values(part->rows);
      double mixed = 0;
      for (const Column& column : part->columns) {
        column.copy(0, part->rows, values.data());
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!std::isnan(values[i])) mixed += values[i] * static_cast<double>(i % 1009 + 1);
        text += fmt::format("{} {} ", column.schema.name, mixed);
      }
      for (const double weight : part->weights) mixed += weight;
      for (const float weight : part->labels.weights) mixed += static_cast<double>(weight);
      text += fmt::format("{} ", mixed);
    }
  return short_hash(text);
}

// The spaces of the algorithms to search, each with what the portfolio has of it.
std::vector<SearchSpace> make_spaces(const SearchRequest& request, const Parameters& parameters,
                                     const Dataset& data) {
  const bool sets = data.labels.multi_label();
  Parameters any = parameters;
  any.algorithm = "auto";
  const Portfolio portfolio = make_portfolio(data, any, Quality::kBest);
  std::vector<SearchSpace> spaces;
  for (const std::string& name : request.algorithms) {
    const std::string algorithm(find_algorithm(name, sets).name);
    spaces.push_back(make_space(algorithm, request.ranges, request.given));
    // Who gives ranges says where to look.
    if (request.ranges.empty())
      spaces.back().starts = starts_of(portfolio, any, algorithm, request.given);
  }
  return spaces;
}

}  // namespace

SearchKind find_search_kind(const std::string& name) {
  if (name == "halving") return SearchKind::kHalving;
  if (name == "random") return SearchKind::kRandom;
  if (name == "grid") return SearchKind::kGrid;
  throw ParameterError(unknown_name_message(
      "search", name, std::vector<std::string_view>{"halving", "random", "grid"}));
}

std::vector<std::string> choose_algorithms(const SearchRequest& request, const Parameters& fixed,
                                           const Labels& labels) {
  const bool sets = labels.multi_label();
  std::vector<std::string> names = request.algorithms;
  if (fixed.algorithm != "auto") names = {fixed.algorithm};
  for (const std::string& name : names) {
    const AlgorithmRow& row = find_algorithm(name, sets);
    if (sets && !row.multi_label)
      throw ParameterError(fmt::format("{} takes one label a row", name));
  }
  if (!names.empty()) return names;
  for (const AlgorithmRow& row : algorithm_table()) {
    const SearchRow& search = find_search_row(row.name);
    if (search.algorithm != row.name) continue;
    const bool usual = sets ? search.usual_for_sets : search.usual_for_classes;
    if (labels.weights.empty() ? usual : row.label_weights) names.emplace_back(row.name);
  }
  return names;
}

std::vector<TrialSplit> make_splits(const SearchRequest& request, const Dataset& data,
                                    std::uint64_t seed) {
  if (request.folds > 0 || !request.groups.empty())
    return fold_splits(request, data, seed, std::max(1, request.folds));
  std::vector<TrialSplit> splits;
  splits.push_back(
      held_out(data, stratified_split(data.labels, data.rows, request.fraction(), seed)));
  return splits;
}

SearchOptions plan_search(const SearchRequest& request, const Parameters& parameters,
                          const Dataset& data, const std::vector<TrialSplit>& splits) {
  SearchOptions search{.metric = find_metric(request.metric, data.labels.multi_label())};
  search.kind = request.kind;
  search.parameters = parameters;
  if (!is_given(request, "rounds")) search.parameters.rounds = kUsualRounds;
  if (!is_given(request, "early-stopping-rule")) search.parameters.early_stopping_rule = "smoothed";
  search.spaces = make_spaces(request, parameters, data);
  if (search.kind == SearchKind::kGrid)
    for (SearchSpace& space : search.spaces) space.ranges = request.ranges;
  search.seconds = request.seconds;
  if (request.trains_winner) search.rows_at_last = data.rows;
  if (request.trials > 0) search.trials = request.trials;
  if (request.trials == 0 && std::isinf(request.seconds) && search.kind != SearchKind::kGrid)
    search.trials = SearchRequest::kUsualTrials;
  search.journal = request.journal;
  search.data_name = data_name(splits);
  return search;
}

void declare_finals(const SearchRequest& request, const Dataset& data, SearchOptions& search) {
  const int count = std::min(fold_count(request), 5);  // five say enough
  search.finalists = static_cast<std::size_t>(request.finalists);
  search.other_count = static_cast<std::size_t>(count);
  search.other_splits = [&request, &data, count, seed = search.parameters.seed] {
    return fold_splits(request, data, ~seed, count);
  };
}

}  // namespace simplexboost
