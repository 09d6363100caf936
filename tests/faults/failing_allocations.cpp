// The command with allocations that fail when told to. SIMPLEXBOOST_FAIL_ALLOCATION=K: the K-th one
// fails, K+: and so do all behind it; they are counted before anything else of the program runs.
// SIMPLEXBOOST_COUNT_ALLOCATIONS=FILE: their number is written there at the end of main. operator
// new is replaced here, malloc and its kin by the linker's --wrap, so that zlib's count too; memory
// comes from the sanitizer, which checks it and looks for leaks at the end.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
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

// Of the lowest number that is free for use: before the constructors of all static objects.
__attribute__((constructor(101))) void begin() {
  if (const char* const point = std::getenv("SIMPLEXBOOST_FAIL_ALLOCATION")) {
    char* end = nullptr;
    failing = std::strtoull(point, &end, 10);
    and_all_behind = *end == '+';
  }
  counting = true;
}

bool fails() {
  if (!counting) return false;
  const std::size_t number = ++made;
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
  const char* const report = std::getenv("SIMPLEXBOOST_COUNT_ALLOCATIONS");
  const int status = simplexboost_main(count, words);
  counting = false;
  if (report != nullptr) {
    std::FILE* const file = std::fopen(report, "w");
    if (file == nullptr) return 3;
    std::fprintf(file, "%zu\n", made.load());
    std::fclose(file);
  }
  return status;
}
