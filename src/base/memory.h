// What this machine can hold: large arrays are refused before memory is taken for them, since a
// system that promises more than it has ends the process later, without a word.
#pragma once

#include <cstdint>
#include <string>

namespace simplexboost {

// In bytes; of the control group, where it allows less.
std::uint64_t physical_memory();

// Throws a DataError that names `what`, its size and that of the memory, unless rows x columns
// numbers of `size` bytes fit into all of it.
void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size);

}  // namespace simplexboost
