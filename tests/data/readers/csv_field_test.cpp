#include "data/readers/csv_field.h"

#include <gtest/gtest.h>

#include "data/data_files.h"

namespace simplexboost {
namespace {

// Whatever a name holds: written as a header's first cell it is read as it was.
TEST(CsvField, IsReadAsItWasWritten) {
  for (const std::string name :
       {"x", "a,b", "a\"b", "\"", " x", "x ", "a\nb", "a\r\nb", "\xEF\xBB\xBF", "\xEF\xBB\xBFx",
        "a\xEF\xBB\xBF", "\tx", "x\t", "a;b", "a\tb"}) {
    const Dataset data = testing::read_text("a.csv", csv_field(name) + ",class\n1,a\n2,b\n");
    ASSERT_EQ(data.columns.size(), 1U);
    EXPECT_EQ(data.columns[0].schema.name, name);
  }
}

}  // namespace
}  // namespace simplexboost
