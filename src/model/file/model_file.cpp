#include "model/file/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/memory.h"
#include "model/file/safetensors.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

class InputFile {
 public:
  explicit InputFile(const std::string& path)
      // O_NONBLOCK: opening a pipe must not wait for its writer.
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail(std::strerror(errno), errno);
  }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const {
    struct stat status {};
    if (fstat(file_, &status) != 0) fail(std::strerror(errno), errno);
    if (S_ISDIR(status.st_mode)) fail("it is a directory, not a model file", EISDIR);
    if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }

  void read_all(std::byte* out, std::size_t size) const {
    while (size > 0) {
      const ssize_t got = read(file_, out, size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(std::strerror(errno), errno);
      if (got == 0) fail("it became shorter while it was read");
      out += got;
      size -= static_cast<std::size_t>(got);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, int code = 0) const {
    throw IoError(path_ + ": " + what, code);
  }

  std::string path_;
  int file_;
};

// The file's bytes and the model made of them must fit side by side.
void require_half_memory(const std::string& path, std::uint64_t size) {
  const std::uint64_t free = available_memory();
  if (size > free / 2)
    throw ModelError(fmt::format("{}: its {} are more than half of the memory that is free, {}",
                                 path, size_text(static_cast<double>(size)),
                                 size_text(static_cast<double>(free))));
}

}  // namespace

std::vector<std::byte> read_foreign_file(const std::string& path) {
  const InputFile file(path);
  const std::uint64_t size = file.size();
  require_half_memory(path, size);
  std::vector<std::byte> bytes(size);
  file.read_all(bytes.data(), size);
  return bytes;
}

std::vector<std::byte> read_model_file(const std::string& path) {
  const InputFile file(path);
  const std::uint64_t size = file.size();
  if (size < kSafetensorsPrefix) throw ModelError(path + ": it is too short to be a model file");
  std::vector<std::byte> bytes(kSafetensorsPrefix);
  file.read_all(bytes.data(), kSafetensorsPrefix);
  try {
    check_safetensors_prefix(std::span(bytes).first<kSafetensorsPrefix>(), size);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
  require_half_memory(path, size);
  bytes.resize(size);
  file.read_all(bytes.data() + kSafetensorsPrefix, size - kSafetensorsPrefix);
  return bytes;
}

}  // namespace simplexboost
