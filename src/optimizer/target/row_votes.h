// The votes of one row as dmcboost sees them (kdd2014): those for its class against those for the
// strongest others, and what one more vote would do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "optimizer/optimizer.h"

namespace simplexboost {

struct RowVotes {
  float own = 0;             // a(x, c)
  float top = 0;             // the most that another class has
  float second = 0;          // the most beside the class that has `top`; -infinity for two classes
  std::int32_t rival = -1;   // the class that has `top`, the first of equals
  std::int32_t runner = -1;  // the class that has `second`, likewise

  // Ties go to the first class, as in prediction.
  bool right(std::int32_t c) const { return own > top || (own == top && c < rival); }
  bool right_but_for_rival(std::int32_t c) const {
    return own > second || (own == second && c < runner);
  }
  // Whether c wins against all but y, a class other than c.
  bool right_but_for(std::int32_t y, std::int32_t c) const {
    return y == rival ? right_but_for_rival(c) : right(c);
  }
};

inline RowVotes row_votes(const float* votes, std::size_t classes, std::int32_t c) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  RowVotes row{votes[c], kNone, kNone};
  for (std::size_t y = 0; y < classes; ++y) {
    if (static_cast<std::int32_t>(y) == c) continue;
    if (votes[y] > row.top) {
      row.second = row.top;
      row.runner = row.rival;
      row.top = votes[y];
      row.rival = static_cast<std::int32_t>(y);
    } else if (votes[y] > row.second) {
      row.second = votes[y];
      row.runner = static_cast<std::int32_t>(y);
    }
  }
  return row;
}

// The margin of a row, a(x, c) - max a(x, l), while a vote for y counts alpha more: it is
// min(level + alpha, infinity) for y = c, and min(level, fall - alpha) else (kdd2014, Figure 2).
struct MarginLine {
  float level = 0;
  float fall = 0;  // infinity: the vote is for c

  bool own() const { return fall == std::numeric_limits<float>::infinity(); }
  double at(double alpha) const {
    return own() ? static_cast<double>(level) + alpha
                 : std::min(static_cast<double>(level), static_cast<double>(fall) - alpha);
  }
};

inline MarginLine margin_line(const RowVotes& row, const float* votes, std::int32_t c,
                              std::int32_t y) {
  if (y == c) return {row.own - row.top, std::numeric_limits<float>::infinity()};
  return {row.own - (y == row.rival ? row.second : row.top), row.own - votes[y]};
}

// Votes so far: a(x, y), rows x classes, and the same of each row in brief.
struct VoteView {
  const Problem& problem;
  const float* votes;
  std::span<const RowVotes> rows;

  std::int32_t label(std::size_t row) const { return problem.labels.codes[row]; }
  const float* of(std::size_t row) const { return votes + row * problem.classes; }
};

}  // namespace simplexboost
