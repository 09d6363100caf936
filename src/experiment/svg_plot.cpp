#include "experiment/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace simplexboost {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 420;
constexpr double kLeft = 64;
constexpr double kRight = 150;  // the legend stands there
constexpr double kTop = 36;
constexpr double kBottom = 52;
constexpr int kTicks = 6;
constexpr double kLargest = 1e100;  // beyond this, differences of coordinates could overflow

// Okabe and Ito's colours, told apart by all eyes.
constexpr std::array<std::string_view, 8> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000", "#999999"};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double length() const { return high - low; }
  // A range of nothing, or of one value, gets some room.
  void settle() {
    if (!(low <= high)) *this = {0, 1};
    if (low == high)
      *this = {low - 0.5 * std::max(1.0, std::abs(low)),
               high + 0.5 * std::max(1.0, std::abs(high))};
  }
  void widen(double share) {
    const double room = share * length();
    *this = {low - room, high + room};
  }
};

struct Frame {
  Range x;
  Range y;
  double width = kWidth - kLeft - kRight;
  double height = kHeight - kTop - kBottom;

  double column(double value) const { return kLeft + (value - x.low) / x.length() * width; }
  double line(double value) const { return kTop + (y.high - value) / y.length() * height; }
};

bool drawable(const PlotPoint& point) {
  return std::abs(point.x) < kLargest && std::abs(point.y) < kLargest;
}

Frame make_frame(const Plot& plot) {
  Frame frame;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      if (!drawable(point)) continue;
      frame.x.add(point.x);
      frame.y.add(point.y);
      if (series.style == PlotStyle::kBars) frame.y.add(0);
    }
  }
  frame.x.settle();
  frame.y.settle();
  if (plot.square) {
    const double unit = std::max(frame.x.length() / frame.width, frame.y.length() / frame.height);
    frame.x.widen((unit * frame.width / frame.x.length() - 1) / 2);
    frame.y.widen((unit * frame.height / frame.y.length() - 1) / 2);
  }
  frame.x.widen(0.03);
  frame.y.widen(0.03);
  return frame;
}

std::string label(double x, double y, std::string_view anchor, std::string_view text,
                  std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, svg_escape(text));
}

std::string axes(const Plot& plot, const Frame& frame) {
  const double bottom = kTop + frame.height;
  std::string text = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
      kTop, frame.width, frame.height);
  constexpr std::string_view kTick =
      "<line class=\"tick\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke=\"#ddd\"/>\n";
  for (const double value : nice_ticks(frame.x.low, frame.x.high, kTicks)) {
    const double x = frame.column(value);
    text += fmt::format(kTick, x, kTop, x, bottom);
    text += label(x, bottom + 16, "middle", fmt::format("{:.6g}", value));
  }
  for (const double value : nice_ticks(frame.y.low, frame.y.high, kTicks)) {
    const double y = frame.line(value);
    text += fmt::format(kTick, kLeft, y, kLeft + frame.width, y);
    text += label(kLeft - 6, y + 4, "end", fmt::format("{:.6g}", value));
  }
  const double middle = kTop + frame.height / 2;
  text += label(kLeft + frame.width / 2, kTop - 14, "middle", plot.title, " font-weight=\"bold\"");
  text += label(kLeft + frame.width / 2, bottom + 38, "middle", plot.x_label);
  text += label(16, middle, "middle", plot.y_label,
                fmt::format(" transform=\"rotate(-90 16 {:.1f})\"", middle));
  return text;
}

std::string line_marks(const PlotSeries& series, const Frame& frame, std::string_view color) {
  std::string path;
  bool pen_down = false;
  for (const PlotPoint& point : series.points) {
    if (drawable(point)) {
      path += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", frame.column(point.x),
                          frame.line(point.y));
    }
    pen_down = drawable(point);
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", path,
                     color, series.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

std::string point_marks(const PlotSeries& series, const Frame& frame, std::string_view color) {
  std::string text;
  for (const PlotPoint& point : series.points) {
    if (!drawable(point)) continue;
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\" fill-opacity=\"0.6\"/>\n",
        frame.column(point.x), frame.line(point.y), color);
  }
  return text;
}

std::string bar_marks(const PlotSeries& series, const Frame& frame, std::string_view color) {
  const double width =
      frame.width / static_cast<double>(std::max<std::size_t>(series.points.size(), 1));
  std::string text;
  for (const PlotPoint& point : series.points) {
    if (!drawable(point)) continue;
    const double top = frame.line(std::max(point.y, 0.0));
    text += fmt::format(
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"{}\"/>\n",
        frame.column(point.x) - 0.45 * width, top, 0.9 * width,
        frame.line(std::min(point.y, 0.0)) - top, color);
  }
  return text;
}

std::string marks(const PlotSeries& series, const Frame& frame, std::string_view color) {
  switch (series.style) {
    case PlotStyle::kPoints: return point_marks(series, frame, color);
    case PlotStyle::kBars: return bar_marks(series, frame, color);
    case PlotStyle::kLine: break;
  }
  return line_marks(series, frame, color);
}

// Of the whole picture: wider where a name in the legend is too long for its place.
double picture_width(const Plot& plot) {
  constexpr double kBeside = 34;  // before the names, and behind them
  constexpr double kLetter = 6.5;
  double legend = kRight;
  for (const PlotSeries& series : plot.series)
    legend = std::max(legend, kBeside + kLetter * static_cast<double>(series.name.size()));
  return std::ceil(kWidth - kRight + legend);
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) step = factor * power;
  std::vector<double> ticks;
  for (double k = std::ceil(low / step); k * step <= high; ++k) {
    // More than so many only where the step is below what the numbers can tell apart.
    if (ticks.size() > 4 * static_cast<std::size_t>(count)) break;
    ticks.push_back(k * step + 0.0);
  }
  return ticks;
}

std::string svg_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string svg_text(const Plot& plot) {
  const Frame frame = make_frame(plot);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      picture_width(plot), kHeight);
  text += axes(plot, frame);
  double legend = kTop + 10;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    const std::size_t number = series.color < 0 ? i : static_cast<std::size_t>(series.color);
    const std::string_view color = kColors[number % kColors.size()];
    text += marks(series, frame, color);
    if (series.name.empty()) continue;
    const double x = kWidth - kRight + 10;
    text += fmt::format(
        "<rect class=\"key\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"4\" fill=\"{}\"/>\n",
        x, legend - 6, color);
    text += label(x + 18, legend, "start", series.name);
    legend += 17;
  }
  return text + "</svg>\n";
}

}  // namespace simplexboost
