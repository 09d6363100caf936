#include "base/files/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "atomic_file_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static void put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string failure(const std::string& path) {
  try {
    AtomicFile file(path);
    file.write(std::string(1 << 16, 'x'));
    file.commit();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST_F(AtomicFileTest, CommitPutsTheContentInPlace) {
  AtomicFile file(path("a"));
  file.write("one ");
  file.write(std::string("two\0three", 9));
  EXPECT_FALSE(fs::exists(path("a")));
  file.commit();
  EXPECT_EQ(content(path("a")), std::string("one two\0three", 13));
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  put(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("new");
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(files(), 2U);
  }
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, KeepsPermissionsOfTheFileItReplaces) {
  put(path("a"), "old");
  fs::permissions(path("a"), fs::perms(0640));
  AtomicFile file(path("a"));
  file.write("new");
  file.commit();
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(AtomicFileTest, FollowsASymbolicLink) {
  put(path("real"), "old");
  fs::create_symlink("real", path("link"));
  AtomicFile file(path("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "new");
}

TEST_F(AtomicFileTest, FollowsASymbolicLinkToNothingYet) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink("sub/new", folder_ / "link");
  AtomicFile file(path("link"));
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(path("sub/new")), "x");
}

TEST_F(AtomicFileTest, TakesTheLongestNames) {
  const std::string name(255, 'n');
  AtomicFile file(path(name));
  file.write("x");
  file.commit();
  EXPECT_EQ(content(path(name)), "x");
  EXPECT_NE(failure(path(name + "n")), "");
}

// A process that is killed leaves its temporary; the next who writes the target removes it.
TEST_F(AtomicFileTest, RemovesWhatADeadProcessLeft) {
  const pid_t child = ::fork();
  if (child == 0) {
    const AtomicFile file(path("a"));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  put(path("a.tmp.notes"), "mine");
  put(path("ab.tmp." + std::to_string(child) + ".0"), "of another target");
  put(path("a.tmp." + std::to_string(::getppid()) + ".99"), "of a living process");
  ASSERT_EQ(files(), 4U);
  AtomicFile file(path("a"));
  file.write("x");
  file.commit();
  EXPECT_EQ(content(path("a")), "x");
  EXPECT_EQ(files(), 4U);  // the target in the place of the temporary
}

// In a container every run has the number 1.
TEST_F(AtomicFileTest, RemovesWhatADeadProcessOfItsOwnNumberLeft) {
  put(path("a.tmp." + std::to_string(::getpid()) + ".99"), "of the process before");
  EXPECT_EQ(failure(path("a")), "");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, KeepsWhatItWritesItself) {
  AtomicFile first(path("a"));
  AtomicFile second((folder_ / "." / "a").string());  // swept for again by this name
  first.write("first");
  first.commit();
  EXPECT_EQ(content(path("a")), "first");
}

TEST_F(AtomicFileTest, RemovesWhatADeadProcessLeftThatNobodyHasWaitedFor) {
  const pid_t child = ::fork();
  if (child == 0) {
    const AtomicFile file(path("a"));
    ::kill(::getpid(), SIGKILL);
  }
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(failure(path("a")), "");
  EXPECT_EQ(files(), 1U);
  ::waitpid(child, nullptr, 0);
}

TEST_F(AtomicFileTest, RemovesWhatIsOlderThanTheProcessOfItsNumber) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string stem = "a.tmp." + std::to_string(child);
  put(path(stem + ".0"), "of another process");
  fs::last_write_time(path(stem + ".0"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  put(path(stem + ".1"), "of this one");
  EXPECT_EQ(failure(path("a")), "");
  EXPECT_FALSE(fs::exists(path(stem + ".0")));
  EXPECT_TRUE(fs::exists(path(stem + ".1")));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(AtomicFileTest, WritesDirectlyToWhatCannotBeReplaced) {
  EXPECT_EQ(failure("/dev/null"), "");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

TEST_F(AtomicFileTest, NamesThePathAndTheReason) {
  EXPECT_EQ(failure(path("no/such")),
            "cannot write '" + path("no/such") + "': No such file or directory");
  EXPECT_EQ(failure(folder_.string()), "cannot write '" + folder_.string() + "': Is a directory");
  EXPECT_NE(failure(""), "");
}

TEST_F(AtomicFileTest, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(failure("/dev/full"), "cannot write '/dev/full': No space left on device");
}

TEST_F(AtomicFileTest, TwoWritersOfOnePathDoNotMix) {
  AtomicFile first(path("a"));
  AtomicFile second(path("a"));
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(content(path("a")), "first");
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace simplexboost
