#include "cuda/device_codebook.h"

#include "codeword/product.h"
#include "cuda/kernels/codeword_kernels.h"

namespace simplexboost {

DeviceCodebook::DeviceCodebook(Device& device, const Codebook& codebook)
    : kind_(codebook.kind()),
      classes_(codebook.classes()),
      dimension_(codebook.dimension()),
      half_diagonal_(device, "codewords"),
      half_below_(device, "codewords"),
      half_(device, "codewords"),
      half_transposed_(device, "codewords") {
  const Codebook::Tables tables = codebook.tables();
  half_diagonal_.upload(tables.half_diagonal);
  half_below_.upload(tables.half_below);
  half_.upload(tables.half);
  half_transposed_.upload(tables.half_transposed);
}

std::size_t DeviceCodebook::memory(const Codebook& codebook) {
  const Codebook::Tables tables = codebook.tables();
  return sizeof(float) * (tables.half_diagonal.size() + tables.half_below.size() +
                          tables.half.size() + tables.half_transposed.size());
}

CodewordTables DeviceCodebook::tables() const {
  return {kind_,
          static_cast<std::uint32_t>(classes_),
          static_cast<std::uint32_t>(dimension_),
          static_cast<std::uint32_t>(product_stride(dimension_)),
          static_cast<std::uint32_t>(product_stride(classes_)),
          half_diagonal_.data(),
          half_below_.data(),
          half_.data(),
          half_transposed_.data()};
}

}  // namespace simplexboost
