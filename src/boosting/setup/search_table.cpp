#include "boosting/setup/search_table.h"

#include <array>

namespace simplexboost {

std::span<const SearchRow> search_table() {
  static const auto kRows = std::to_array<SearchRow>({
      {"newton",
       true,
       false,
       {"learning-rate=0.03:0.3:log", "leaves=4:128:log", "l2=0.03:10:log", "sketch=1,2,4,8",
        "thresholds=best,drawn", "min-rows=1:10:log", "feature-fraction=0.4:1",
        "row-fraction=0.6:1"}},
      {"adaboost-mh",
       true,
       true,
       {"leaves=8:128:log", "learning-rate=0.2:1:log", "feature-fraction=0.5:1"}},
      {"gd-mcboost",
       true,
       false,
       {"depth=3:12", "loss=exponential,logistic", "learning-rate=0.2:1:log"}},
      {"samme", true, false, {"depth=4:16", "learning-rate=0.3:1:log"}},
      {"adaboost-m1", false, false, {"depth=4:16", "learning-rate=0.3:1:log"}},
      // The grid of kdd2014.
      {"dmcboost",
       false,
       false,
       {"depth=3,5,8,12", "margin-rows=1,0.1,0.2,0.25,0.3333,0.5,0.6667"}},
      {"cd-mcboost",
       false,
       false,
       {"learner=stump,tree", "loss=exponential,logistic", "learning-rate=0.2:1:log"}},
      {"cd-mcboost-cyclic",
       false,
       false,
       {"learner=stump,tree", "loss=exponential,logistic", "learning-rate=0.2:1:log"}},
      {"adaboost-mr",
       false,
       true,
       {"leaves=8:128:log", "learning-rate=0.2:1:log", "feature-fraction=0.5:1"}},
      {"grploss", false, false, {"learner=stump,tree", "learning-rate=0.3:1:log"}},
      {"grploss-general", false, false, {"learner=stump,tree", "learning-rate=0.3:1:log"}},
      {"boostma", false, false, {"learner=stump,tree", "learning-rate=0.3:1:log"}},
      {"forest",
       true,
       false,
       {"thresholds=best,drawn", "node-features=0.1:0.8", "min-rows=1:8:log"}},
      {"", false, false, {"depth=2:10", "learning-rate=0.2:1:log"}},
  });
  return kRows;
}

const SearchRow& find_search_row(std::string_view algorithm) {
  for (const SearchRow& row : search_table())
    if (row.algorithm == algorithm) return row;
  return search_table().back();
}

}  // namespace simplexboost
