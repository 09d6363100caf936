// What this machine can hold: large arrays are refused before memory is taken for them, since a
// system that promises more than it has ends the process later, without a word.
#pragma once

#include <cstdint>
#include <string>

#include "simplexboost/memory.h"

namespace simplexboost {

// In bytes; of the control group or by the rules of the process, where these allow less.
std::uint64_t physical_memory();

// What this process has of it now; 0 where the system does not tell.
std::uint64_t resident_memory();

// Where bins go that shall not be in memory.
std::string bins_folder(const MemoryRules& rules);

// Throws a DataError that names `what`, its size and that of the memory, unless rows x columns
// numbers of `size` bytes fit into all of it.
void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size);

}  // namespace simplexboost
