#include "experiment/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "experiment/count_text.h"

namespace simplexboost {
namespace {

using testing::count;

// Every element that is opened is closed, in order, and no text holds a bare '<' or '&'.
bool well_formed(const std::string& text) {
  static const std::regex kTag(R"(<(/?)([a-z]+)((?: [a-zA-Z0-9:-]+="[^"<]*")*)(/?)>)");
  static const std::regex kBare(R"(&(?!(amp|lt|gt);))");
  std::vector<std::string> open;
  std::size_t tags = 0;
  for (std::sregex_iterator tag(text.begin(), text.end(), kTag), end; tag != end; ++tag, ++tags) {
    if ((*tag)[1].length() > 0) {
      if (open.empty() || open.back() != (*tag)[2]) return false;
      open.pop_back();
    } else if ((*tag)[4].length() == 0) {
      open.push_back((*tag)[2]);
    }
  }
  return open.empty() && tags == count(text, "<") && !std::regex_search(text, kBare);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(SvgPlotTest, DrawsOnePathForALineAndAKeyForItsName) {
  const std::string text = svg_text({"t", "x", "y", {{"a", PlotStyle::kLine, {{0, 1}, {1, 2}}}}});
  EXPECT_TRUE(well_formed(text));
  EXPECT_EQ(count(text, "<path"), 1U);
  EXPECT_EQ(count(text, "class=\"key\""), 1U);
}

TEST(SvgPlotTest, DrawsACircleForEachPointAndABarForEachValue) {
  Plot plot;
  plot.series.push_back({"p", PlotStyle::kPoints, {{0, 1}, {1, 2}, {2, 5}}});
  plot.series.push_back({"", PlotStyle::kBars, {{0, 1}, {1, -2}}});
  const std::string text = svg_text(plot);
  EXPECT_TRUE(well_formed(text));
  EXPECT_EQ(count(text, "<circle"), 3U);
  EXPECT_EQ(count(text, "class=\"bar\""), 2U);
  EXPECT_EQ(count(text, "class=\"key\""), 1U);
}

TEST(SvgPlotTest, HasRoomForLongNames) {
  const auto width = [](const std::string& name) {
    const std::string text =
        svg_text({"t", "x", "y", {{name, PlotStyle::kLine, {{0, 1}, {1, 2}}}}});
    return std::stod(text.substr(text.find("width=\"") + 7));
  };
  EXPECT_EQ(width("short"), width(""));
  EXPECT_GE(width(std::string(50, 'm')) - width(""), 6 * 20);
}

TEST(SvgPlotTest, GivesASeriesTheColourOfAnother) {
  Plot plot;
  plot.series.push_back({"a", PlotStyle::kLine, {{0, 0}, {1, 1}}});
  plot.series.push_back({"", PlotStyle::kLine, {{0, 1}, {1, 0}}, true, 0});
  EXPECT_EQ(count(svg_text(plot), "stroke=\"#0072b2\""), 2U);
}

TEST(SvgPlotTest, EscapesWhatXmlWouldTakeForMarkup) {
  const std::string text = svg_text({"a < b & \"c\"", "<x>", "y\n", {}});
  EXPECT_TRUE(well_formed(text));
  EXPECT_EQ(count(text, "a &lt; b &amp;"), 1U);
}

TEST(SvgPlotTest, LeavesOutPointsThatAreNotFiniteAndBreaksTheLine) {
  const double infinity = std::numeric_limits<double>::infinity();
  const PlotSeries line{"", PlotStyle::kLine, {{0, 1}, {1, 2}, {kNan, 1}, {3, infinity}, {4, 1}}};
  const std::string text = svg_text({"", "", "", {line}});
  EXPECT_TRUE(well_formed(text));
  EXPECT_EQ(count(text, "nan") + count(text, "inf"), 0U);
  const std::string path = text.substr(text.find("<path"));
  EXPECT_EQ(count(path.substr(0, path.find("fill")), "M"), 2U);
}

TEST(SvgPlotTest, StandsValuesAllAlikeHugeAndTiny) {
  for (const double value : {0.0, 5.0, 1e90, -1e-300, 1e300}) {
    const std::string text =
        svg_text({"", "", "", {{"", PlotStyle::kPoints, {{value, value}, {value, value}}}}});
    EXPECT_TRUE(well_formed(text)) << value;
    EXPECT_EQ(count(text, "nan") + count(text, "inf"), 0U) << value;
  }
}

TEST(SvgPlotTest, TicksAreRoundNumbersWithinTheRange) {
  const std::vector<double> ticks = nice_ticks(0.03, 0.97, 6);
  ASSERT_GE(ticks.size(), 4U);
  for (const double tick : ticks) {
    EXPECT_GE(tick, 0.03);
    EXPECT_LE(tick, 0.97);
    EXPECT_NEAR(tick * 10, std::round(tick * 10), 1e-9);
  }
  EXPECT_TRUE(nice_ticks(1, 1, 6).empty());
  EXPECT_TRUE(nice_ticks(0, kNan, 6).empty());
}

}  // namespace
}  // namespace simplexboost
