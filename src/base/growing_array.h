// An array of plain values that only grows. Unlike a vector it asks the system to enlarge its
// memory where it lies, so that a large one is not there twice while it grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace simplexboost {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  std::size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](std::size_t i) { return values_.get()[i]; }
  const T& operator[](std::size_t i) const { return values_.get()[i]; }

  void append(const T* values, std::size_t count) {
    if (count > capacity_ - size_) reserve(size_ + count);
    if (count > 0) std::memcpy(values_.get() + size_, values, count * sizeof(T));
    size_ += count;
  }
  void push_back(const T& value) { append(&value, 1); }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };

  void reserve(std::size_t wanted) {
    const std::size_t capacity = std::max(wanted, capacity_ + capacity_ / 2);
    void* const memory = std::realloc(values_.get(), capacity * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    static_cast<void>(values_.release());
    values_.reset(static_cast<T*>(memory));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace simplexboost
