#include "cli/text/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace simplexboost::cli {
namespace {

TEST(Text, WrapsAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrap("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrap("incomprehensible", 5, 2), "incomprehensible");
  EXPECT_EQ(wrap("a\nb", 80, 1), "a\n b");
}

TEST(Text, SplitLeavesEmptyPartsOut) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(split("", ',').empty());
}

TEST(Text, FitCutsByCharactersNotBytes) {
  EXPECT_EQ(fit("Zürich", 6), "Zürich");
  EXPECT_EQ(fit("Zürich", 4), "Zür…");
  EXPECT_EQ(fit("abc", 0), "");
}

TEST(Text, ControlCharactersAreShownAsEscapes) {
  EXPECT_EQ(fit("a\x1b[2Jb\n", 20), "a\\x1b[2Jb\\n");
  EXPECT_EQ(format_table({{"a\x1b", "b"}}, {0}), "a\\x1b  b\n");
}

RC_GTEST_PROP(Text, FitNeverExceedsTheWidth, (const std::string& text)) {
  const auto width = static_cast<std::size_t>(*rc::gen::inRange(0, 20));
  RC_ASSERT(display_width(fit(text, width)) <= width);
}

TEST(Text, TableAlignsColumns) {
  EXPECT_EQ(format_table({{"NAME", "N"}, {"ä", "10"}, {"long", "1"}}, {0}, 1),
            " NAME   N\n ä     10\n long   1\n");
}

}  // namespace
}  // namespace simplexboost::cli
