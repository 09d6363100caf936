// Small pictures as SVG text: lines, points or bars in a frame with ticks, labels and a legend.
// Enough for learning curves, margin histograms and scatter plots, and readable in any browser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simplexboost {

enum class PlotStyle : std::uint8_t { kLine, kPoints, kBars };

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;  // in the legend; empty: not there
  PlotStyle style = PlotStyle::kLine;
  // Points that are not finite are left out, and break a line. Bars stand at x, from 0 to y.
  std::vector<PlotPoint> points;
  bool dashed = false;
  int color = -1;  // that of the series of this number; -1: one of its own
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotSeries> series;
  bool square = false;  // one unit is as long on both axes
};

// Round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`, about `count`.
std::vector<double> nice_ticks(double low, double high, int count);

// Text as it stands between the tags.
std::string svg_escape(std::string_view text);

std::string svg_text(const Plot& plot);

}  // namespace simplexboost
