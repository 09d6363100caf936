#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr unsigned kDefaultMode = 0666;  // less the umask
constexpr unsigned kPermissionBits = 07777;

// What the path leads to when symbolic links are followed; the path itself where nothing is there.
std::string resolve(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), &::free);
  return resolved ? std::string(resolved.get()) : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

// Unlike every other writer's, in this process or another one.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return target + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(counter++);
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
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail("cannot write", errno);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_temporary(unsigned mode) {
  std::string name;
  do {
    name = temporary_name(target_);
    file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail("cannot write", errno);
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
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", errno);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  assert(file_ >= 0);
  const bool replaces = !temporary_.empty();
  if (replaces && ::fsync(file_) != 0) fail("cannot write", errno);
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
