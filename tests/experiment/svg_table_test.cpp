#include "experiment/svg_table.h"

#include <gtest/gtest.h>

#include "experiment/count_text.h"

namespace simplexboost {
namespace {

using testing::count;

ShadedTable table_of(std::size_t classes) {
  ShadedTable table{"t", "true", "predicted", {}, {}};
  for (std::size_t k = 0; k < classes; ++k) {
    table.names.push_back("class " + std::to_string(k));
    table.cells.emplace_back(classes, 0.0);
    table.cells[k][k] = 3;
  }
  return table;
}

TEST(SvgTableTest, DrawsTheCellsThatHoldSomethingWithTheirNumbers) {
  ShadedTable table = table_of(3);
  table.cells[0][2] = 1;
  const std::string text = svg_text(table);
  EXPECT_EQ(count(text, "<rect"), 4U + 2);  // cells, background and frame
  EXPECT_EQ(count(text, ">3<"), 3U);
  EXPECT_EQ(count(text, ">1<"), 1U);
  EXPECT_EQ(count(text, ">class 1<"), 2U);  // at its line and its column
}

TEST(SvgTableTest, LeavesOutNamesAndNumbersThatHaveNoRoom) {
  const std::string text = svg_text(table_of(100));
  EXPECT_EQ(count(text, "<rect"), 100U + 2);
  EXPECT_EQ(count(text, "class"), 0U);
  EXPECT_EQ(count(text, ">3<"), 0U);
}

TEST(SvgTableTest, TakesAnyNameAndAClassWithoutRows) {
  ShadedTable table = table_of(2);
  table.names = {"<a & b>", "a name that is much too long \xC3\xA4\xC3\xA4"};
  table.cells[1] = {0, 0};
  const std::string text = svg_text(table);
  EXPECT_EQ(count(text, "&lt;a &amp; b&gt;"), 2U);
  EXPECT_EQ(count(text, "nan"), 0U);
  EXPECT_NE(svg_text(ShadedTable{}), "");
}

}  // namespace
}  // namespace simplexboost
