#include "experiment/codeword_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

#include "base/text/nearest_name.h"
#include "loss/loss.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kGridSide = 121;
constexpr double kReach = 2;
constexpr std::string_view kVotes = "votes";
constexpr PlotPoint kPenUp{std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::quiet_NaN()};

// One dimension lies on the x axis; the third goes back and up, at half its length.
PlotPoint project(std::span<const float> word) {
  const auto at = [&](std::size_t j) { return j < word.size() ? static_cast<double>(word[j]) : 0; };
  return {at(0) + 0.45 * at(2), at(1) + 0.25 * at(2)};
}

std::vector<float> scores_of(std::span<const float> codewords, double x, double y) {
  std::vector<float> scores;
  for (std::size_t k = 0; k < codewords.size(); k += 2)
    scores.push_back(static_cast<float>(
        (static_cast<double>(codewords[k]) * x + static_cast<double>(codewords[k + 1]) * y) / 2));
  return scores;
}

using ScoreFunction = std::function<double(const std::vector<float>& scores)>;

// On the points of the grid, line by line.
std::vector<double> on_grid(std::span<const float> codewords, const ScoreFunction& function) {
  std::vector<double> values;
  const auto place = [](std::size_t i) {
    return kReach * (2 * static_cast<double>(i) / (kGridSide - 1) - 1);
  };
  for (std::size_t j = 0; j < kGridSide; ++j)
    for (std::size_t i = 0; i < kGridSide; ++i)
      values.push_back(function(scores_of(codewords, place(i), place(j))));
  return values;
}

ScoreFunction loss_function(const std::string& name) {
  if (name == kVotes)
    return [](const std::vector<float>& scores) {
      return std::exp(-2 * static_cast<double>(scores.front()));
    };
  if (!find_loss(name)) throw ParameterError(unknown_name_message("loss", name, drawn_losses()));
  return [loss = make_loss(name)](const std::vector<float>& scores) {
    const std::int32_t first = 0;
    return loss->risk(LossBlock{1, scores.size(), scores.data(), &first}).plain();
  };
}

// By how much class k leads over the best of the others.
double lead(const std::vector<float>& scores, std::size_t k) {
  float best = -std::numeric_limits<float>::infinity();
  for (std::size_t l = 0; l < scores.size(); ++l)
    if (l != k) best = std::max(best, scores[l]);
  return static_cast<double>(scores[k]) - static_cast<double>(best);
}

void add_rays(std::span<const float> codewords, std::size_t dimension, Plot& plot) {
  for (std::size_t k = 0; k * dimension < codewords.size(); ++k) {
    const PlotPoint end = project(codewords.subspan(k * dimension, dimension));
    PlotSeries ray{fmt::format("y{}", k + 1), PlotStyle::kLine, {{0, 0}, end}};
    ray.color = static_cast<int>(k);
    PlotSeries dot{"", PlotStyle::kPoints, {end}};
    dot.color = ray.color;
    plot.series.push_back(std::move(ray));
    plot.series.push_back(std::move(dot));
  }
}

}  // namespace

Plot codeword_plot(std::span<const float> codewords, std::size_t dimension) {
  assert(dimension >= 1 && dimension <= kMostDrawnDimensions);
  Plot plot{fmt::format("{} codewords of {} dimension{}", codewords.size() / dimension, dimension,
                        dimension == 1 ? "" : "s"),
            dimension < 3 ? "1" : "1, and 3 from aside",
            dimension < 2 ? "" : "2",
            {},
            true};
  add_rays(codewords, dimension, plot);
  return plot;
}

std::vector<std::string_view> drawn_losses() {
  std::vector<std::string_view> names{kVotes};
  names.insert(names.end(), loss_names().begin(), loss_names().end());
  return names;
}

std::vector<PlotPoint> contour(const std::vector<double>& values, std::size_t side, double reach,
                               double level) {
  std::vector<PlotPoint> pieces;
  const auto place = [&](std::size_t i) {
    return reach * (2 * static_cast<double>(i) / static_cast<double>(side - 1) - 1);
  };
  struct Corner {
    double x, y, value;
  };
  const auto corner = [&](std::size_t i, std::size_t j) {
    return Corner{place(i), place(j), values[j * side + i]};
  };
  // Each square as two triangles: in a triangle there is no doubt how the line goes.
  const auto triangle = [&](const std::array<Corner, 3>& corners) {
    std::vector<PlotPoint> ends;
    for (std::size_t e = 0; e < 3; ++e) {
      const Corner& a = corners[e];
      const Corner& b = corners[(e + 1) % 3];
      if ((a.value < level) == (b.value < level)) continue;
      const double share = (level - a.value) / (b.value - a.value);
      ends.push_back({a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
    }
    if (ends.size() != 2) return;
    pieces.push_back(kPenUp);
    pieces.insert(pieces.end(), ends.begin(), ends.end());
  };
  for (std::size_t j = 0; j + 1 < side; ++j)
    for (std::size_t i = 0; i + 1 < side; ++i) {
      triangle({corner(i, j), corner(i + 1, j), corner(i, j + 1)});
      triangle({corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)});
    }
  return pieces;
}

Plot contour_plot(std::span<const float> codewords, const std::string& loss) {
  const ScoreFunction function = loss_function(loss);
  Plot plot{fmt::format("The loss '{}' of class 1", loss), "f1", "f2", {}, true};
  add_rays(codewords, 2, plot);
  for (std::size_t k = 0; k < codewords.size() / 2; ++k) {
    PlotSeries boundary{"", PlotStyle::kLine, {}, true, 7};
    boundary.points =
        contour(on_grid(codewords, [&](const std::vector<float>& u) { return lead(u, k); }),
                kGridSide, kReach, 0);
    plot.series.push_back(std::move(boundary));
  }
  const std::vector<double> values = on_grid(codewords, function);
  for (int step = -3; step <= 3; ++step) {
    const double share = step / 2.0;
    const double level = function(scores_of(codewords, share * static_cast<double>(codewords[0]),
                                            share * static_cast<double>(codewords[1])));
    PlotSeries line{fmt::format("{:.3g}", level), PlotStyle::kLine,
                    contour(values, kGridSide, kReach, level)};
    line.color = step + 3;
    plot.series.push_back(std::move(line));
  }
  return plot;
}

}  // namespace simplexboost
