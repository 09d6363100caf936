// The parts of Kernels, for the *_isa.cpp files alone: each level of instructions has its own.
#pragma once

#include "tree/kernels/kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {

// histogram_isa.cpp
void fill(const FillArgs<std::uint8_t>& args);
void fill(const FillArgs<std::uint16_t>& args);
void clear(const FillArgs<std::uint8_t>& args);
void clear(const FillArgs<std::uint16_t>& args);
void fill(const SparseFillArgs<std::uint16_t>& args);
void fill(const SparseFillArgs<std::uint32_t>& args);
void clear(const SparseFillArgs<std::uint16_t>& args);
void clear(const SparseFillArgs<std::uint32_t>& args);
void subtract(std::int32_t* out, const std::int32_t* whole, const std::int32_t* part,
              std::size_t size);

// scan_isa.cpp
ScanResult scan(const ScanArgs& args, std::int32_t* left);
float score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total);

// quantise_isa.cpp
void quantise(const float* values, std::size_t count, float scale, std::int32_t* out);
void quantise_scalars(const float* weights, const float* pulls, std::size_t count,
                      float weight_scale, float pull_scale, std::int32_t* out);

// row_sums_isa.cpp
void add_absolute(const float* values, std::size_t count, float* sums);
void add_integers(const std::int32_t* values, std::size_t count, std::int32_t* sums);
void add_bins(const std::int32_t* values, std::size_t bins, std::size_t channels,
              std::int32_t* sums);
void add_values(const ValueArgs& args);
void add_products(const ProductArgs& args);
void take_values(const TakeArgs& args);
float largest_size(const float* values, std::size_t count);

// part_isa.cpp
std::size_t part(const PartArgs<std::uint8_t>& args);
std::size_t part(const PartArgs<std::uint16_t>& args);

}  // namespace simplexboost::SIMPLEXBOOST_ISA
