// The settings that a search may try: ranges and choices of parameters, and draws from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quality/portfolio.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

class Random;

struct Setting {
  std::string name;
  std::string value;

  bool operator==(const Setting&) const = default;
};

// One parameter's values: the listed ones, or all from low to high.
struct SearchRange {
  std::string name;
  std::vector<std::string> choices;
  double low = 0;
  double high = 0;
  bool log = false;    // drawn evenly in the logarithm
  bool whole = false;  // whole numbers only

  std::string draw(Random& random) const;
};

// "depth=2:8", "learning-rate=0.02:0.3:log", "loss=exponential,logistic" or "depth=3,5,8,12".
// Throws ParameterError: no such parameter, values out of its range, an end that is none.
SearchRange parse_range(std::string_view text);

struct SearchSpace {
  std::string algorithm;
  std::vector<SearchRange> ranges;
  std::vector<std::vector<Setting>> starts = {};  // to be tried before any is drawn

  // Draw number `index` of the space: depends on nothing else but the seed. Number 0 draws nothing:
  // it is the algorithm as it comes; the starts follow.
  std::vector<Setting> draw(std::uint64_t seed, std::size_t index) const;
  // How many settings a grid of the space has; 0 where a range is not a list.
  std::size_t grid_size() const;
  std::vector<Setting> grid_point(std::size_t index) const;
};

// The space of an algorithm (boosting/setup/search_table.h), with the user's own ranges in place of
// or beside it; parameters in `fixed` are not searched.
SearchSpace make_space(const std::string& algorithm, const std::vector<SearchRange>& own,
                       const std::vector<std::string>& fixed);

// What the members of a portfolio that have the algorithm set otherwise than `common` does. Rounds
// and seed are the search's own, and so are parameters in `fixed`.
std::vector<std::vector<Setting>> starts_of(const Portfolio& portfolio, const Parameters& common,
                                            std::string_view algorithm,
                                            const std::vector<std::string>& fixed);

// "leaves=45 learning-rate=0.5"; "defaults" where there are none.
std::string settings_text(const std::vector<Setting>& settings);

}  // namespace simplexboost
