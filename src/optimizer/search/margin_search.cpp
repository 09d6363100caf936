#include "optimizer/search/margin_search.h"

#include <algorithm>
#include <cmath>

namespace simplexboost {
namespace {

constexpr std::size_t kMarginSearchRowBlock = 8192;
// A step of less than this share of the sum of all steps changes nothing in single precision.
constexpr double kShortest = 1e-8;
// More than margins are rounded by.
constexpr double kStepRounding = 1e-6;

}  // namespace

MarginSearch::MarginSearch(const RowWeights& weights, double mass, const RowSpace& space)
    : weights_(weights), mass_(mass), space_(space), equal_weights_(weights.all_equal()) {}

// Only values in the range can be the edge; those below it are counted. A range that does not hold
// the edge costs time, no more.
float MarginSearch::edge_of_equals(std::span<const float> values, ValueBounds range) {
  const auto wanted = static_cast<std::size_t>(std::ceil(mass_ / weights_[0] - 1e-9));
  const std::size_t place = std::clamp<std::size_t>(wanted, 1, values.size()) - 1;
  selected_.resize(values.size());
  std::size_t below = 0;
  std::size_t count = 0;
  for (const float value : values) {
    selected_[count] = value;
    below += value < range.low ? 1 : 0;
    count += value >= range.low && value <= range.high ? 1 : 0;
  }
  if (place < below || place - below >= count) return edge_of_equals(values, {});
  const auto edge = selected_.begin() + static_cast<long>(place - below);
  std::nth_element(selected_.begin(), edge, selected_.begin() + static_cast<long>(count));
  return *edge;
}

Bottom MarginSearch::bottom(std::span<const float> values, ValueBounds range) {
  Bottom result;
  if (equal_weights_) {
    result.edge = edge_of_equals(values, range);
  } else {
    weighted_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) weighted_[i] = {values[i], weights_[i]};
    // Selection by weight: halve the candidates, keep the half that the edge is in.
    auto low = weighted_.begin();
    auto high = weighted_.end();
    double below = 0;
    while (high - low > 1) {
      const auto middle = low + (high - low) / 2;
      std::nth_element(low, middle, high,
                       [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
      double half = 0;
      for (auto it = low; it != middle; ++it) half += it->weight;
      if (below + half >= mass_) {
        high = middle;
      } else {
        below += half;
        low = middle;
      }
    }
    result.edge = low->value;
  }
  const std::vector<double> below =
      space_.sums(kMarginSearchRowBlock, 2, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const double counted = values[i] < result.edge ? weights_[i] : 0;
          sums[0] += counted * static_cast<double>(values[i]);
          sums[1] += counted;
        }
      });
  result.sum = below[0] + (mass_ - below[1]) * static_cast<double>(result.edge);
  return result;
}

MarginSearch::Slopes MarginSearch::slopes(std::span<const MarginLine> lines, double alpha,
                                          float edge, Side side) const {
  const auto of_block = [&](std::size_t begin, std::size_t end) {
    Slopes part;
    for (std::size_t i = begin; i < end; ++i) {
      if (values_[i] > edge) continue;
      const MarginLine& line = lines[i];
      const double falling = static_cast<double>(line.fall) - alpha;
      const auto level = static_cast<double>(line.level);
      const bool falls = side == Side::kRight ? falling <= level : falling < level;
      const int slope = line.own() ? 1 : falls ? -1 : 0;
      if (values_[i] < edge) {
        part.below += weights_[i] * slope;
        part.weight_below += weights_[i];
      } else {
        part.at_edge[slope + 1] += weights_[i];
      }
    }
    return part;
  };
  Slopes all;
  for (const Slopes& part : space_.block_values<Slopes>(kMarginSearchRowBlock, of_block)) {
    all.below += part.below;
    all.weight_below += part.weight_below;
    for (int s = 0; s < 3; ++s) all.at_edge[s] += part.at_edge[s];
  }
  return all;
}

MarginSearch::Point MarginSearch::point(std::span<const MarginLine> lines, double total,
                                        double alpha, Side side, ValueBounds range) {
  values_.resize(lines.size());
  space_.for_blocks(kMarginSearchRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values_[i] = static_cast<float>(lines[i].at(alpha));
  });
  const Bottom found = bottom(values_, range);
  const Slopes slope = slopes(lines, alpha, found.edge, side);
  // Of the rows at the edge those are in the active set next that will be lowest.
  double sum_slope = slope.below;
  double room = mass_ - slope.weight_below;
  for (int step = 0; step < 3; ++step) {
    const int s = side == Side::kRight ? step : 2 - step;
    const double taken = std::min(room, slope.at_edge[s]);
    sum_slope += taken * (s - 1);
    room -= taken;
  }
  const double size = total + std::fabs(alpha);
  const bool negative = alpha < 0 || (alpha == 0 && side == Side::kLeft);
  return {found.sum / (mass_ * size), sum_slope * size + (negative ? found.sum : -found.sum),
          found.edge};
}

MarginSearch::Result MarginSearch::bisect(std::span<const MarginLine> lines, double total,
                                          double sign, double longest, double tolerance) {
  const Side side = sign > 0 ? Side::kRight : Side::kLeft;
  Point last = point(lines, total, sign * longest, side);
  double last_length = longest;
  // A margin moves by no more than the step does, and so does the edge.
  const auto move = [&](double length) {
    const auto edge = static_cast<double>(last.edge);
    const double far =
        std::fabs(length - last_length) + kStepRounding * (std::fabs(edge) + longest);
    last = point(lines, total, sign * length, side,
                 {static_cast<float>(edge - far), static_cast<float>(edge + far)});
    last_length = length;
  };
  double begin = 0;
  double end = longest;
  if (sign * last.derivative > 0) begin = end;
  while (end - begin > std::max(tolerance * longest, kShortest * total)) {
    const double middle = (begin + end) / 2;
    move(middle);
    (sign * last.derivative > 0 ? begin : end) = middle;
  }
  move((begin + end) / 2);
  return {sign * last_length, last.objective};
}

MarginSearch::Result MarginSearch::search(std::span<const MarginLine> lines, double total,
                                          Ways ways, double longest, double tolerance) {
  const Point right = point(lines, total, 0, Side::kRight);
  Result best{0, right.objective};
  const auto try_side = [&](double sign) {
    const Result found = bisect(lines, total, sign, longest, tolerance);
    if (found.objective > best.objective) best = found;
  };
  if (right.derivative > 0) try_side(1);
  if (ways == Ways::kBoth && point(lines, total, 0, Side::kLeft).derivative < 0) try_side(-1);
  return best;
}

}  // namespace simplexboost
