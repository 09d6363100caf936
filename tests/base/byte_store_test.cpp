#include "base/files/byte_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/message_of.h"

namespace simplexboost {
namespace {

void expect_zero_and_written(ByteStore store) {
  ASSERT_EQ(store.size(), 100'000U);
  for (std::size_t i = 0; i < store.size() + ByteStore::kPadding; ++i)
    ASSERT_EQ(store.data()[i], 0) << i;
  store.data()[99'999] = 7;
  const ByteStore moved = std::move(store);
  EXPECT_EQ(moved.data()[99'999], 7);
  EXPECT_EQ(moved.size(), 100'000U);
}

TEST(ByteStore, IsZeroAtFirstAndKeepsWhatIsWritten) {
  expect_zero_and_written(ByteStore(100'000, {}));
  expect_zero_and_written(ByteStore(100'000, {::testing::TempDir()}));
}

TEST(ByteStore, LeavesNoNameInItsFolder) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "byte-store";
  std::filesystem::create_directory(folder);
  const ByteStore store(5000, {folder.string()});
  EXPECT_TRUE(store.mapped());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

TEST(ByteStore, SaysWhatCannotBeMadeAndWhere) {
  const std::string missing = testing::message_of([] { ByteStore(5000, {"/no/such/folder"}); });
  EXPECT_EQ(missing.rfind("/no/such/folder: a file of 0.0 GB for bins cannot be made: ", 0), 0U)
      << missing;
  const std::string large =
      testing::message_of([] { ByteStore(std::size_t{1} << 55, {::testing::TempDir()}); });
  EXPECT_NE(large.find("cannot be made"), std::string::npos) << large;
}

}  // namespace
}  // namespace simplexboost
