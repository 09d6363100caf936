#include "base/files/byte_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

[[noreturn]] void cannot_make(const std::string& folder, std::size_t size, int error) {
  throw IoError(fmt::format("{}: a file of {:.1f} GB for bins cannot be made: {}", folder,
                            static_cast<double>(size) / (1 << 30),
                            std::generic_category().message(error)));
}

// Open, of that size, and without a name.
int open_nameless(const std::string& folder, std::size_t size) {
  std::string path = folder + "/simplexboost-bins-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) cannot_make(folder, size, errno);
  unlink(path.c_str());
  // Room is asked for now: a full disk would end the process where a page is first written.
  if (const int error = posix_fallocate(file, 0, static_cast<off_t>(size)); error != 0) {
    close(file);
    cannot_make(folder, size, error);
  }
  return file;
}

}  // namespace

void ByteStore::Unmap::operator()(std::uint8_t* memory) const { munmap(memory, size); }

ByteStore::ByteStore(std::size_t size, const StoreChoice& choice) : size_(size), choice_(choice) {
  if (choice.folder.empty() || size == 0) {
    bytes_.resize(size + kPadding);
    std::fill_n(bytes_.data() + size, kPadding, std::uint8_t{0});
    return;
  }
  const int file = open_nameless(choice.folder, size + kPadding);
  void* const memory = mmap(nullptr, size + kPadding, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (memory == MAP_FAILED) cannot_make(choice.folder, size, error);
  mapping_ = {static_cast<std::uint8_t*>(memory), Unmap{size + kPadding}};
}

}  // namespace simplexboost
