#include "cli/terminal/progress_bar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

constexpr Terminal kPlain{true, false, false};
constexpr Terminal kUtf8{true, true, false};

TEST(ProgressBar, ShowsRoundsFiguresAndTimeLeft) {
  const ProgressState state{50, 100, 10, "  train 0.1000"};
  EXPECT_EQ(render_progress(state, 80, kPlain),
            "#################.................. round 50/100  train 0.1000  0:10, 0:10 left");
}

TEST(ProgressBar, NeverFillsTheLastColumn) {
  for (std::size_t width = 0; width < 200; ++width) {
    for (const std::size_t done : {0U, 1U, 99U, 100U}) {
      const ProgressState state{done, 100, 12345, "  train 0.1000  valid 0.2000"};
      const std::string line = render_progress(state, width, kUtf8);
      EXPECT_LT(display_width(line), std::max<std::size_t>(width, 1)) << width;
    }
  }
}

TEST(ProgressBar, NoTimeLeftAtTheEnd) {
  EXPECT_EQ(render_progress({100, 100, 5, ""}, 200, kPlain),
            std::string(40, '#') + " round 100/100  0:05");
}

TEST(ProgressBar, DurationsReadLikeAClock) {
  EXPECT_EQ(format_duration(0.9), "0:00");
  EXPECT_EQ(format_duration(754), "12:34");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(-1), "0:00");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace
}  // namespace simplexboost::cli
