// Pictures of codewords of up to three dimensions (jmlr2019, Figures 1 and 2), and, in the plane,
// of what a loss says of predictors f of the first class (Figure 3).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/svg_plot.h"

namespace simplexboost {

inline constexpr std::size_t kMostDrawnDimensions = 3;

// A ray to each codeword; `codewords` is classes x dimension. Three dimensions are seen from aside.
Plot codeword_plot(std::span<const float> codewords, std::size_t dimension);

// The losses whose contours can be drawn: the built-in ones, and "votes", e^-<y, f>, which is that
// of AdaBoost.M1 and, but for a factor of f, that of SAMME (121).
std::vector<std::string_view> drawn_losses();

// Contours of the loss of the first class in the plane, through the points -3/2, -1 .. 3/2 of its
// codeword, with the boundaries between the classes. Codewords are classes x 2; throws a
// ParameterError for other names than those above.
Plot contour_plot(std::span<const float> codewords, const std::string& loss);

// Pieces of the lines on which a function of the plane has a value, on a grid of the square from
// -reach to reach: points in pairs, each pair behind a point that is not a number.
std::vector<PlotPoint> contour(const std::vector<double>& values, std::size_t side, double reach,
                               double level);

}  // namespace simplexboost
