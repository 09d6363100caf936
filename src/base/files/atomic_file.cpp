#include "base/files/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/stop.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr unsigned kDefaultMode = 0666;  // less the umask
constexpr unsigned kPermissionBits = 07777;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What the path leads to when symbolic links are followed, even those to nothing yet; the path
// itself where there is no such link.
std::string resolve(std::string path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  for (int i = 0; i < kMostLinks; ++i) {
    const std::unique_ptr<char, void (*)(void*)> whole(::realpath(path.c_str(), nullptr), &::free);
    if (whole) return whole.get();
    std::array<char, PATH_MAX> link{};
    const ssize_t size = ::readlink(path.c_str(), link.data(), link.size());
    if (size <= 0) return path;
    const std::string next(link.data(), static_cast<std::size_t>(size));
    if (next[0] == '/') {
      path = next;
    } else {
      path = folder_of(path).append("/").append(next);
    }
  }
  return path;
}

// How the names of temporaries for a target begin. The name is cut where it would leave no room for
// the rest.
std::string temporary_stem(const std::string& target) {
  constexpr std::size_t kRoom = 40;
  return name_of(target).substr(0, NAME_MAX - kRoom) + ".tmp.";
}

// Unlike every other writer's, in this process or another one.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return folder_of(target) + "/" + temporary_stem(target) + std::to_string(::getpid()) + "." +
         std::to_string(counter++);
}

// The process that made a temporary, by what follows its stem ("123.4"); 0 where it is none.
pid_t maker_of(std::string_view rest) {
  pid_t maker = 0;
  unsigned number = 0;
  const char* const end = rest.data() + rest.size();
  const auto [dot, wrong] = std::from_chars(rest.data(), end, maker);
  if (wrong != std::errc() || dot == end || *dot != '.' || maker <= 0) return 0;
  const auto [stop, wrong_too] = std::from_chars(dot + 1, end, number);
  return wrong_too == std::errc() && stop == end ? maker : 0;
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_by(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return seconds_of(now);
}

// Whether the process of this number cannot have written a file of this time: there is none, it is
// dead and not waited for, or it began later. A container's first process has the number 1 again
// and again.
bool cannot_have_written(pid_t process, const timespec& written) {
  if (::kill(process, 0) != 0) return errno == ESRCH;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  // Behind the name, which may hold anything: the state, 18 numbers, and the start in ticks.
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return true;
  std::string skipped;
  for (int i = 0; i < 18; ++i) fields >> skipped;
  double ticks = 0;
  if (!(fields >> ticks)) return false;
  const double start = seconds_by(CLOCK_REALTIME) - seconds_by(CLOCK_BOOTTIME) +
                       ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  constexpr double kCoarse = 0.1;  // s; ticks and the times of files are rounded
  return start > seconds_of(written) + kCoarse;
}

// Whoever writes a temporary holds a lock on it, which the system takes back when they are gone:
// a number alone may mean a process of another machine that shares the folder. Those of this
// process are all locked by now (see open_temporary()).
bool abandoned(const std::string& path, pid_t maker) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &status) == 0;
  ::close(file);
  return free && (maker == ::getpid() || cannot_have_written(maker, status.st_mtim));
}

// Removes what processes that are dead left of writing this target, once in this one's life.
void sweep_temporaries(const std::string& target) {
  static std::set<std::string> swept;
  if (!swept.insert(target).second) return;
  const std::string folder = folder_of(target);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  if (!entries) return;
  const std::string stem = temporary_stem(target);
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(stem)) continue;
    const std::string path = folder + "/" + std::string(name);
    const pid_t maker = maker_of(name.substr(stem.size()));
    if (maker > 0 && abandoned(path, maker)) ::unlink(path.c_str());
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolve(path_)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail("cannot write", errno);
    open_temporary(kDefaultMode);
  } else if (S_ISDIR(status.st_mode)) {
    fail("cannot write", EISDIR);
  } else if (S_ISREG(status.st_mode)) {
    // The folder may allow a rename that the file's own permissions forbid.
    if (::access(path_.c_str(), W_OK) != 0) fail("cannot write", errno);
    open_temporary(status.st_mode & kPermissionBits);
  } else {
    // A named pipe waits here for the program that reads it.
    while ((file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC)) < 0) {
      if (errno != EINTR) fail("cannot write", errno);
      check_stop();
    }
  }
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_temporary(unsigned mode) {
  static std::mutex mutex;  // no thread sees a temporary of another one before its lock
  const std::lock_guard lock(mutex);
  sweep_temporaries(target_);
  std::string name;
  do {
    name = temporary_name(target_);
    file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail("cannot write", errno);
  static_cast<void>(::flock(file_, LOCK_EX | LOCK_NB));  // see abandoned()
  temporary_ = std::move(name);
  if (mode != kDefaultMode && ::fchmod(file_, mode) != 0) {
    const int error = errno;
    ::close(std::exchange(file_, -1));
    ::unlink(temporary_.c_str());  // a constructor that throws has no destructor
    fail("cannot set the permissions of", error);
  }
}

void AtomicFile::write(const void* data, std::size_t size) {
  assert(file_ >= 0);
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file_, bytes, size);
    if (written < 0 && errno == EINTR) {
      if (temporary_.empty()) check_stop();  // a pipe may wait for its reader for ever
      continue;
    }
    if (written < 0) fail("cannot write", errno);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  assert(file_ >= 0);
  const bool replaces = !temporary_.empty();
  while (replaces && ::fsync(file_) != 0)
    if (errno != EINTR) fail("cannot write", errno);
  // Some file systems report a full disk only here.
  if (::close(std::exchange(file_, -1)) != 0) fail("cannot write", errno);
  if (!replaces) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot write", errno);
  temporary_.clear();
  sync_folder();
}

// The rename itself survives a power failure only once the folder is synced. Not every file system
// can do that, and the content is whole either way: no error.
void AtomicFile::sync_folder() {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

void AtomicFile::fail(const char* what, int error) {
  throw IoError(std::string(what) + " '" + path_ + "': " + std::strerror(error), error);
}

}  // namespace simplexboost
