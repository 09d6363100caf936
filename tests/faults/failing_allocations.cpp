// The command with allocations that fail when told to. SIMPLEXBOOST_FAIL_ALLOCATION=K: the K-th one
// fails, K+: and so do all behind it; they are counted before anything else of the program runs.
// SIMPLEXBOOST_COUNT_ALLOCATIONS=FILE: of each one its place is written there, 8 bytes: a hash of
// the calls in which it is made. SIMPLEXBOOST_FORK_ALLOCATIONS=IN,OUT: at each one OUT is told its
// number and IN is asked for a folder; a fork of the program goes on there and fails, which saves
// the start and all work before. operator new is replaced here, malloc and its kin by the linker's
// --wrap, so that zlib's count too; memory comes from the sanitizer, which checks it and looks for
// leaks at the end.
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t size);
}

// main.cpp's, under another name.
int simplexboost_main(int count, char** words);

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> made{0};
std::size_t failing = 0;
bool and_all_behind = false;
int folders_in = -1;
int numbers_out = -1;
int places_out = -1;

// Of the lowest number that is free for use: before the constructors of all static objects.
__attribute__((constructor(101))) void begin() {
  if (const char* const point = std::getenv("SIMPLEXBOOST_FAIL_ALLOCATION")) {
    char* end = nullptr;
    failing = std::strtoull(point, &end, 10);
    and_all_behind = *end == '+';
  }
  if (const char* const pipes = std::getenv("SIMPLEXBOOST_FORK_ALLOCATIONS"))
    if (std::sscanf(pipes, "%d,%d", &folders_in, &numbers_out) != 2) std::_Exit(3);
  if (const char* const file = std::getenv("SIMPLEXBOOST_COUNT_ALLOCATIONS"))
    if ((places_out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0) std::_Exit(3);
  counting = true;
}

using Line = std::array<char, 4096>;

void say(const char* text, int length) {
  if (write(numbers_out, text, static_cast<std::size_t>(length)) != length) std::_Exit(3);
}

void hear(Line& line) {
  std::size_t size = 0;
  while (size + 1 < line.size() && read(folders_in, &line[size], 1) == 1 && line[size] != '\n')
    ++size;
  line[size] = 0;
}

// A file of this folder that is open becomes the one of that name in another folder, where it was.
void reopen(int file, const Line& here, const char* there) {
  Line link;
  Line path;
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link.data(), path.data(), path.size() - 1);
  const std::size_t length = std::strlen(here.data());
  if (size <= static_cast<ssize_t>(length) || path[length] != '/') return;
  if (std::memcmp(path.data(), here.data(), length) != 0) return;
  path[static_cast<std::size_t>(size)] = 0;
  Line other;
  if (std::snprintf(other.data(), other.size(), "%s%s", there, &path[length]) >=
      static_cast<int>(other.size()))
    std::_Exit(3);
  const int flags = fcntl(file, F_GETFL);
  const int opened = open(other.data(), flags & (O_ACCMODE | O_APPEND | O_DIRECTORY));
  const off_t place = lseek(file, 0, SEEK_CUR);
  if (opened < 0 || (place >= 0 && lseek(opened, place, SEEK_SET) != place)) std::_Exit(3);
  if (dup2(opened, file) != file || close(opened) != 0) std::_Exit(3);
}

void move_to(const char* folder) {
  constexpr int kMostFiles = 64;
  constexpr unsigned kPatience = 120;  // seconds: what goes on longer is ended by the alarm
  Line here;
  if (getcwd(here.data(), here.size()) == nullptr) std::_Exit(3);
  for (int file = 0; file < kMostFiles; ++file) reopen(file, here, folder);
  if (chdir(folder) != 0) std::_Exit(3);
  close(folders_in);
  close(numbers_out);
  folders_in = -1;
  alarm(kPatience);
}

// Entries of /proc/self/task without allocating.
bool alone() {
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  std::array<char, 1024> entries;
  int found = 0;
  for (ssize_t size = 0; (size = getdents64(folder, entries.data(), entries.size())) > 0;)
    for (ssize_t at = 0; at < size; ++found) {
      unsigned short length = 0;
      std::memcpy(&length, &entries[static_cast<std::size_t>(at) + 16], sizeof(length));
      at += length;
    }
  close(folder);
  return found == 3;  // ., .. and one thread
}

// True in a fork in which this allocation shall fail. The forks are of one thread: where there are
// more, the answer is told to be no.
bool fails_in_fork(std::size_t number) {
  Line line;
  say(line.data(), std::snprintf(line.data(), line.size(), "%zu %d\n", number, alone() ? 1 : 0));
  for (hear(line); line[0] == '=' || line[0] == '+'; hear(line)) {
    const pid_t child = fork();
    if (child < 0) std::_Exit(3);
    if (child == 0) {
      failing = number;
      and_all_behind = line[0] == '+';
      move_to(&line[1]);
      return true;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
      if (errno != EINTR) std::_Exit(3);
    say(line.data(), std::snprintf(line.data(), line.size(), "%d\n", status));
  }
  return false;
}

// One step of FNV-1a, by whole addresses.
_Unwind_Reason_Code add_call(_Unwind_Context* context, void* hash) {
  auto& place = *static_cast<std::uint64_t*>(hash);
  place = (place ^ _Unwind_GetIP(context)) * 0x100000001b3U;
  return _URC_NO_REASON;
}

void tell_place(std::size_t number) {
  std::uint64_t place = 0xcbf29ce484222325U;
  _Unwind_Backtrace(add_call, &place);
  const auto offset = static_cast<off_t>((number - 1) * sizeof(place));
  if (pwrite(places_out, &place, sizeof(place), offset) != ssize_t{sizeof(place)}) std::_Exit(3);
}

bool fails() {
  if (!counting) return false;
  const std::size_t number = ++made;
  if (places_out >= 0) tell_place(number);
  if (folders_in >= 0) return fails_in_fork(number);
  return number == failing || (and_all_behind && number > failing);
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails()) return nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return __real_malloc(size);
  return __real_aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kPlain = alignof(std::max_align_t);

}  // namespace

extern "C" {

void* __wrap_malloc(std::size_t size) {
  if (!fails()) return __real_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* __wrap_calloc(std::size_t count, std::size_t size) {
  if (!fails()) return __real_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* __wrap_realloc(void* memory, std::size_t size) {
  if (!fails()) return __real_realloc(memory, size);
  errno = ENOMEM;
  return nullptr;
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!fails()) return __real_aligned_alloc(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  return fails() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

}  // extern "C"

void* operator new(std::size_t size) { return allocate_or_throw(size, kPlain); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kPlain);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kPlain);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

int main(int count, char** words) {
  const int status = simplexboost_main(count, words);
  counting = false;
  return status;
}
