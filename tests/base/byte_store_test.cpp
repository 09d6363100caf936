#include "base/files/byte_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/memory.h"
#include "base/message_of.h"

namespace simplexboost {
namespace {

void expect_written(ByteStore store) {
  ASSERT_EQ(store.size(), 100'000U);
  store.data()[99'999] = 7;
  const ByteStore moved = std::move(store);
  EXPECT_EQ(moved.data()[99'999], 7);
  EXPECT_EQ(moved.size(), 100'000U);
}

TEST(ByteStore, KeepsWhatIsWritten) {
  expect_written(ByteStore(100'000, {}));
  expect_written(ByteStore(100'000, {::testing::TempDir()}));
}

// Where a page goes to the processor that touches it first, that is the one that writes there.
TEST(ByteStore, LeavesItsMemoryToThoseWhoWriteThere) {
  constexpr std::size_t kSize = std::size_t{256} << 20;
  const std::uint64_t before = resident_memory();
  if (before == 0) GTEST_SKIP() << "the system does not tell";
  const ByteStore store(kSize, {});
  EXPECT_LT(resident_memory(), before + kSize / 4);
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
