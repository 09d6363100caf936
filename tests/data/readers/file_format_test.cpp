#include "data/readers/file_format.h"

#include <gtest/gtest.h>

namespace simplexboost {
namespace {

TEST(FileFormatByExtension, KnowsTheDataFormats) {
  EXPECT_EQ(format_by_extension("x.CSV"), FileFormat::kCsv);
  EXPECT_EQ(format_by_extension("x.svm.gz"), FileFormat::kLibsvm);
  EXPECT_EQ(format_by_extension("x.Arff"), FileFormat::kArff);
  EXPECT_EQ(format_by_extension("dir.arff/x"), FileFormat::kCsv);
  EXPECT_EQ(format_by_extension("x.gz"), FileFormat::kCsv);
  EXPECT_EQ(format_by_extension(""), FileFormat::kCsv);
  EXPECT_EQ(format_by_extension("x.json"), FileFormat::kAuto);
  EXPECT_TRUE(has_gzip_extension("x.Gz"));
  EXPECT_FALSE(has_gzip_extension("gz"));
}

}  // namespace
}  // namespace simplexboost
