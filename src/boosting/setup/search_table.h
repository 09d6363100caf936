// Where the search for good settings looks, for each algorithm: beside the table of algorithms, in
// the words that the command takes for ranges of one's own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace simplexboost {

struct SearchRow {
  std::string_view algorithm;
  // Searched where no algorithm is named.
  bool usual_for_classes;
  bool usual_for_sets;
  // "depth=2:8", "learning-rate=0.02:0.3:log", "loss=exponential,logistic"
  std::vector<std::string_view> ranges;
};

std::span<const SearchRow> search_table();

// An algorithm without a row has the ranges of trees in general.
const SearchRow& find_search_row(std::string_view algorithm);

}  // namespace simplexboost
