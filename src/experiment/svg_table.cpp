#include "experiment/svg_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "experiment/svg_plot.h"

namespace simplexboost {
namespace {

constexpr double kSide = 480;    // of the whole square
constexpr double kMargin = 110;  // names stand there
constexpr double kLeastNamed = 11;
constexpr double kLeastNumbered = 26;
constexpr std::size_t kLongestName = 12;

std::string short_name(const std::string& name) {
  if (name.size() <= kLongestName) return svg_escape(name);
  // Not in the middle of a character of several bytes.
  std::size_t end = kLongestName - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return svg_escape(name.substr(0, end)) + "…";
}

// From white to blue.
std::string color(double share) {
  const auto mix = [&](int to) {
    return static_cast<int>(std::lround(255 + (to - 255) * std::sqrt(share)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0x00), mix(0x4c), mix(0x8c));
}

std::string number(double value) {
  return value == std::floor(value) && value < 1e6 ? fmt::format("{:.0f}", value)
                                                   : fmt::format("{:.3g}", value);
}

}  // namespace

std::string svg_text(const ShadedTable& table) {
  const std::size_t count = table.names.size();
  const double cell = kSide / static_cast<double>(std::max<std::size_t>(count, 1));
  const double size = std::min(12.0, 0.8 * cell);
  const double all = kSide + kMargin + 20;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{0}\" font-family=\"sans-"
      "serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{0}\" fill=\"white\"/>\n",
      all);
  const auto write = [&](double x, double y, std::string_view anchor, double font,
                         std::string_view fill, const std::string& text, bool turned = false) {
    const std::string turn = turned ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "";
    out += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:.1f}\" "
        "fill=\"{}\"{}>{}</text>\n",
        x, y, anchor, font, fill, turn, text);
  };
  write(kMargin + kSide / 2, 16, "middle", 14, "black", svg_escape(table.title));
  write(kMargin + kSide / 2, all - 6, "middle", 12, "black", svg_escape(table.column_label));
  write(14, kMargin / 4 + kSide / 2, "middle", 12, "black", svg_escape(table.line_label), true);
  const double top = 26;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = top + static_cast<double>(i) * cell;
    const double sum = std::accumulate(table.cells[i].begin(), table.cells[i].end(), 0.0);
    if (cell >= kLeastNamed) {
      write(kMargin - 4, y + 0.5 * cell + 0.35 * size, "end", size, "black",
            short_name(table.names[i]));
      const double x = kMargin + (static_cast<double>(i) + 0.5) * cell + 0.35 * size;
      write(x, top + kSide + 4, "end", size, "black", short_name(table.names[i]), true);
    }
    for (std::size_t j = 0; j < count; ++j) {
      const double value = table.cells[i][j];
      if (!(value > 0)) continue;
      const double share = value / sum;
      const double x = kMargin + static_cast<double>(j) * cell;
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
          y, cell, cell, color(share));
      if (cell >= kLeastNumbered)
        write(x + 0.5 * cell, y + 0.5 * cell + 4, "middle", 11, share > 0.4 ? "white" : "black",
              number(value));
    }
  }
  out += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888888\"/>\n",
      kMargin, top, kSide, kSide);
  return out + "</svg>\n";
}

}  // namespace simplexboost
