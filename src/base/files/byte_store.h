// A large array of bytes that is written once and read often: in memory, or in a file that is
// mapped into it, so that the system may take the memory back. The file has no name from the start,
// so that nothing is left behind however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/aligned_vector.h"

namespace simplexboost {

// Where such arrays are.
struct StoreChoice {
  std::string folder = {};  // of the file; empty: in memory
};

class ByteStore {
 public:
  // Bytes behind the last one that may be read: kernels gather four at a time.
  static constexpr std::size_t kPadding = 3;

  ByteStore() = default;
  // Holds nothing in particular: what is in memory is first touched by the threads that write it.
  // Throws IoError where the folder has no room for it.
  ByteStore(std::size_t size, const StoreChoice& choice);

  std::size_t size() const { return size_; }
  // Where it is; what is made of it is to be there too.
  const StoreChoice& choice() const { return choice_; }
  bool mapped() const { return mapping_ != nullptr; }
  std::uint8_t* data() { return mapping_ ? mapping_.get() : bytes_.data(); }
  const std::uint8_t* data() const { return mapping_ ? mapping_.get() : bytes_.data(); }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(std::uint8_t* memory) const;
  };

  std::size_t size_ = 0;
  StoreChoice choice_;
  UntouchedVector<std::uint8_t> bytes_;
  std::unique_ptr<std::uint8_t, Unmap> mapping_;
};

}  // namespace simplexboost
