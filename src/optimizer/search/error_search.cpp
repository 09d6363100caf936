#include "optimizer/search/error_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simplexboost {

double ErrorInterval::step(double unit) const {
  if (std::isinf(from)) return std::isinf(to) ? unit : to - unit;
  return std::isinf(to) ? from + unit : from + (to - from) / 2;
}

double error_points(const VoteView& view, const std::vector<std::int32_t>& votes,
                    std::vector<ErrorPoint>& points) {
  points.clear();
  double error = 0;
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const RowVotes& row = view.rows[i];
    const std::int32_t c = view.label(i);
    const std::int32_t y = votes[i];
    const double weight = view.problem.weights[i];
    if (y == c) {
      // Wrong, then right.
      points.push_back({static_cast<double>(row.top) - static_cast<double>(row.own), -weight});
      error += weight;
    } else if (y < 0 ? !row.right(c) : !row.right_but_for(y, c)) {
      error += weight;
    } else if (y >= 0) {
      // Right, until y has as many votes.
      const auto other = static_cast<double>(view.of(i)[y]);
      points.push_back({static_cast<double>(row.own) - other, weight});
    }
  }
  return error;
}

namespace {

// Calls use(interval) for each interval between neighbouring points, from -infinity on. Votes
// beyond the range of floats, of a hostile model to go on from, have points that are none.
template <class Use>
void for_intervals(std::vector<ErrorPoint>& points, double error, const Use& use) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::erase_if(points, [](const ErrorPoint& point) { return std::isnan(point.at); });
  std::sort(points.begin(), points.end(), [](const ErrorPoint& a, const ErrorPoint& b) {
    return a.at != b.at ? a.at < b.at : a.change < b.change;
  });
  use(ErrorInterval{-kInfinity, points.empty() ? kInfinity : points.front().at, error});
  for (std::size_t i = 0; i < points.size();) {
    const double from = points[i].at;
    for (; i < points.size() && points[i].at == from; ++i) error += points[i].change;
    use(ErrorInterval{from, i < points.size() ? points[i].at : kInfinity, error});
  }
}

}  // namespace

ErrorInterval best_interval(std::vector<ErrorPoint>& points, double error, double least_width) {
  ErrorInterval best{0, 0, std::numeric_limits<double>::infinity()};
  const auto width = [](const ErrorInterval& interval) {
    const double size = interval.to - interval.from;
    return std::isinf(size) ? 0 : size;
  };
  for_intervals(points, error, [&](const ErrorInterval& next) {
    if (next.to - next.from < least_width) return;
    if (next.error < best.error || (next.error == best.error && width(next) > width(best)))
      best = next;
  });
  return best;
}

ErrorInterval best_interval_towards(std::vector<ErrorPoint>& points, double error, double length,
                                    double least_width) {
  ErrorInterval best{0, 0, std::numeric_limits<double>::infinity()};
  for_intervals(points, error, [&](ErrorInterval next) {
    next.from = std::max(next.from, std::min(length, 0.0));
    next.to = std::min(next.to, std::max(length, 0.0));
    if (next.to - next.from < least_width || next.to <= next.from) return;
    if (next.error < best.error ||
        (next.error == best.error && std::fabs(next.step(0)) > std::fabs(best.step(0))))
      best = next;
  });
  return best;
}

}  // namespace simplexboost
