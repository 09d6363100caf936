#include "base/text/visible_text.h"

#include <gtest/gtest.h>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

TEST(VisibleText, LeavesWhatATerminalShows) {
  for (const char* text : {"", "plain text", "Größe, 温度, 😀", "a\\nb"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, EscapesWhatATerminalObeys) {
  EXPECT_EQ(visible_text("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
  EXPECT_EQ(visible_text("two\r\nlines\t"), "two\\r\\nlines\\t");
  EXPECT_EQ(visible_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible_text("\x7f"), "\\x7f");
  EXPECT_EQ(visible_text("C1: \xc2\x9b"
                         "31m"),
            "C1: \\x9b31m");
  EXPECT_EQ(visible_text("\xe2\x80\xae"
                         "reversed"),
            "\\u{202e}reversed");
}

TEST(VisibleText, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(visible_text("\xff\xfe"
                         "a"),
            "\\xff\\xfea");
  EXPECT_EQ(visible_text("\xc0\x80"), "\\xc0\\x80");           // too long a form
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80").substr(0, 4), "\\xf4");
  EXPECT_EQ(visible_text("cut \xe2\x82"), "cut \\xe2\\x82");
}

TEST(VisibleText, IsWhatErrorsSay) {
  EXPECT_STREQ(DataError({"a\x1b.csv", 1, 2}, "x\ny").what(), "a\\x1b.csv:1:2: x\\ny");
  EXPECT_STREQ(IoError("\xff", 5).what(), "\\xff");
}

TEST(VisibleText, MayKeepLinesOrBeCut) {
  EXPECT_EQ(visible_lines("a\x1b\nb\r\n"), "a\\x1b\nb\\r\n");
  EXPECT_EQ(short_text("abcdef", 6), "abcdef");
  EXPECT_EQ(short_text("abcdefg", 6), "abcdef...");
  EXPECT_EQ(short_text("abcd€fg", 6), "abcd...");
  EXPECT_EQ(short_text("\x1b", 6), "\\x1b");
}

TEST(VisibleText, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("Größe 温度 😀"));
  EXPECT_FALSE(
      is_utf8("Gr\xf6\xdf"
              "e"));
  EXPECT_FALSE(is_utf8("\xf5\x80\x80\x80"));
}

}  // namespace
}  // namespace simplexboost
