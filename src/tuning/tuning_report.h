// What a search has tried, for people: Markdown to read, CSV to compute with.
#pragma once

#include <string>
#include <vector>

#include "tuning/search.h"

namespace simplexboost {

// What stands above the table: a name and a text each.
struct ReportFact {
  std::string name;
  std::string text;
};

// The trials, best first, with what the search was about and its winner.
std::string tuning_markdown(const SearchResult& result, const Metric& metric,
                            const std::vector<SearchSpace>& spaces,
                            const std::vector<ReportFact>& facts);

// A line a trial in the order of the search, a column for each parameter that any has.
std::string tuning_csv(const SearchResult& result, const Metric& metric);

// The trials, best first; those without a value last.
std::vector<const Trial*> ranked_trials(const SearchResult& result, const Metric& metric);

// "leaves 8 to 128 (log), learning-rate 0.4 to 1 (log), loss exponential or logistic"
std::string space_text(const SearchSpace& space);

}  // namespace simplexboost
