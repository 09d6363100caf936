// A codebook in the memory of a device.
#pragma once

#include <cstddef>

#include "codeword/codebook.h"
#include "cuda/device.h"

namespace simplexboost {

struct CodewordTables;  // kernels/codeword_kernels.h

class DeviceCodebook {
 public:
  // The device must outlive it.
  DeviceCodebook(Device& device, const Codebook& codebook);

  // Bytes that it takes.
  static std::size_t memory(const Codebook& codebook);

  // For kernels.
  CodewordTables tables() const;

 private:
  CodebookKind kind_;
  std::size_t classes_;
  std::size_t dimension_;
  DeviceArray<float> half_diagonal_;
  DeviceArray<float> half_below_;
  DeviceArray<float> half_;
  DeviceArray<float> half_transposed_;
};

}  // namespace simplexboost
