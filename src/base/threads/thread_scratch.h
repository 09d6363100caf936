// Room that a thread keeps from one call to the next. In the place of a thread_local object with a
// destructor: registering that one ends the process where memory is short, this one throws
// std::bad_alloc like anything else.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace simplexboost {

// The calling thread's own T, made at its first call and destroyed at the thread's end. `Tag` is
// any type that tells one use from another: thread_scratch<struct RowSigns, std::vector<float>>().
template <class Tag, class T>
T& thread_scratch() {
  thread_local T* own = nullptr;
  if (own) return *own;
  static const pthread_key_t kKey = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, [](void* room) { delete static_cast<T*>(room); }) != 0)
      throw std::bad_alloc();
    return made;
  }();
  auto room = std::make_unique<T>();
  if (pthread_setspecific(kKey, room.get()) != 0) throw std::bad_alloc();
  own = room.release();
  return *own;
}

}  // namespace simplexboost
