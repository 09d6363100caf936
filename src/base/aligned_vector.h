// A std::vector for the large arrays that the kernels walk: it starts on a cache line, so that no
// short vector crosses one, and where the system offers huge pages, large arrays ask for them: rows
// taken here and there then miss no address translation.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace simplexboost {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kHugePage = 2 << 20;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
    // A wish: where it cannot be granted, nothing is lost.
    if (bytes >= kHugePage) madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }

  template <class U>
  bool operator==(const AlignedAllocator<U>& /*other*/) const {
    return true;
  }

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kHugePage ? kHugePage : kCacheLine};
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// The same without a first value: new elements hold nothing in particular until they are written,
// and where the system gives a page to the processor that touches it first, that is the one whose
// thread writes there.
template <class T>
struct UntouchedAllocator : AlignedAllocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T>);
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): std::allocator_traits asks for it
    using other = UntouchedAllocator<U>;
  };
  UntouchedAllocator() = default;
  template <class U>
  UntouchedAllocator(const UntouchedAllocator<U>& /*other*/) {}

  void construct(T* place) const { ::new (static_cast<void*>(place)) T; }
  template <class... Arguments>
  void construct(T* place, Arguments&&... arguments) const {
    ::new (static_cast<void*>(place)) T(static_cast<Arguments&&>(arguments)...);
  }
};

template <class T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace simplexboost
