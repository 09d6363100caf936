#include "cli/terminal/waiting_line.h"

#include <gtest/gtest.h>

#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

TEST(WaitingLine, SaysWhatAndSinceWhen) {
  EXPECT_EQ(render_waiting("reading rows.csv", 72.4, 80), "reading rows.csv  1:12");
}

TEST(WaitingLine, NeverFillsTheLastColumn) {
  for (std::size_t width = 0; width < 40; ++width)
    EXPECT_LT(display_width(render_waiting("reading rows.csv", 5, width)),
              std::max<std::size_t>(width, 1))
        << width;
}

TEST(WaitingLine, IsSilentWhereNobodyWatches) {
  ::testing::internal::CaptureStderr();
  {
    const WaitingLine line("reading", Terminal{}, false, std::chrono::milliseconds(1));
    const WaitingLine quiet("reading", Terminal{true, false, false}, true,
                            std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(WaitingLine, IsDrawnAfterAWhileAndTakenAway) {
  ::testing::internal::CaptureStderr();
  {
    const WaitingLine line("reading", Terminal{true, false, false}, false,
                           std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const std::string drawn = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(drawn.find("reading  0:00"), std::string::npos) << drawn;
  EXPECT_TRUE(drawn.ends_with(kEraseLine)) << drawn;
}

}  // namespace
}  // namespace simplexboost::cli
