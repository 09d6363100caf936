// What a search is asked for, by the command and by Python alike, and the search that follows: its
// algorithms and their spaces, the rows that judge the trials, and those that judge the best again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"
#include "tuning/search.h"
#include "tuning/search_space.h"

namespace simplexboost {

struct SearchRequest {
  static constexpr int kUsualFinalists = 5;
  static constexpr std::size_t kUsualTrials = 50;  // where time has no limit
  static constexpr double kUsualFraction = 0.2;

  SearchKind kind = SearchKind::kHalving;
  std::string metric = "error";
  std::vector<std::string> algorithms;  // empty: the usual ones, or what the parameters say
  std::vector<SearchRange> ranges;
  std::vector<std::string> given;  // parameters that hold for all trials and are not searched
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t trials = 0;   // 0: as many as the time allows, or the usual number
  double valid_fraction = 0;  // of the rows that judge, where there are no folds; 0: the usual one
  int folds = 0;
  int finalists = kUsualFinalists;
  std::vector<std::uint32_t> groups;  // data/rows/folds.h; empty: each row for itself
  std::string journal;
  bool trains_winner = false;  // time for that is left over

  double fraction() const { return valid_fraction > 0 ? valid_fraction : kUsualFraction; }
};

// "halving", "random" or "grid". Throws ParameterError.
SearchKind find_search_kind(const std::string& name);

// The algorithms to search, in the order of the table; `fixed` may name the only one. Throws
// ParameterError.
std::vector<std::string> choose_algorithms(const SearchRequest& request, const Parameters& fixed,
                                           const Labels& labels);

// Rows to train on and to judge by. Throws DataError where there are too few.
std::vector<TrialSplit> make_splits(const SearchRequest& request, const Dataset& data,
                                    std::uint64_t seed);

// `request.algorithms` are those chosen. The search does not look at request and data again, unless
// declare_finals() says so.
SearchOptions plan_search(const SearchRequest& request, const Parameters& parameters,
                          const Dataset& data, const std::vector<TrialSplit>& splits);

// The best are judged again by folds that are not those of the search. The search keeps references
// to the request and the data.
void declare_finals(const SearchRequest& request, const Dataset& data, SearchOptions& search);

}  // namespace simplexboost
